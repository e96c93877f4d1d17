import { bareReference, callOf, type Entry } from "../kernel/index.ts";
import {
  formatBill,
  formatDuration,
  formatNumber,
  formatThought,
  formatSubscription,
  formatUsd,
} from "../text/format.ts";
import type { PanelSection } from "../views/panel.ts";
import type { Result } from "../views/result.ts";

/** The models of a deliberation's own answered calls whose usage is known and whose price is not, each once. */
export const unpricedModels = (entries: readonly Entry[]): string[] => [
  ...new Set(
    entries.flatMap((entry): string[] => {
      const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
      return call?.ok && call.cost.source === "unknown" && call.tokens.out !== null
        ? [bareReference(call.model)]
        : [];
    }),
  ),
];

/** What was paid, how that is known, and what is not; `unpriced` names the models whose price is unknown, where the caller knows them. */
export function formatCost(
  { calls, unknown, cost: { usd, source } }: Pick<Result, "calls" | "unknown" | "cost">,
  unpriced: readonly string[] = [],
): string {
  if (calls + unknown === 0) return "no cost";
  if (usd === null)
    return formatBill(
      { calls, unknown, usd },
      unpriced.length > 0 ? `cost unknown (no price for ${unpriced.join(", ")})` : undefined,
    );
  const known = source === "subscription" ? formatSubscription(calls) : SUMS[usd === 0 ? source : ""];
  return formatBill({ calls, unknown, usd }, known ?? `${formatUsd(usd)} (${SOURCES[source] ?? source})`);
}

/** Where nothing is charged by the call. */
const SUMS: { readonly [source: string]: string | undefined } = {
  free: "free",
  mixed: "free or by subscription",
};

const SOURCES: { readonly [source: string]: string | undefined } = {
  table: "list price",
  provider: "charged by the provider",
  mixed: "from several sources",
};

/** `5,960 input (1,000 cached) + 1,204 output tokens, of them 980 thinking`. */
export function formatTokens({ in: input, out, cached, thinking }: Result["tokens"]): string {
  if (input === null && out === null && cached === null) return "tokens unknown";
  const figure = (count: number | null) => (count === null ? "unknown" : formatNumber(count));
  const saved = cached === null || cached === 0 ? "" : ` (${formatNumber(cached)} cached)`;
  return `${figure(input)} input${saved} + ${figure(out)} output tokens${formatThought(thinking)}`;
}

/** With so few answers to rank, rankings drawn by lot agree a good deal. */
const FEW = 4;

/** Agreement is agreement among rankings, never a probability. */
export function describeAgreement({
  agreement,
  effectiveVotes,
  standing: { length: n },
}: Pick<PanelSection, "agreement" | "effectiveVotes" | "standing">): string {
  const parts = [
    agreement === null ? "" : `W = ${agreement.toFixed(2)} (n = ${n}${n <= FEW ? ", not significant" : ""})`,
    effectiveVotes === null ? "" : `${effectiveVotes.toFixed(1)} effective votes`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : "unknown (fewer than two rankings)";
}

/** A draft longer than this is named by its author, not repeated. */
const MAX_DRAFT_LENGTH = 120;

/** What not deliberating would have answered, and whether deliberating changed it: `majority of drafts = 391 (unchanged)`. */
export function describeBaseline(control: Result["control"], participants: Result["participants"]): string {
  if (!control) return "not recorded";
  const { kind, by, answer, agrees, overlap } = control;
  const author = participants.find(({ id }) => id === by)?.name ?? by ?? "unknown";
  const isLong = answer === null || answer.length > MAX_DRAFT_LENGTH;
  const subject =
    kind === "draft-majority" && !isLong
      ? `majority of drafts = ${answer}`
      : `${author}'s draft${isLong ? "" : ` = ${answer}`}`;
  // To a whole percent: more would be false precision.
  const percent = overlap === null ? undefined : Math.round(overlap * 100);
  const isSame = agrees ?? (percent === 100 ? true : undefined);
  if (isSame !== undefined) return `${subject} (${isSame ? "unchanged" : "changed"})`;
  return `${subject} (${percent === undefined ? "not comparable with the answer" : `${percent} % overlap with the answer`})`;
}

/** `body {"seed":7}, headers {"x-lab":"a"}`; empty where there are none. */
export const formatOptions = (
  options: { readonly body?: object | null | undefined; readonly headers?: object | null | undefined } | null,
): string =>
  Object.entries(options ?? {})
    .flatMap(([name, fields]: [string, unknown]) => (fields ? [`${name} ${JSON.stringify(fields)}`] : []))
    .join(", ");

export const formatFamily = (family: string | null): string => family ?? "family unknown";

export const formatScore = (score: number | null): string => (score === null ? "unranked" : score.toFixed(2));

/** In its largest unit: `350 ms`, `4 s`, `3 min`. */
export function shortAge(ms: number): string {
  const [first = "", unit = ""] = formatDuration(Math.max(0, ms)).split(" ");
  return `${unit === "s" ? String(Math.floor(Number(first))) : first} ${unit}`;
}

/** What a question wants, in words. */
export const INTENTS = {
  fact: "a fact",
  explanation: "an explanation",
  comparison: "a comparison",
  procedure: "a procedure",
  other: "something else",
} as const;
