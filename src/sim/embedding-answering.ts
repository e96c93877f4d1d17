import type { ServerResponse } from "node:http";
import { shortHash } from "./chance.ts";
import { counter } from "./counter.ts";
import { embeddingFails } from "./embeddings.ts";
import { reception, refuser, type Floor } from "./reception.ts";
import { wordsOf } from "./sim.ts";
import { textVector } from "./text-vector.ts";
import type { EmbeddingOrder, EmbeddingServerWire } from "./wires/embeddings.ts";
import { writer } from "./writer.ts";

export type EmbeddingAnswering = {
  readonly wire: EmbeddingServerWire;
  readonly order: EmbeddingOrder;
  /** The faults that the request asks for beside those in its model. */
  readonly asked: string;
  readonly response: ServerResponse;
  /** Aborts when the connection is closed, by whichever side. */
  readonly signal: AbortSignal;
};

/** Answers requests for vectors of both wires, with the faults that they ask for and the model's own. */
export function embeddingAnswering(floor: Floor): (exchange: EmbeddingAnswering) => Promise<void> {
  const receive = reception(floor);
  const attempts = counter();

  return async ({ wire, order, asked, response, signal }) => {
    const { model: written, texts } = order;
    const refuse = refuser(response, wire.error);
    const received = await receive({ model: written, asked, response, refuse, signal });
    if (received === null) return;
    const { simulated } = received.prepared;
    const name = shortHash(JSON.stringify(order));
    if (embeddingFails(simulated, texts, attempts.next(name)))
      return refuse(503, wordsOf({ code: "overloaded" }));
    attempts.forget(name);
    if (simulated.latency > 0) await floor.wait(simulated.latency, signal).catch(() => undefined);
    if (signal.aborted) return void response.destroy();
    const out = writer(response, received.faults.cut);
    const reply = {
      model: written,
      vectors: texts.map(textVector),
      tokensIn: texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0),
    };
    out.head("application/json");
    if (out.write(Buffer.from(wire.whole(reply)))) out.end();
  };
}
