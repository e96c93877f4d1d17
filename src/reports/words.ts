import type { Result } from "../views/result.ts";
import type { Spent } from "../views/spending.ts";

/** 1234567 as 1,234,567. */
export const numberWords = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",");

export const countWords = (count: number, noun: string): string =>
  `${numberWords(count)} ${noun}${count === 1 ? "" : "s"}`;

/** `350 ms`, `4.2 s`, `3 min 12 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationWords(ms: number): string {
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
export const usdWords = (usd: number): string =>
  usd === 0 ? "$0" : usd < 0.0001 ? "under $0.0001" : `$${usd.toFixed(usd >= 1 ? 2 : 4)}`;

/** What was paid and how that is known; `unpriced` names the models whose price is unknown, where the caller knows them. */
export function costWords(
  { usd, source }: Spent["cost"] | Result["cost"],
  unpriced: readonly string[] = [],
): string {
  if (source === "none") return "nothing was called";
  if (usd === null) {
    return unpriced.length > 0
      ? `cost unknown: no price for ${unpriced.join(", ")}`
      : "cost unknown: at least one call did not report it";
  }
  if (source === "free") return "free";
  return `${usdWords(usd)}, ${SOURCES[source] ?? source}`;
}

const SOURCES: { readonly [source: string]: string | undefined } = {
  table: "price table",
  provider: "as the provider charged",
  mixed: "from several sources",
};

export function tokenWords({ in: tokensIn, out, cached }: Result["tokens"]): string {
  const figure = (count: number | null) => (count === null ? "unknown" : numberWords(count));
  const saved = cached === null || cached === 0 ? "" : `, ${numberWords(cached)} of them cached`;
  return `tokens ${figure(tokensIn)} in${saved}, ${figure(out)} out`;
}

/** With so few answers to rank, rankings drawn by lot agree a good deal. */
const FEW = 4;

/** Agreement is agreement among rankings, never a probability. */
export function agreementWords({
  agreement,
  effectiveVotes,
  standing,
}: Pick<Result, "agreement" | "effectiveVotes" | "standing">): string {
  const lot = standing.length <= FEW ? "; with so few answers, chance gives much of it" : "";
  const parts = [
    agreement === null ? "" : `${agreement.toFixed(2)} (Kendall's W${lot})`,
    effectiveVotes === null ? "" : `${effectiveVotes.toFixed(1)} effective votes`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : "not known: fewer than two rankings";
}

type Control = NonNullable<Result["control"]>;

/** A draft longer than this is named by its author, not repeated. */
const SHORT_CHARACTERS = 120;

/** The control beside the answer, and whether deliberating changed it. */
export function controlWords(control: Control | null, members: Result["members"]): string {
  if (!control) return "none was recorded";
  const author = members.find(({ id }) => id === control.by)?.name ?? control.by ?? "somebody";
  const long = (control.answer?.length ?? 0) > SHORT_CHARACTERS;
  const said = long ? `${author}'s` : control.answer;
  const kind = control.kind === "draft-majority" ? "Drafts' majority" : "Best draft";
  return `${kind}${said === null ? "" : `: ${said}`} (${sameWords(control)})`;
}

function sameWords({ agrees, overlap }: Control): string {
  // To a whole percent: more would be false precision.
  const percent = overlap === null ? null : Math.round(overlap * 100);
  if (agrees !== null)
    return agrees ? "agrees: deliberating did not change it" : "differs: deliberating changed it";
  if (percent === 100) return "the answer is that draft: deliberating did not change it";
  if (percent === null) return "cannot be compared with the answer";
  return `${percent} % of the answer stands in it: deliberating changed the rest`;
}

export const familyWords = (family: string | null): string => family ?? "family unknown";

export const scoreWords = (score: number | null): string => (score === null ? "unranked" : score.toFixed(2));
