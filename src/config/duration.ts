import * as z from "zod";

const UNITS = new Map(Object.entries({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }));
/** What a timer can hold; a little under 25 days. */
const MAX_MS = 2 ** 31 - 1;

/** Whole milliseconds; not a number where no duration is written. */
function toMilliseconds(written: string | number): number {
  const [, number = "", unit = "s"] = /^(\d+(?:\.\d+)?) ?([a-z]+)?$/.exec(String(written).trim()) ?? [];
  const factor = UNITS.get(unit.replace(/^(s|m|h|d)(ec(ond)?|in(ute)?|r|our|ay)s?$/, "$1")) ?? Number.NaN;
  return Math.round(Number(number || Number.NaN) * factor);
}

/** A duration as people write it (`90`, `90s`, `1.5m`, `2h`, `500ms`; a bare number is seconds) in whole milliseconds. */
export const Duration = z
  .union([z.number(), z.string()])
  .transform((written, context) => {
    const milliseconds = toMilliseconds(written);
    if (milliseconds >= 1 && milliseconds <= MAX_MS) return milliseconds;
    context.addIssue({ code: "custom" });
    return z.NEVER;
  })
  .meta({ expects: "a duration such as 90 (seconds), 90s, 5m or 1h" });

/** Milliseconds as `Duration` reads them, in the largest unit that holds them whole. */
export function writeDuration(milliseconds: number): string {
  const [unit, factor] = [...UNITS].findLast(([, one]) => milliseconds % one === 0) ?? ["ms", 1];
  return `${milliseconds / factor}${unit}`;
}

/** A moment as people write it, in milliseconds since 1970: a day or a time in UTC (`2026-01-31`, `2026-01-31T10:00Z`), or how long ago (`12h`, `90d`). */
export const Since = z
  .string()
  .transform((written, context) => {
    const ago = toMilliseconds(written);
    const at = /^\d{4}-\d{2}-\d{2}(?:T\S+)?$/.test(written.trim()) ? Date.parse(written) : Number.NaN;
    if (ago > 0) return Math.max(0, Date.now() - ago);
    if (!Number.isNaN(at)) return at;
    context.addIssue({ code: "custom" });
    return z.NEVER;
  })
  .meta({ expects: "a day such as 2026-01-31, a time in UTC, or a duration such as 12h", example: "30d" });

/** A moment to come as people write it, in milliseconds since 1970: a day or a time in UTC, or in how long (`12h`, `90d`). */
export const Until = z
  .string()
  .transform((written, context) => {
    const text = written.trim();
    const at = /^\d{4}-\d{2}-\d{2}(?:T\S+)?$/.test(text) ? Date.parse(text) : Date.now() + inDays(text);
    if (at > Date.now()) return at;
    context.addIssue({ code: "custom" });
    return z.NEVER;
  })
  .meta({ expects: "a day to come such as 2027-01-31, or a duration such as 12h or 90d", example: "90d" });

/** A duration of any length, in milliseconds. */
const inDays = (text: string): number => {
  const days = /^(\d{1,5}) ?d(ays?)?$/.exec(text)?.[1];
  return days === undefined ? toMilliseconds(text) : Number(days) * 86_400_000;
};
