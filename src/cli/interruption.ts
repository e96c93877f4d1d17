import { EXIT } from "./exits.ts";

/** A terminal and npm may both deliver one Ctrl-C: within this time two are one. */
const SAME_MS = 1_000;

/**
 * A signal that aborts at the first Ctrl-C (or SIGTERM); another one, later, ends the process at once. What is
 * recorded stays recorded either way.
 */
export function interruption(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  let since = 0;
  const stop = () => {
    if (!controller.signal.aborted) {
      since = performance.now();
      controller.abort();
    } else if (performance.now() - since > SAME_MS) process.exit(EXIT.interrupted);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  return {
    signal: controller.signal,
    release: () => void process.off("SIGINT", stop).off("SIGTERM", stop),
  };
}
