import type { Answer } from "../kernel/index.ts";
import { toOneLine } from "./words.ts";

/** 1234567 as 1,234,567. */
export const formatNumber = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",");

/** `1 call`, `1,234 calls`, `2 entries`. */
export const pluralize = (count: number, noun: string): string =>
  `${formatNumber(count)} ${count === 1 ? noun : /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;

/** `350 ms`, `4.2 s`, `3 min 12 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const [seconds, minutes, hours] = [1_000, 60_000, 3_600_000].map((unit) => Math.floor(ms / unit));
  if (minutes === undefined || minutes < 1) return "1 min";
  if (hours === undefined || hours < 1) return rest(`${minutes} min`, (seconds ?? 0) % 60, "s");
  if (hours < 24) return rest(`${hours} h`, minutes % 60, "min");
  return rest(`${Math.floor(hours / 24)} d`, hours % 24, "h");
}

const rest = (whole: string, part: number, unit: string): string =>
  part === 0 ? whole : `${whole} ${part} ${unit}`;

/** US dollars with as many digits as mean something: `$12.30`, `$0.0123`, `under $0.0001`. */
export const formatUsd = (usd: number): string =>
  usd === 0 ? "$0" : usd < 0.0001 ? "under $0.0001" : `$${usd.toFixed(usd >= 1 ? 2 : 4)}`;

/** What a subscription pays for: `subscription, 3 calls`. */
export const formatSubscription = (calls: number): string => `subscription, ${pluralize(calls, "call")}`;

/** What some calls came to: `$0.0009`, `free`, `$0.0009 + 1 call unknown`, `2 calls unknown`, `cost unknown`. */
export function formatBill(
  {
    calls = 1,
    unknown = 0,
    usd,
  }: { readonly calls?: number; readonly unknown?: number; readonly usd: number | null },
  known = usd === null ? "cost unknown" : usd === 0 ? "free" : formatUsd(usd),
): string {
  const lost = `${pluralize(unknown, "call")} unknown`;
  return unknown === 0 ? known : calls === 0 ? lost : `${known} + ${lost}`;
}

/** An answer as people read it: `42`, `5 km`, `$18`, `50%`. */
export function writeAnswer({ value, unit = "" }: Answer): string {
  if (unit === "") return value;
  const [, currency = "", rest = ""] = /^((?:US|A|C|NZ|HK)?[$€£¥₹])?\s?(.*)$/s.exec(unit) ?? [];
  const amount =
    currency === "" ? value : value.startsWith("-") ? `-${currency}${value.slice(1)}` : `${currency}${value}`;
  return /^(?:[%‰°/-]|$)/.test(rest) ? `${amount}${rest}` : `${amount} ${rest}`;
}

/** The same on one line, of at most 200 characters; the lines of a value that has several stand behind each other: `1 2 / 3 4`. */
export const writeAnswerLine = (answer: Answer): string =>
  toOneLine(writeAnswer(answer).replaceAll("\n", " / "), 200);

/** How much of what was counted was thinking: `, of them 980 thinking`; nothing where nobody thought. */
export const formatThought = (thinking: number | null): string =>
  thinking === null || thinking === 0 ? "" : `, of them ${formatNumber(thinking)} thinking`;
