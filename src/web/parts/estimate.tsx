import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { RunEstimate } from "../../contract/figures.ts";
import { formatMoney } from "../formats.ts";
import { fetchJson } from "../http.ts";
import { t } from "../strings.ts";

const ESTIMATE_AFTER_MS = 500;

/** What a request would take, asked for once nothing is typed any more; undefined meanwhile. `body` is JSON. */
export function useEstimate<Reply extends RunEstimate>(
  path: string,
  body: string | undefined,
): Signal<Reply | Error | undefined> {
  const said = useSignal<Reply | Error | undefined>(undefined);
  useEffect(() => {
    said.value = undefined;
    if (body === undefined) return;
    const end = new AbortController();
    const timer = setTimeout(() => {
      fetchJson<Reply>(path, { method: "POST", body: JSON.parse(body), signal: end.signal }).then(
        (estimate) => (said.value = estimate),
        (error: unknown) => (end.signal.aborted ? undefined : (said.value = error as Error)), // fetchJson throws errors
      );
    }, ESTIMATE_AFTER_MS);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [path, body]);
  return said;
}

/** What something usually takes, and at most, set against its limit where there is one. */
export function EstimateWords({
  estimate: { total, unpriced, undeclared, caps },
}: {
  readonly estimate: RunEstimate;
}): VNode {
  const limit = caps.usd;
  const taken = (calls: number, tokens: string, usd: number | undefined) =>
    [t.calls(calls), tokens, usd === undefined ? "" : formatMoney(usd)].filter(Boolean).join(", ");
  return (
    <>
      <p class="quiet">
        {total
          ? t.ask.estimate({
              usual: taken(Math.round(total.calls.expected), "", total.usd?.expected),
              most: taken(total.calls.high, t.tokens(total.tokens.high), total.usd?.high),
            })
          : t.ask.estimateUnknown(undeclared.join(", "))}
        {unpriced.length > 0 && ` ${t.ask.unpriced(unpriced.join(", "))}`}
      </p>
      {limit !== undefined && total?.usd && (
        <>
          {total.usd.high > 0 && (
            <Against limit={limit} expected={total.usd.expected} most={total.usd.high} />
          )}
          <p class={total.usd.high > limit ? "over" : "quiet"}>
            {total.usd.expected > limit
              ? t.ask.overLimit(formatMoney(limit))
              : total.usd.high > limit
                ? t.ask.mayPassLimit(formatMoney(limit))
                : t.ask.withinLimit(formatMoney(limit))}
          </p>
        </>
      )}
    </>
  );
}

type AgainstProps = { readonly limit: number; readonly expected: number; readonly most: number };

/** The usual and the highest cost as bars, and the limit as a line through them. The words beside it say the same. */
function Against({ limit, expected, most }: AgainstProps): VNode {
  const width = 200;
  const widest = Math.max(limit, most, Number.MIN_VALUE) * 1.05;
  const x = (usd: number) => (usd / widest) * width;
  return (
    <svg class="against" viewBox={`0 0 ${width} 8`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="most" y={1} height={6} width={x(most)} />
      <rect class="expected" y={1} height={6} width={x(expected)} />
      <line x1={x(limit)} x2={x(limit)} y1={0} y2={8} />
    </svg>
  );
}
