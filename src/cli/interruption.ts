import { EXIT } from "./exits.ts";

/**
 * A signal that aborts at the first Ctrl-C (or SIGTERM); the second one ends the process at once. What is
 * recorded stays recorded either way.
 */
export function interruption(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  return {
    signal: controller.signal,
    release: () => void process.off("SIGINT", stop).off("SIGTERM", stop),
  };
}
