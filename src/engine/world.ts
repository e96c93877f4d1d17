import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { World } from "../kernel/index.ts";

/** The real clock and the operating system's randomness. */
export const systemWorld: World = {
  now: Date.now,
  id: () => randomBytes(15).toString("base64url").replaceAll(/[-_]/g, "x"),
  async sleep(ms, signal) {
    // An aborted sleep just ends: whoever aborted knows why. Timers take 31 bits and fire at once above.
    await delay(Math.min(ms, 2 ** 31 - 1), undefined, { signal, ref: true }).catch(() => undefined);
  },
};
