export type Backoff = {
  /** The longest first wait, in milliseconds; it doubles with each attempt. */
  readonly baseMs: number;
  readonly capMs: number;
};

/**
 * How long to wait before the attempt after `failed` (counting from 1): full jitter, uniform between 0 and
 * min(cap, base × 2^(failed−1)) (Brooker, "Exponential Backoff And Jitter", AWS 2015). A time that the
 * provider named is a floor, and the jitter goes on top of it, at most `baseMs`, so that callers who were
 * sent away together do not come back together.
 */
export function waitBefore(
  failed: number,
  namedMs: number | null,
  { baseMs, capMs, random }: Backoff & { readonly random: () => number },
): number {
  return namedMs === null
    ? random() * Math.min(capMs, baseMs * 2 ** (failed - 1))
    : namedMs + random() * Math.min(baseMs, namedMs / 10);
}

/** The longest wait that is believed: no call lasts for a day, and a number may have any number of digits. */
export const MAX_NAMED_WAIT_MS = 86_400_000;

/**
 * What `Retry-After` asks for in milliseconds from `nowMs`, a day at most, or null where it says nothing readable: seconds
 * or an HTTP date (RFC 9110, 10.2.3), or milliseconds in `retry-after-ms`, which is more exact and wins.
 */
export function readRetryAfter(
  headers: { readonly retryAfter: string; readonly retryAfterMs: string },
  nowMs: number,
): number | null {
  const namedMs = readNamedWait(headers, nowMs);
  return namedMs === null ? null : Math.min(MAX_NAMED_WAIT_MS, Math.max(0, namedMs));
}

function readNamedWait(
  headers: { readonly retryAfter: string; readonly retryAfterMs: string },
  nowMs: number,
): number | null {
  const exact = headers.retryAfterMs.trim();
  if (/^\d+(\.\d+)?$/.test(exact)) return Number(exact);
  const value = headers.retryAfter.trim();
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  // A date has a letter in it; Date.parse would also read "-5" as a year.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : date - nowMs;
}
