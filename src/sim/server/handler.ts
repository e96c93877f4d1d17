import type { ServerResponse } from "node:http";
import { canonical, type ModelRef, type ModelRequest } from "../../kernel/index.ts";
import { shortHash } from "../chance.ts";
import { embeddingFails } from "../embeddings.ts";
import type { SimReply } from "../reply.ts";
import { splitIntoPieces, outageMessage } from "../sim.ts";
import { textVector } from "../text-vector.ts";
import type { ChatOrder, EmbeddingOrder, EmbeddingServerWire, OutgoingReply, ServerWire } from "./wires.ts";
import {
  createCounter,
  createFaultInjection,
  type ServerExchange,
  type ServerContext,
} from "./fault-injection.ts";

// A simulated failure ends its attempt alone: the same request sent again is the next attempt, until one succeeds.
// A reply is cached with its order, and only where no later attempt could get another one.
// Pieces are sent by the clock, counted from the request: a late piece does not delay the next one.

type ChatExchange = ServerExchange & { readonly wire: ServerWire; readonly order: ChatOrder };

/** Answers chat requests of every wire, with the faults that they ask for. */
export function createChatHandler(context: ServerContext) {
  const admit = createFaultInjection(context);
  const attempts = createCounter();
  const scripts = new WeakMap<ChatOrder, ResponseScript>();

  return async (exchange: ChatExchange): Promise<void> => {
    const { wire, order, response, refuse, signal } = exchange;
    const startedMs = performance.now();
    const admitted = await admit(order.model, exchange);
    if (admitted === null) return;
    const { model, prepared, faults } = admitted;
    const { latency, fail, malformed } = prepared.parameters;

    let script = scripts.get(order);
    if (!script) {
      const request = createRequest(order, model);
      const name = shortHash(canonical(request));
      const replied = await context.sim.reply({ ...prepared, request, attempt: attempts.next(name) });
      if (replied.ok) attempts.forget(name);
      else if (replied.outage.code === "overloaded")
        return refuse(wire.overloaded, outageMessage(replied.outage));
      else if (replied.outage.code === "rate-limited") {
        const { waitMs } = replied.outage;
        const seconds = String(Math.ceil(waitMs / 1_000));
        const headers = { "retry-after": seconds, "retry-after-ms": String(waitMs) };
        return refuse(429, outageMessage(replied.outage), headers);
      }
      script = writeScript(exchange, replied, { name, latencyMs: latency });
      if (fail === 0 && malformed === 0) scripts.set(order, script);
    }
    const fromMs = startedMs + (faults.delay ?? 0);
    const waitUntil = async (share: number): Promise<void> => {
      const leftMs = Math.ceil(fromMs + latency * share - performance.now());
      if (latency > 0 && share > 0) await context.wait(Math.max(0, leftMs), signal);
    };
    const out = createWriter(response, { type: script.type, cut: faults.cut });
    try {
      for (const { bytes, share } of script.parts) {
        await waitUntil(share);
        if (!out.write(bytes)) return;
      }
      if (script.parts.length === 0) await waitUntil(1);
      if (script.isComplete) out.end();
      else out.breakOff();
    } catch (error) {
      if (!signal.aborted) throw error;
      out.breakOff();
    }
  };
}

function createRequest(order: ChatOrder, model: ModelRef): ModelRequest {
  const { messages, maxOutputTokens, temperature, reply } = order;
  return {
    model,
    messages: [...messages],
    maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(reply === undefined ? {} : { reply }),
  };
}

/** What is sent for a reply. Each part leaves when its share of the latency has passed. */
type ResponseScript = {
  readonly type: string;
  readonly parts: readonly { readonly bytes: Buffer; readonly share: number }[];
  /** False: the connection breaks off after the parts. */
  readonly isComplete: boolean;
};

function writeScript(
  { wire, order }: ChatExchange,
  replied: SimReply,
  { name, latencyMs }: { readonly name: string; readonly latencyMs: number },
): ResponseScript {
  const { ok: isComplete, text } = replied;
  const of = { id: `sim-${name}`, model: order.model };
  const outgoing: OutgoingReply = { finish: "stop", tokensOut: 0, ...replied, ...of };
  const part = (written: string, share: number) => ({ bytes: Buffer.from(written), share });
  if (!order.stream)
    return { type: "application/json", isComplete, parts: isComplete ? [part(wire.whole(outgoing), 1)] : [] };
  const pieces = splitIntoPieces(text, latencyMs);
  const parts = [
    part(wire.opening(outgoing), 0),
    ...pieces.map((piece, index) => part(wire.piece(outgoing, piece), (index + 1) / pieces.length)),
    ...(isComplete ? [part(wire.closing(outgoing, order), 0)] : []),
  ];
  return { type: wire.streamType, isComplete, parts };
}

/** Answers requests for vectors of both wires, with the faults that they ask for and the model's own. */
export function createEmbeddingHandler(context: ServerContext) {
  const admit = createFaultInjection(context);
  const attempts = createCounter();

  return async (
    exchange: ServerExchange & { readonly wire: EmbeddingServerWire; readonly order: EmbeddingOrder },
  ): Promise<void> => {
    const { wire, order, response, refuse, signal } = exchange;
    const { model, texts } = order;
    const admitted = await admit(model, exchange);
    if (admitted === null) return;
    const { parameters } = admitted.prepared;
    const name = shortHash(JSON.stringify(order));
    if (embeddingFails(parameters, texts, attempts.next(name)))
      return refuse(503, outageMessage({ code: "overloaded" }));
    attempts.forget(name);
    if (parameters.latency > 0) await context.wait(parameters.latency, signal).catch(() => undefined);
    if (signal.aborted) return void response.destroy();
    const out = createWriter(response, { type: "application/json", cut: admitted.faults.cut });
    const tokensIn = texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
    if (out.write(Buffer.from(wire.whole({ model, vectors: texts.map(textVector), tokensIn })))) out.end();
  };
}

/** Writes a body with its head, of which at most `cut` bytes are sent before the connection is closed. */
function createWriter(
  response: ServerResponse,
  { type, cut: room = Number.POSITIVE_INFINITY }: { readonly type: string; readonly cut: number | undefined },
) {
  let left = room;
  // What was written has to leave before the socket closes, or a cut would come earlier than asked for.
  const breakOff = (): void =>
    void (response.headersSent ? response.write("", () => response.destroy()) : response.destroy());
  return {
    breakOff,
    end: () => void (response.destroyed || response.end()),
    /** False once the connection was cut. */
    write: (bytes: Buffer): boolean => {
      if (response.destroyed) return false;
      if (!response.headersSent)
        response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).flushHeaders();
      const fitting = bytes.subarray(0, left);
      left -= fitting.length;
      if (fitting.length > 0) response.write(fitting);
      if (fitting.length === bytes.length) return true;
      breakOff();
      return false;
    },
  };
}
