import type { Frame, Frames } from "../kernel/index.ts";

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
