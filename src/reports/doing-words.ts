import type { FailureCode } from "../kernel/index.ts";
import type { Doing } from "../views/doing.ts";

/** Below this nobody wonders how long it takes. */
const SOON_MS = 3_000;

const FAILED: { readonly [code in FailureCode]?: string } = {
  "rate-limited": "rate limited",
  "timed-out": "timed out",
  network: "no connection",
};

/** Why a call is sent again, in words: `rate limited`. */
const failedWords = (code: FailureCode): string => FAILED[code] ?? code.replaceAll("-", " ");

const seconds = (ms: number): string => `${Math.max(0, Math.round(ms / 1_000))} s`;

/** `12 s of about 40 s`, `12 of 40 s` where it `isShort`; nothing where that would only be noise. */
function elapsedWords({ sentMs, expectedMs }: Doing, { nowMs, isShort }: DoingMoment): string {
  const ms = nowMs - sentMs;
  if (expectedMs === null || expectedMs < SOON_MS) return ms < SOON_MS ? "" : seconds(ms);
  return isShort
    ? `${seconds(ms).slice(0, -2)} of ${seconds(expectedMs)}`
    : `${seconds(ms)} of about ${seconds(expectedMs)}`;
}

type DoingMoment = {
  readonly nowMs: number;
  /** What is said of a call that was asked and has said nothing. */
  readonly usual: string;
  readonly isShort?: boolean;
};

/**
 * What a call does before it writes: `thinking 18 s`, `waiting for a place 2 s`, `loading the model, 12 s`, `rate limited, again in
 * 14 s (2 of 4)`; of one that was asked and has said nothing, `usual` and how long that is.
 */
export function doingWords(doing: Doing, told: DoingMoment): string {
  const { kind, sinceMs, again, expectedMs } = doing;
  const { nowMs, usual, isShort = false } = told;
  if (again) {
    const { code, atMs, attempt, of } = again;
    const [soon, nth] = isShort ? [" ", "/"] : [", again in ", " of "]; // of 40 cells, 24 are left
    return `${failedWords(code)}${soon}${seconds(atMs - nowMs)} (${attempt}${nth}${of})`;
  }
  if (kind === "place") return `waiting for a place ${seconds(nowMs - sinceMs)}`;
  const elapsed = elapsedWords(doing, told);
  if (kind === "loading") return nowMs === sinceMs ? "loading the model" : `loading the model, ${elapsed}`;
  if (kind === "sent") return elapsed === "" ? usual : `${usual} ${elapsed}`;
  const isExpected = expectedMs !== null && expectedMs >= SOON_MS;
  return `thinking ${isExpected ? elapsed : seconds(nowMs - sinceMs)}`;
}
