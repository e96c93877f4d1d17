import { isEvent, type Entry } from "../kernel/index.ts";
import { ladder } from "../views/ladder.ts";
import type { Result } from "../views/result.ts";
import { block, bullets, inline, section, table } from "./markdown.ts";
import type { Names } from "./names.ts";
import { formatNumber } from "../text/format.ts";
import { formatCost } from "./words.ts";

/** How far it climbed, why, what each rung took, and how the members voted on the way. */
export function ladderSection(entries: readonly Entry[], { votes }: Result, names: Names): string {
  const rungs = ladder(entries).map(({ rung, reason, spent: { calls, cost } }) => [
    rung,
    reason ?? "",
    formatNumber(calls),
    formatCost(cost),
  ]);
  const held = votes.map(({ answer, first, last }) => [
    answer,
    first.map(names.of).join(", "),
    last.map(names.of).join(", "),
  ]);
  return section(
    "## Ladder",
    table(["rung", "what it came to", "calls", "cost"], rungs),
    rungs.length > 0 ? table(["answer", "held at first by", "held at last by"], held) : "",
  );
}

/** The drafts' claims against each other, by real names. */
export function comparisonSection({ comparison }: Result, names: Names): string {
  if (!comparison) return "";
  const who = (members: readonly string[]) => members.map(names.of).join(", ");
  const lines = (rows: (typeof comparison)["unique"]) =>
    bullets(rows.map(({ claim, members }) => `${who(members)}: ${claim}`));
  return section(
    "## Comparison of the drafts",
    section("### Agreements", lines(comparison.agreements)),
    ...comparison.contradictions.map(({ topic, stances }) =>
      section(`### Contradiction: ${inline(topic, 200)}`, lines(stances)),
    ),
    section("### Said by one alone", lines(comparison.unique)),
  );
}

/** What members found wrong in each other's answers, and in their own. */
export function critiquesSection(entries: readonly Entry[], names: Names): string {
  const authors = new Map(
    entries.flatMap((entry) =>
      isEvent(entry, "answer-given") && "step" in entry.origin
        ? [[entry.origin.step, entry.data.by] as const]
        : [],
    ),
  );
  const parts = names
    .bySeat(entries.filter((entry) => isEvent(entry, "critique-given")))
    .map(({ data: { by, of, text } }) =>
      section(`### ${inline(names.of(by))} of ${inline(names.of(authors.get(of) ?? of))}`, block(text)),
    );
  return section("## Critiques", ...parts);
}
