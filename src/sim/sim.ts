import { setTimeout as sleep } from "node:timers/promises";
import type { Attempted, ModelRequest, Sending, Transport } from "../kernel/index.ts";
import { think, type Thought, type Trouble } from "./brain.ts";
import type { Fact } from "./fact.ts";
import { readFacts } from "./facts.ts";
import { piecesOf } from "./pieces.ts";
import { readReference, type Simulated } from "./reference.ts";

/** What a file of facts held, already parsed from YAML or JSON, or why it could not be read. */
export type LoadFacts = (
  file: string,
) => { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly reason: string };

/** Settles after so many milliseconds, or rejects when the signal aborts. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

export const systemWait: Wait = (milliseconds, signal) => sleep(milliseconds, undefined, { signal });

export type SimOptions = {
  /** Without it a reference with `facts=` is refused. A file is loaded once. */
  readonly loadFacts?: LoadFacts | undefined;
  readonly wait?: Wait | undefined;
};

/** A reference that can be called, with the facts it knows. */
export type Prepared =
  | { readonly ok: true; readonly simulated: Simulated; readonly facts: readonly Fact[] }
  | { readonly ok: false; readonly reason: string };

export type Sim = Transport & {
  /** Whether a reference can be called, or why not, before any call is made. */
  readonly prepare: (ref: string) => Prepared;
};

/** The simulated models inside this process, for a caller that treats them like any others. */
export function createSim({ loadFacts, wait = systemWait }: SimOptions = {}): Sim {
  const loaded = new Map<string, ReturnType<typeof readFacts>>();

  const factsIn = (file: string): ReturnType<typeof readFacts> => {
    const known = loaded.get(file);
    if (known) return known;
    const found = loadFacts?.(file) ?? { ok: false as const, reason: "files of facts cannot be read here" };
    const read = found.ok ? readFacts(found.data) : found;
    loaded.set(file, read);
    return read;
  };

  const prepare = (ref: string): Prepared => {
    const read = readReference(ref);
    if (!read.ok) return read;
    const { simulated } = read;
    if (simulated.facts === null) return { ok: true, simulated, facts: [] };
    const facts = factsIn(simulated.facts);
    return facts.ok
      ? { ok: true, simulated, facts: facts.facts }
      : { ok: false, reason: `sim/${simulated.name}: facts=${simulated.facts}: ${facts.reason}` };
  };

  const send = async (request: ModelRequest, { attempt, signal, onText }: Sending): Promise<Attempted> => {
    const prepared = prepare(request.model);
    if (!prepared.ok) return failed({ code: "refused", message: prepared.reason }, { retry: "never" });
    const thought = think({ ...prepared, request, attempt });
    const pieces = piecesOf(thought.text, prepared.simulated.latency);
    const pauseMs = prepared.simulated.latency / Math.max(1, pieces.length);
    try {
      for (const piece of pieces.length > 0 ? pieces : [""]) {
        if (signal.aborted) return givenUp();
        if (pauseMs > 0) await wait(pauseMs, signal);
        if (piece !== "") onText(piece);
      }
    } catch (error) {
      if (signal.aborted) return givenUp();
      throw error;
    }
    return attemptedOf(thought);
  };

  return { prepare, send };
}

function attemptedOf(thought: Thought): Attempted {
  const usage = {
    tokens: {
      in: thought.tokensIn,
      out: thought.ok ? thought.tokensOut : null,
      cached: null,
      reasoning: null,
    },
    usd: null,
  };
  if (thought.ok) return { ok: true, text: thought.text, toolCalls: [], finish: thought.finish, usage };
  const { trouble } = thought;
  const waitMs = trouble.code === "rate-limited" ? trouble.waitMs : null;
  return {
    ok: false,
    failure: { code: trouble.code, message: wordsOf(trouble) },
    retry: "later",
    waitMs,
    crowded: trouble.code === "rate-limited",
    usage: { tokens: { in: null, out: null, cached: null, reasoning: null }, usd: null },
  };
}

/** What a simulated provider says when it fails. */
export const wordsOf = (trouble: Trouble): string =>
  ({
    overloaded: "simulated: the model is overloaded",
    "rate-limited": "simulated: too many requests at once",
    network: "simulated: the connection broke off within the reply",
  })[trouble.code];

const failed = (
  failure: Extract<Attempted, { ok: false }>["failure"],
  { retry }: { retry: "never" | "later" },
): Attempted => ({
  ok: false,
  failure,
  retry,
  waitMs: null,
  crowded: false,
  usage: { tokens: { in: null, out: null, cached: null, reasoning: null }, usd: null },
});

const givenUp = (): Attempted => failed({ code: "cancelled", message: "given up" }, { retry: "never" });
