import { isEvent, type Entry, type Event, type StepKey } from "../kernel/index.ts";
import { bullets, inline, section, table } from "./markdown.ts";
import type { Names } from "./names.ts";

type Review = Event<"review-given">["data"];

/** Who ranked whom and where, and what each review says of each answer, by real names. */
export function reviewsSection(entries: readonly Entry[], names: Names): string {
  const reviews = names
    .bySeat(entries.filter((entry) => isEvent(entry, "review-given")))
    .map(({ data }) => data);
  const author = authorsOf(entries, names);
  const shown = new Set(reviews.flatMap((review) => review.shown));
  // Columns by the authors' seats, as `authorsOf` lists them.
  const steps = [...author.keys()].filter((step) => shown.has(step));
  const rows = reviews.map(({ by, ranking, shown: seen }) => [
    names.of(by),
    ...steps.map((step) =>
      ranking.ok ? rankOf(step, ranking.steps) : seen.includes(step) ? "unreadable" : "",
    ),
  ]);
  const heads = ["reviewer", ...steps.map((step) => inline(author.get(step) ?? step, 80))];
  return section(
    "## Reviews",
    rows.length > 0
      ? "Each row is one reviewer's ranking: 1 is the best; an empty field was not shown to it."
      : "",
    table(heads, rows),
    ...reviews.map((review) => reviewPart(review, names, author)),
  );
}

function reviewPart(
  { by, ranking, remarks }: Review,
  names: Names,
  author: ReadonlyMap<StepKey, string>,
): string {
  return section(
    `### Review by ${inline(names.of(by))}`,
    ranking.ok ? "" : `Its ranking could not be read: ${inline(ranking.reason)}`,
    ...remarks.flatMap(({ of, strengths, weaknesses }) => [
      `Of ${inline(author.get(of) ?? of)}:`,
      bullets([
        ...strengths.map((text) => `strength: ${text}`),
        ...weaknesses.map((text) => `weakness: ${text}`),
      ]) || "- nothing in particular",
    ]),
  );
}

const authorsOf = (entries: readonly Entry[], names: Names): ReadonlyMap<StepKey, string> =>
  new Map(
    names
      .bySeat(entries.filter((entry) => isEvent(entry, "answer-given")))
      .flatMap(({ origin, data }) => ("step" in origin ? [[origin.step, names.of(data.by)] as const] : [])),
  );

const rankOf = (step: StepKey, ranking: readonly StepKey[]): string => {
  const index = ranking.indexOf(step);
  return index < 0 ? "" : String(index + 1);
};
