import type { Result } from "../views/result.ts";
import { formatNumber, formatUsd } from "../text/format.ts";
import type { Spent } from "../views/spending.ts";

/** What was paid and how that is known; `unpriced` names the models whose price is unknown, where the caller knows them. */
export function formatCost(
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
  return `${formatUsd(usd)}, ${SOURCES[source] ?? source}`;
}

const SOURCES: { readonly [source: string]: string | undefined } = {
  table: "price table",
  provider: "as the provider charged",
  mixed: "from several sources",
};

export function formatTokens({ in: tokensIn, out, cached }: Result["tokens"]): string {
  const figure = (count: number | null) => (count === null ? "unknown" : formatNumber(count));
  const saved = cached === null || cached === 0 ? "" : `, ${formatNumber(cached)} of them cached`;
  return `tokens ${figure(tokensIn)} in${saved}, ${figure(out)} out`;
}

/** With so few answers to rank, rankings drawn by lot agree a good deal. */
const FEW = 4;

/** Agreement is agreement among rankings, never a probability. */
export function describeAgreement({
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
export function describeBaseline(control: Control | null, members: Result["members"]): string {
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

export const formatFamily = (family: string | null): string => family ?? "family unknown";

export const formatScore = (score: number | null): string => (score === null ? "unranked" : score.toFixed(2));
