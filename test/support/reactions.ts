import {
  defineReactor,
  type AnyReactor,
  type NewDeliberation,
  type Reaction,
} from "../../src/engine/index.ts";
import type { Event } from "../../src/kernel/index.ts";
import { toyAsked } from "../../src/testing/kit.ts";
import { stage, type StageOptions } from "../../src/testing/stage.ts";
import { LOCAL } from "../../src/testing/store-samples.ts";
import { council } from "./toys/council.ts";

export const script = {
  ada: () => "a",
  bob: () => "b",
  cyd: () => "c",
  chair: () => "d",
  judge: () => "fine",
};
export const alone = new AbortController().signal;

export function staged(options: Partial<StageOptions> = {}) {
  const on = stage({ protocols: [council], script, ...options });
  const stops: AbortController[] = [];
  const open = async (request: string, changes: Partial<NewDeliberation> = {}) =>
    (await on.engine.open(request, toyAsked("toy-council", changes))).opened.deliberation;
  const note = async (id: Awaited<ReturnType<typeof open>>, topic: string) => {
    const data = { topic, reason: "test", body: null };
    await on.store.for(LOCAL).append(id, [{ type: "note-taken", data }], { by: "client", request: topic });
  };
  return {
    ...on,
    open,
    note,
    /** A worker beside the test, until `stop`. */
    worker(name: string, { backfill = false, engine = on.engine } = {}) {
      const stop = new AbortController();
      stops.push(stop);
      const ended = engine.react({ worker: name, signal: stop.signal, backfill });
      ended.catch(() => undefined);
      return { stop: () => (stop.abort(), on.clock.settle(ended)), ended };
    },
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop.abort();
      await on.clock.advance(0);
    },
  };
}

/** A reactor to notes that tells what it was given. */
export function listener(
  name: string,
  react: (event: Event<"note-taken">, reaction: Reaction) => ReturnType<AnyReactor["react"]>,
): AnyReactor {
  return defineReactor({ name, on: ["note-taken"], emits: ["grade-given"], react });
}
