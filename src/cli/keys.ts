import { listenLifecycle, processLifecycle, type Lifecycle } from "./terminal.ts";

/** The part of a terminal's stdin that keys are read from. */
export type KeyInput = {
  readonly isTTY?: boolean | undefined;
  setRawMode?(raw: boolean): unknown;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  off(event: "data", listener: (chunk: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
};

type KeyLifecycle = Pick<Lifecycle, "on" | "off"> & {
  /** As the terminal's Ctrl-Z would have, had it not been read as a key. */
  stop(): void;
};

const processKeys: KeyLifecycle = { ...processLifecycle, stop: () => process.kill(process.pid, "SIGTSTP") };

const CTRL_C = "\u0003";
const CTRL_Z = "\u001a";

/**
 * Hears keys and Ctrl-C as they are pressed, without an echo, until the returned function is called; the terminal's input is
 * then as it was, and likewise while the process is stopped, and after it. Where stdin is no terminal, nothing is read.
 */
export function listenKeys(
  { interrupt, ...pressed }: { readonly [key: string]: () => void } & { readonly interrupt: () => void },
  input: KeyInput = process.stdin,
  lifecycle: KeyLifecycle = processKeys,
): () => void {
  if (input.isTTY !== true || !input.setRawMode) return () => undefined;
  const raw = (on: boolean) => void input.setRawMode?.(on);
  const hear = (chunk: Buffer) => {
    for (const key of chunk.toString("utf8")) {
      if (Object.hasOwn(pressed, key)) pressed[key]?.();
      if (key === CTRL_C) interrupt();
      if (key === CTRL_Z) lifecycle.stop();
    }
  };
  const release = () => raw(false);
  const take = () => raw(true);
  const unlisten = listenLifecycle(lifecycle, [
    ["exit", release],
    ["SIGTSTP", release],
    ["SIGCONT", take],
  ]);
  take();
  input.on("data", hear);
  input.resume();
  return () => {
    input.off("data", hear);
    input.pause();
    release();
    unlisten();
  };
}
