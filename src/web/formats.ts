import { dateFormat, numberFormat, relativeFormat } from "./language.ts";
import { t } from "./strings.ts";
import type { Result } from "../views/result.ts";

/** In the reader's language; null is told as unknown. */
export const formatCount = (count: number | null): string =>
  count === null ? t.unknown : numberFormat({}).format(count);

export const formatRatio = (value: number | null, digits = 2): string =>
  value === null
    ? t.unknown
    : numberFormat({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);

/** As many digits as it was set with: two settings do not look alike. */
export const formatSetting = (value: number): string =>
  numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 6 }).format(value);

export const formatPercent = (share: number | null, digits = 0): string =>
  share === null
    ? t.unknown
    : numberFormat({
        ...{ style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits },
      }).format(share);

/** US dollars, with as many digits as a small sum needs. */
export const formatMoney = (usd: number | null): string =>
  usd === null
    ? t.unknown
    : numberFormat({
        ...{ style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" },
        maximumFractionDigits: usd === 0 || usd >= 1 ? 2 : 4,
      }).format(usd);

function formatCost(calls: number, { source, usd }: Result["cost"]): string {
  if (source === "free") return t.free;
  if (source === "subscription") return t.bySubscription(calls);
  return usd === null ? t.costUnknown : formatMoney(usd);
}

/** What a run's calls came to, and how many it is not known of. */
export const formatBill = ({ calls, unknown, cost }: Pick<Result, "calls" | "unknown" | "cost">): string =>
  [...(calls > 0 ? [formatCost(calls, cost)] : []), ...(unknown > 0 ? [t.callsUnknown(unknown)] : [])].join(
    " + ",
  );

export function formatTime(ms: number): string {
  const unit = (value: number, name: "second" | "minute" | "hour" | "millisecond", digits = 0) =>
    numberFormat({ style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: digits }).format(
      value,
    );
  if (ms < 1_000) return unit(ms, "millisecond");
  if (ms < 60_000) return unit(ms / 1_000, "second", 1);
  if (ms < 3_600_000)
    return `${unit(Math.floor(ms / 60_000), "minute")} ${unit(Math.round((ms % 60_000) / 1_000), "second")}`;
  return `${unit(Math.floor(ms / 3_600_000), "hour")} ${unit(Math.round((ms % 3_600_000) / 60_000), "minute")}`;
}

/** A moment, in the reader's time zone. */
export const formatMoment = (at: string): string =>
  dateFormat({ dateStyle: "medium", timeStyle: "short" }).format(new Date(at));

export const formatClock = (at: string): string => dateFormat({ timeStyle: "medium" }).format(new Date(at));

const STEPS = [
  ["minute", 60],
  ["hour", 60],
  ["day", 24],
] as const;

/** How long ago, roughly. A clock that runs behind the server's gives no future. */
export function formatAgo(at: string, now = Date.now()): string {
  const relative = relativeFormat({ numeric: "auto" });
  let value = Math.max(0, now - Date.parse(at)) / 1_000;
  let unit: "second" | "minute" | "hour" | "day" = "second";
  for (const [next, size] of STEPS) {
    if (value < size) break;
    value /= size;
    unit = next;
  }
  if (unit === "day" && value > 30) return formatMoment(at);
  return unit === "second" ? relative.format(0, "second") : relative.format(-Math.floor(value), unit);
}
