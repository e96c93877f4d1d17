import { oneLine } from "../reports/printable.ts";
import { styleOf } from "../reports/style.ts";
import type { Output } from "./output.ts";

const EVERY_MS = 200;
/** Nobody reads what is gone at once. */
const AFTER_MS = 400;
const ERASE_LINE = "\r\u001b[K";

/** Says on a terminal who is waited for, and how long, until it is stopped; elsewhere, or without anybody to name, nothing. */
export function createWaitingLine(output: Output, whom: string | undefined): { stop(): void } {
  const { terminal, color, columns } = output.stderr;
  if (!terminal || whom === undefined) return { stop: () => undefined };
  const style = styleOf(color);
  const since = performance.now();
  let drawn = false;
  const timer = setInterval(() => {
    const ms = performance.now() - since;
    if (ms < AFTER_MS) return;
    const words = oneLine(`waiting for ${whom}  ${Math.floor(ms / 1_000)} s`, Math.max(10, columns - 1));
    process.stderr.write(ERASE_LINE + style.dim(words));
    drawn = true;
  }, EVERY_MS).unref();
  return {
    stop() {
      clearInterval(timer);
      if (drawn) process.stderr.write(ERASE_LINE);
      drawn = false;
    },
  };
}
