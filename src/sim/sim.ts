import { setTimeout as sleep } from "node:timers/promises";
import type { Attempt, ModelRequest, SendContext, WebSource, Transport } from "../kernel/index.ts";
import { readFacts, readReference, type Fact, type FactsReading, type SimParameters } from "./reference.ts";
import type { SimScript } from "./belief.ts";
import type { Outage, SimCall, SimReply } from "./reply.ts";

/** The content of a file of facts, already parsed from YAML or JSON, or why it could not be read. */
export type LoadFacts = (
  file: string,
) => { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly reason: string };

/** Settles after this many milliseconds, or rejects when the signal aborts. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

export const systemWait: Wait = (milliseconds, signal) => sleep(milliseconds, undefined, { signal });

export type SimOptions = {
  /** Without it a reference with `facts=` is refused. A file is loaded once. */
  readonly loadFacts?: LoadFacts | undefined;
  readonly wait?: Wait | undefined;
  /** What models say to prompts of features; the first that knows a prompt counts. */
  readonly scripts?: (() => Promise<readonly SimScript[]>) | undefined;
};

/** A reference that can be called, with the facts that it knows. */
export type PreparedModel =
  | { readonly ok: true; readonly parameters: SimParameters; readonly facts: readonly Fact[] }
  | { readonly ok: false; readonly reason: string };

export type Sim = Transport & {
  /** Tells before any call whether a reference can be called, or why not. */
  readonly prepare: (ref: string) => PreparedModel;
  /** What one attempt comes to, with the scripts of features. */
  readonly reply: (call: Omit<SimCall, "scripts">) => Promise<SimReply>;
};

/** The simulated models inside this process, for a caller that treats them like any others. */
export function createSim({ loadFacts, wait = systemWait, scripts }: SimOptions = {}): Sim {
  const loaded = new Map<string, FactsReading>();

  const readFile = (file: string): FactsReading => {
    const cached = loaded.get(file);
    if (cached) return cached;
    const load = loadFacts?.(file) ?? { ok: false as const, reason: "files of facts cannot be read here" };
    const read = load.ok ? readFacts(load.data) : load;
    loaded.set(file, read);
    return read;
  };

  const prepare = (ref: string): PreparedModel => {
    const read = readReference(ref);
    if (!read.ok) return read;
    const { parameters } = read;
    if (parameters.facts === null) return { ok: true, parameters, facts: [] };
    const facts = readFile(parameters.facts);
    return facts.ok
      ? { ok: true, parameters, facts: facts.facts }
      : { ok: false, reason: `sim/${parameters.name}: facts=${parameters.facts}: ${facts.reason}` };
  };

  const reply: Sim["reply"] = async (call) => {
    const { simulateReply } = await import("./reply.ts"); // its knowledge and its solver load with the first call
    return simulateReply({ ...call, scripts: await scripts?.() });
  };

  const send = async (request: ModelRequest, { attempt, signal, onText }: SendContext): Promise<Attempt> => {
    const prepared = prepare(request.model);
    if (!prepared.ok) return failedAttempt({ code: "refused", message: prepared.reason }, "never");
    const cancelled = failedAttempt({ code: "cancelled", message: "cancelled" }, "never");
    const replied = await reply({ ...prepared, request, attempt });
    const pieces = splitIntoPieces(replied.text, prepared.parameters.latency);
    const pauseMs = prepared.parameters.latency / Math.max(1, pieces.length);
    try {
      for (const piece of pieces.length > 0 ? pieces : [""]) {
        if (signal.aborted) return cancelled;
        if (pauseMs > 0) await wait(pauseMs, signal);
        if (piece !== "") onText(piece);
      }
    } catch (error) {
      if (signal.aborted) return cancelled;
      throw error;
    }
    if (!replied.ok) {
      const { outage } = replied;
      const failure = failedAttempt({ code: outage.code, message: outageMessage(outage) }, "later");
      if (outage.code !== "rate-limited") return failure;
      return { ...failure, waitMs: outage.waitMs, crowded: true };
    }
    const tokens = { in: replied.tokensIn, out: replied.tokensOut, cached: null, reasoning: null };
    const { text, toolCalls = [], finish } = replied;
    const { name } = prepared.parameters;
    const searches = request.search === undefined ? 0 : 1;
    return {
      ok: true,
      text,
      toolCalls,
      ...(searches > 0 && { sources: simulatedSources(name) }),
      finish: toolCalls.length > 0 ? "tool-calls" : finish,
      usage: { tokens, ...(searches > 0 && { searches }), usd: null },
    };
  };

  return { prepare, reply, send };
}

/** What a simulated search finds: a page that every model finds, and one of its own. */
const simulatedSources = (name: string): WebSource[] => [
  { url: "https://example.org/simulated", title: "Simulated search: what everybody finds" },
  { url: `https://example.com/simulated/${name}` },
];

/** What a simulated provider says when it fails. */
export const outageMessage = ({ code }: Outage): string =>
  ({
    overloaded: "simulated: the model is overloaded",
    "rate-limited": "simulated: too many requests at once",
    network: "simulated: the connection broke off within the reply",
  })[code];

type FailedAttempt = Extract<Attempt, { ok: false }>;

/** An attempt that ended so, and cost nothing that is known. */
export const failedAttempt = (
  failure: FailedAttempt["failure"],
  retry: "never" | "later",
): FailedAttempt => ({
  ok: false,
  failure,
  retry,
  waitMs: null,
  crowded: false,
  usage: { tokens: { in: null, out: null, cached: null, reasoning: null }, usd: null },
});

/**
 * Splits a reply into the pieces in which it is streamed. A piece is a word, or several words where single ones would
 * follow each other in less than ten milliseconds.
 */
export function splitIntoPieces(text: string, latencyMs: number): string[] {
  const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === "" ? [] : [text]);
  const most = latencyMs > 0 ? Math.max(1, Math.floor(latencyMs / 10)) : words.length;
  const each = Math.max(1, Math.ceil(words.length / Math.max(1, most)));
  return Array.from({ length: Math.ceil(words.length / each) }, (_, index) =>
    words.slice(index * each, (index + 1) * each).join(""),
  );
}
