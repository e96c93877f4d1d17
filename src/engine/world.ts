import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { World, Frame, Frames } from "../kernel/index.ts";

/** The real clock and the operating system's randomness. */
export const systemWorld: World = {
  now: Date.now,
  id: () => randomBytes(15).toString("base64url").replaceAll(/[-_]/g, "x"),
  async sleep(ms, signal) {
    // An aborted sleep resolves. A timer above 31 bits would fire at once.
    await delay(Math.min(ms, 2 ** 31 - 1), undefined, { signal, ref: true }).catch(() => undefined);
  },
};

/** Delivers frames within one process to the current listeners. A listener that throws is removed. */
export interface LocalFrames extends Frames {
  listen(listener: (frame: Frame) => void): () => void;
}

export function localFrames(): LocalFrames {
  const listeners = new Set<(frame: Frame) => void>();
  return {
    emit(frame) {
      for (const listener of listeners) {
        try {
          listener(frame);
        } catch {
          listeners.delete(listener); // a broken view must not break the call
        }
      }
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
