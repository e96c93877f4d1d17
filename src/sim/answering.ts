import type { ServerResponse } from "node:http";
import { canonical, type ModelRef, type ModelRequest } from "../kernel/index.ts";
import { think, type Thought } from "./brain.ts";
import { shortHash } from "./chance.ts";
import { counter } from "./counter.ts";
import { piecesOf } from "./pieces.ts";
import { reception, refuser, type Floor, type Refuse } from "./reception.ts";
import { wordsOf, type Wait } from "./sim.ts";
import { writer, type Writer } from "./writer.ts";
import type { Order, Outgoing, ServerWire } from "./wires/wire.ts";

export type Answering = {
  readonly wire: ServerWire;
  readonly order: Order;
  /** The faults that the request asks for beside those in its model. */
  readonly asked: string;
  readonly response: ServerResponse;
  /** Aborts when the connection is closed, by whichever side. */
  readonly signal: AbortSignal;
};

// S1 stands with the reception.
// S2. A simulated failure is final for its attempt alone: the same request sent again is the next attempt, until one succeeds.
// S3. Nothing is written after the response was closed, by whichever side.
// S4. What a request comes to is kept with its order, and only where no later attempt could come to something else.
// S5. Pieces leave by the clock, counted from the request: what one leaves late, the next does not wait for again.

/** Answers requests of every wire, with the faults that they ask for. */
export function answering(floor: Floor): (exchange: Answering) => Promise<void> {
  const { wait } = floor;
  const receive = reception(floor);
  const attempts = counter();
  const kept = new WeakMap<Order, Kept>();

  return async ({ wire, order, asked, response, signal }) => {
    const startedMs = performance.now();
    const refuse = refuser(response, (status, message) => wire.error(status, message, order.model));
    const received = await receive({ model: order.model, asked, response, refuse, signal });
    if (received === null) return;
    const { model, prepared, faults } = received;

    let found = kept.get(order);
    if (!found) {
      const request = requestOf(order, model);
      const name = shortHash(canonical(request));
      const thought = think({ ...prepared, request, attempt: attempts.next(name) });
      if (thought.ok) attempts.forget(name);
      else if (thought.trouble.code !== "network") return refuseTrouble(thought.trouble, refuse, wire);
      found = {
        thought,
        script: scriptOf({ wire, order, thought, name, latencyMs: prepared.simulated.latency }),
      };
      const { fail, malformed } = prepared.simulated;
      if (fail === 0 && malformed === 0) kept.set(order, found); // S4
    }
    const out = writer(response, faults.cut);
    const { latency } = prepared.simulated;
    const fromMs = startedMs + (faults.delay ?? 0);
    await deliver({ ...found, stream: order.stream, out, signal, wait, fromMs, latencyMs: latency });
  };
}

function requestOf({ messages, maxOutputTokens, temperature, reply }: Order, model: ModelRef): ModelRequest {
  return {
    model,
    messages: [...messages],
    maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(reply === undefined ? {} : { reply }),
  };
}

function refuseTrouble(
  trouble: Exclude<Extract<Thought, { ok: false }>["trouble"], { code: "network" }>,
  refuse: Refuse,
  wire: ServerWire,
): void {
  if (trouble.code === "overloaded") return refuse(wire.overloaded, wordsOf(trouble));
  refuse(429, wordsOf(trouble), {
    "retry-after": String(Math.ceil(trouble.waitMs / 1_000)),
    "retry-after-ms": String(trouble.waitMs),
  });
}

/** What goes out for a thought: a whole body, or a stream's opening, its pieces and its closing. */
type Script = {
  readonly streamType: string;
  readonly whole: Buffer;
  readonly opening: Buffer;
  readonly pieces: readonly Buffer[];
  readonly closing: Buffer;
};

type Kept = { readonly thought: Thought; readonly script: Script };

type Scripting = {
  readonly wire: ServerWire;
  readonly order: Order;
  readonly thought: Thought;
  readonly name: string;
  readonly latencyMs: number;
};

function scriptOf({ wire, order, thought, name, latencyMs }: Scripting): Script {
  const { text, tokensIn } = thought;
  const reply: Outgoing = {
    id: `sim-${name}`,
    model: order.model,
    text,
    finish: thought.ok ? thought.finish : "stop",
    tokensIn,
    tokensOut: thought.ok ? thought.tokensOut : 0,
  };
  return {
    streamType: wire.streamType,
    whole: Buffer.from(wire.whole(reply)),
    opening: Buffer.from(wire.opening(reply)),
    pieces: piecesOf(text, latencyMs).map((piece) => Buffer.from(wire.piece(reply, piece))),
    closing: Buffer.from(wire.closing(reply, order)),
  };
}

type Delivery = Kept & {
  readonly stream: boolean;
  readonly out: Writer;
  readonly signal: AbortSignal;
  readonly wait: Wait;
  /** When the reply begins, by `performance.now`. */
  readonly fromMs: number;
  readonly latencyMs: number;
};

async function deliver({
  thought,
  script,
  stream,
  out,
  signal,
  wait,
  fromMs,
  latencyMs,
}: Delivery): Promise<void> {
  const until = (shareOfLatency: number): Promise<unknown> =>
    wait(Math.max(0, Math.ceil(fromMs + latencyMs * shareOfLatency - performance.now())), signal);
  try {
    if (stream) {
      out.head(script.streamType);
      if (!out.write(script.opening)) return;
      for (const [index, piece] of script.pieces.entries()) {
        if (latencyMs > 0) await until((index + 1) / script.pieces.length); // S5
        if (!out.write(piece)) return;
      }
      if (!thought.ok) return out.breakOff();
      if (!out.write(script.closing)) return;
    } else {
      if (latencyMs > 0) await until(1);
      if (!thought.ok) return out.breakOff();
      out.head("application/json");
      if (!out.write(script.whole)) return;
    }
    out.end();
  } catch (error) {
    if (!signal.aborted) throw error;
    out.breakOff();
  }
}
