/** What a minute may have; undefined for any number. */
export type RateLimits = { readonly requests?: number | undefined; readonly tokens?: number | undefined };

const MINUTE_MS = 60_000;

type CountedRequest = { readonly atMs: number; tokens: number };

export type RateWindow = ReturnType<typeof createRateWindow>;

/** The requests of the last minute against what a minute may have. One that alone has more tokens than that goes alone. */
export function createRateWindow({ requests = Infinity, tokens = Infinity }: RateLimits) {
  const sent: CountedRequest[] = [];
  let sum = 0;
  const forget = (nowMs: number): void => {
    const first = sent.findIndex(({ atMs }) => atMs + MINUTE_MS > nowMs);
    for (const old of sent.splice(0, first === -1 ? sent.length : first)) sum -= old.tokens;
  };
  return {
    /** How long until a request of so many tokens may go: 0 where it may now. */
    waitMs(wanted: number, nowMs: number): number {
      forget(nowMs);
      let [count, held, freeMs] = [sent.length, sum, nowMs];
      for (const one of sent) {
        if (count < requests && held + wanted <= tokens) break;
        count -= 1;
        held -= one.tokens;
        freeMs = one.atMs + MINUTE_MS;
      }
      return freeMs - nowMs;
    },
    /** Notes a request that goes now with the tokens that it may take; the returned function puts those that it took in their place. */
    take(tokensAtMost: number, nowMs: number): (used: number) => void {
      const one: CountedRequest = { atMs: nowMs, tokens: tokensAtMost };
      sent.push(one);
      sum += tokensAtMost;
      return (used) => {
        if (sent.includes(one)) sum += used - one.tokens;
        one.tokens = used;
      };
    },
  };
}
