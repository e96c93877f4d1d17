import type { Region } from "./terminal-region.ts";

/** The events of a process that a terminal has to be given back on, or taken again. */
export type Lifecycle = {
  on(event: "exit" | "SIGTSTP" | "SIGCONT", listener: () => void): unknown;
  off(event: "exit" | "SIGTSTP" | "SIGCONT", listener: () => void): unknown;
  /** Stops the process as the terminal's Ctrl-Z would have. */
  suspend(): void;
};

export const processLifecycle: Lifecycle = {
  on: (event, listener) => process.on(event, listener),
  off: (event, listener) => process.off(event, listener),
  suspend: () => process.kill(process.pid, "SIGSTOP"),
};

/**
 * Gives the terminal back whenever the process leaves it: on every exit (a crash, a second Ctrl-C, a plain
 * `process.exit`) and on Ctrl-Z, after which the region is drawn anew. The returned function ends that.
 */
export function guardTerminal(region: Region, lifecycle: Lifecycle): () => void {
  const exit = () => region.release();
  const suspend = () => {
    region.release();
    lifecycle.suspend();
  };
  const resume = () => region.forget();
  lifecycle.on("exit", exit);
  lifecycle.on("SIGTSTP", suspend);
  lifecycle.on("SIGCONT", resume);
  return () => {
    lifecycle.off("exit", exit);
    lifecycle.off("SIGTSTP", suspend);
    lifecycle.off("SIGCONT", resume);
  };
}
