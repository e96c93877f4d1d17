import type { Frame, Frames } from "../kernel/index.ts";

/** Frames within one process: whoever listens gets them as they come, and those who come late have missed them. */
export interface LocalFrames extends Frames {
  listen(listener: (frame: Frame) => void): () => void;
}

export function localFrames(): LocalFrames {
  const listeners = new Set<(frame: Frame) => void>();
  return {
    emit(frame) {
      for (const listener of listeners) listener(frame);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
