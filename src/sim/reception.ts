import type { ServerResponse } from "node:http";
import { ModelRef } from "../kernel/index.ts";
import { counter } from "./counter.ts";
import { readFaults, splitModel, type Faults } from "./faults.ts";
import type { Prepared, Sim, Wait } from "./sim.ts";

/** Answers with a status and a message in the wire's own form. */
export type Refuse = (status: number, message: string, headers?: { [name: string]: string }) => void;

export const refuser =
  (response: ServerResponse, error: (status: number, message: string) => string): Refuse =>
  (status, message, headers = {}) => {
    const body = error(status, message);
    response
      .writeHead(status, {
        "content-type": "application/json",
        ...headers,
        "content-length": Buffer.byteLength(body),
      })
      .end(body);
  };

/** One request, whatever it asks for. */
export type Visit = {
  /** The model as the request names it, its faults among its parameters. */
  readonly model: string;
  /** The faults that the request asks for beside those in its model. */
  readonly asked: string;
  readonly response: ServerResponse;
  readonly refuse: Refuse;
  /** Aborts when the connection is closed, by whichever side. */
  readonly signal: AbortSignal;
};

/** A request that is to be answered, once it has waited as long as it wanted to; `faults` has those left to be met. */
export type Received = {
  readonly model: ModelRef;
  readonly prepared: Extract<Prepared, { ok: true }>;
  readonly faults: Faults;
};

export type Floor = { readonly sim: Sim; readonly wait: Wait; readonly faults: Faults };

// S1. A fault with `times` is met by the first so many requests for the same model, as it is written, and by no later one.

/** Lets requests meet the faults that they ask for; null where that was the answer, or the client has gone. */
export function reception({ sim, wait, faults: usual }: Floor): (visit: Visit) => Promise<Received | null> {
  const met = counter();

  return async ({ model: written, asked, response, refuse, signal }) => {
    const refused = (status: number, message: string): null => {
      refuse(status, message);
      return null;
    };
    const { ref, faults: inModel } = splitModel(written);
    const given = readFaults([asked, inModel].filter(Boolean).join("&"));
    if (!given.ok) return refused(400, `simulated: ${given.reason}`);
    const model = ModelRef.safeParse(ref);
    if (!model.success)
      return refused(404, "simulated: the model is not written as a name and its parameters");
    const prepared = sim.prepare(model.data);
    if (!prepared.ok) return refused(404, `simulated: ${prepared.reason}`);

    const wanted = { ...usual, ...given.faults };
    const faults = wanted.times !== undefined && met.next(written) > wanted.times ? {} : wanted;
    if (faults.delay !== undefined) await wait(faults.delay, signal).catch(() => undefined);
    if (faults.hang === true)
      await new Promise<void>((settle) => signal.addEventListener("abort", () => settle()));
    if (signal.aborted) {
      response.destroy();
      return null;
    }
    const { http, retryAfter } = faults;
    if (http !== undefined) {
      refuse(
        http,
        `simulated: HTTP ${http} on request`,
        retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
      );
      return null;
    }
    return { model: model.data, prepared, faults };
  };
}
