import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { World, Frame, Frames } from "../kernel/index.ts";

/** The real clock and the operating system's randomness. */
export const systemWorld: World = {
  now: Date.now,
  id: () => randomBytes(15).toString("base64url").replaceAll(/[-_]/g, "x"),
  async sleep(ms, signal) {
    // An aborted sleep just ends: whoever aborted knows why. Timers take 31 bits and fire at once above.
    await delay(Math.min(ms, 2 ** 31 - 1), undefined, { signal, ref: true }).catch(() => undefined);
  },
};

/** Frames within one process: whoever listens gets them as they come, those who come late have missed them, and who throws hears no more. */
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
          listeners.delete(listener); // a view that is broken must not break the call that it looks at
        }
      }
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
