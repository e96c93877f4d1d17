import {
  ModelRequest,
  type Call,
  type CallOptions,
  type Delta,
  type FailureCode,
  type Models,
  type Quote,
  type ToolCall,
  type World,
} from "../kernel/index.ts";

/** What a scripted model says, and how it goes. `latencyMs` passes on the script's clock; without one it is only reported. */
export type ScriptedReply = {
  readonly latencyMs?: number;
  readonly tokens?: { readonly in: number | null; readonly out: number | null };
  /** null: the provider gave no figure. */
  readonly usd?: number | null;
  readonly attempts?: number;
} & (
  | {
      readonly text: string;
      readonly finish?: string;
      readonly toolCalls?: readonly ToolCall[];
      /** What was streamed; by default the text as one piece. */ readonly deltas?: readonly Delta[];
    }
  | { readonly fail: FailureCode; readonly message?: string }
  /** Never answers; ends when it is aborted. */
  | { readonly hang: true }
);

/** One line of a script; a string is a reply of that text. */
export type ScriptedLine = string | ScriptedReply;

/**
 * By name: lines that must be said, each once and in order, or a function that answers any number of calls
 * (`nth` counts from 1 within the name).
 */
export type Script = {
  readonly [name: string]:
    ScriptedLine | readonly ScriptedLine[] | ((request: ModelRequest, nth: number) => ScriptedLine);
};

export type ScriptedCall = {
  readonly name: string;
  readonly request: ModelRequest;
  /** What the budget left for its reply in tokens; undefined where that was all it asked for. */
  readonly limit: number | undefined;
  /** `pending` until it ends. */
  outcome: "pending" | "answered" | "failed" | "aborted";
};

export interface ScriptedModels extends Models {
  /** Every call so far, in the order of their beginnings. */
  readonly calls: readonly ScriptedCall[];
  /** How often a name, or anybody, was called. */
  count(name?: string): number;
  /** @throws Error when a call was made that nobody scripted, or a line was never said */
  done(): void;
}

export type ScriptedOptions = {
  /** Under which name of the script a request falls; by default the last segment of its model. */
  readonly nameOf?: (request: ModelRequest) => string;
  readonly clock?: Pick<World, "sleep">;
  readonly quote?: (request: ModelRequest) => Quote;
};

/**
 * Models that say what a test wrote down. A call that nobody scripted rejects, which `Models` never does, so
 * that no protocol can take it for a provider's failure; `done` finds the lines that were never said.
 */
export function scripted(
  script: Script,
  { nameOf = lastSegment, clock, quote = () => CHEAP }: ScriptedOptions = {},
): ScriptedModels {
  const calls: ScriptedCall[] = [];
  const unscripted: string[] = [];

  const lineFor = (name: string, request: ModelRequest): ScriptedLine | undefined => {
    const nth = calls.filter((call) => call.name === name).length;
    const lines = Object.hasOwn(script, name) ? script[name] : undefined;
    if (lines === undefined) return undefined;
    if (typeof lines === "function") return lines(request, nth);
    return linesOf(lines)[nth - 1];
  };

  return {
    calls,
    count: (name) => (name === undefined ? calls.length : calls.filter((call) => call.name === name).length),
    quote,
    async complete(given, options) {
      const request = ModelRequest.parse(given);
      const name = nameOf(request);
      const call: ScriptedCall = { name, request, limit: options.limit, outcome: "pending" };
      calls.push(call);
      const line = lineFor(name, request);
      if (line === undefined) {
        unscripted.push(name);
        throw new Error(
          `nobody scripted call ${calls.filter((one) => one.name === name).length} of "${name}"`,
        );
      }
      const reply = typeof line === "string" ? { text: line } : line;
      await pass(reply, options.signal, clock);
      return finished(call, reply, options);
    },
    done() {
      const unused = Object.entries(script).flatMap(([name, lines]) => {
        if (typeof lines === "function") return [];
        const said = calls.filter((call) => call.name === name).length;
        return linesOf(lines).length > said
          ? [`"${name}" was called ${said} of ${linesOf(lines).length} times`]
          : [];
      });
      const wrong = [...unscripted.map((name) => `"${name}" was called and had nothing to say`), ...unused];
      if (wrong.length > 0) throw new Error(`the script was not followed: ${wrong.join("; ")}`);
    },
  };
}

const CHEAP: Quote = { tokensIn: 10, tokensOut: 100, usd: 0.001 };

const lastSegment = (request: ModelRequest): string =>
  request.model.replace(/\?.*$/, "").split("/").at(-1) ?? "";

const linesOf = (lines: ScriptedLine | readonly ScriptedLine[]): readonly ScriptedLine[] =>
  // `Array.isArray` does not narrow readonly arrays out of a union.
  Array.isArray(lines) ? (lines as readonly ScriptedLine[]) : [lines as ScriptedLine];

/** The time that an answer takes; ends early when the call is aborted. */
async function pass(
  reply: ScriptedReply,
  signal: AbortSignal,
  clock: Pick<World, "sleep"> | undefined,
): Promise<void> {
  await Promise.resolve();
  if (signal.aborted) return;
  if ("hang" in reply)
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  else if (clock && reply.latencyMs !== undefined) await clock.sleep(reply.latencyMs, signal);
}

function finished(call: ScriptedCall, reply: ScriptedReply, { signal, onDelta }: CallOptions): Call {
  const { latencyMs = 0, attempts = 1, usd = 0.0005, tokens = { in: 10, out: 20 } } = reply;
  const spent = {
    model: call.request.model,
    family: null,
    tokens: { ...tokens, cached: null, reasoning: null },
    cost: usd === null ? ({ source: "unknown", usd: null } as const) : ({ source: "provider", usd } as const),
    latencyMs,
    attempts,
  };
  const nothing = {
    tokens: { in: null, out: null, cached: null, reasoning: null },
    cost: { source: "unknown", usd: null },
  } as const;
  if (signal.aborted || !("text" in reply || "fail" in reply)) {
    call.outcome = "aborted";
    return { ok: false, failure: { code: "cancelled", message: "aborted" }, ...spent, ...nothing };
  }
  if ("fail" in reply) {
    call.outcome = "failed";
    const failure = { code: reply.fail, message: reply.message ?? `scripted: ${reply.fail}` };
    return { ok: false, failure, ...spent, ...(reply.usd === undefined ? nothing : {}) };
  }
  for (const delta of reply.deltas ?? [{ attempt: attempts, offset: 0, text: reply.text }]) onDelta?.(delta);
  call.outcome = "answered";
  const { text, finish = "stop", toolCalls = [] } = reply;
  return {
    ok: true,
    reply: text,
    ...(toolCalls.length > 0 ? { toolCalls: [...toolCalls] } : {}),
    finish,
    ...spent,
  };
}
