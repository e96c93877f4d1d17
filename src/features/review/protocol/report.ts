import type { ReportBlock, ReportPart } from "../../../kernel/index.ts";
import { part, points, table, words } from "../../../reports/part.ts";
import { pluralize } from "../../../text/format.ts";
import type { ReviewSection } from "./view.ts";

export const isVerdict = true;

export const VERDICT_WORDS = {
  pass: "passes",
  block: "is blocked",
  inconclusive: "cannot be decided",
} as const;

export type ShownFinding = ReviewSection["findings"][number];

/** `src/a.ts:3-5` */
export const placeOf = ({ file, from, to }: Pick<ShownFinding, "file" | "from" | "to">): string =>
  from === null ? file : `${file}:${from}${to === null || to === from ? "" : `-${to}`}`;

/** Who says what of it, in a line each. */
export const saidOf = (
  { raised, checks, stands }: ShownFinding,
  nameOf: (id: string) => string,
): readonly string[] => [
  ...raised.map(({ by, severity, title }) => `${nameOf(by)} raised it (${severity}): ${title}`),
  ...checks.map(({ by, verdict, why }) => `${nameOf(by)}: ${CHECK_WORDS[verdict]}: ${why}`),
  ...stands.map(({ by, stand, why }) => `${nameOf(by)} ${STAND_WORDS[stand]}: ${why}`),
];

const CHECK_WORDS = {
  confirm: "confirmed",
  lesser: "less severe",
  reject: "rejected",
  unsure: "unsure",
} as const;
const STAND_WORDS = { keep: "keeps it", lesser: "lowers it", withdraw: "withdraws it" } as const;

/** The reviewers' names by id. */
export const namesIn = ({ reviewers }: Pick<ReviewSection, "reviewers">): ((id: string) => string) => {
  const names = new Map(reviewers.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
};

export function sectionParts(section: ReviewSection): readonly ReportPart[] {
  const { verdict, why, findings, dropped, ignored, unseen, diffOnly, reviewers } = section;
  const nameOf = namesIn(section);
  const read = reviewers.filter(({ review }) => review).length;
  const rows = findings.map((one) => {
    const weight = `${one.severity}, ${one.kind}`;
    return [one.id, one.state, weight, placeOf(one), one.title];
  });
  return [
    part(
      "Verdict",
      words(
        `The change ${verdict === null ? "is under review" : VERDICT_WORDS[verdict]}${why === null ? "" : `: ${why}`}`,
      ),
    ),
    part(
      "Findings",
      ...(rows.length === 0 ? [] : [table(["Id", "State", "Severity", "Place", "Finding"], rows)]),
    ),
    { heading: "Evidence", blocks: [], parts: findings.map((one) => findingPart(one, nameOf)), folds: true },
    part(
      "Not about the change",
      ...listOf(
        dropped.map(
          ({ by, finding, reason }) => `${nameOf(by)}, ${placeOf(finding)}: ${finding.title} (${reason})`,
        ),
      ),
    ),
    part(
      "Not reviewed",
      ...listOf([
        ...unseen.map(({ path, why: reason }) => `${path}: ${reason}`),
        ...ignored.map((path) => `${path}: ignored by the rules`),
      ]),
    ),
    part(
      "Reviewers",
      words(
        `${read} of ${pluralize(reviewers.length, "review")} could be read: ${reviewers.map(({ name, model }) => `${name} (${model})`).join(", ")}`,
      ),
      ...listOf(diffOnly.map((path) => `${path}: only its diff was shown, as the whole file does not fit`)),
    ),
    part(
      "Rules",
      words(
        `from ${section.rulesFrom}: blocks from ${section.rules.blocks} on (${section.rules.kinds.join(", ")}), ${pluralize(section.rules.confirmations, "confirmation")}, at least ${pluralize(section.rules.reviewers, "reviewer")}`,
      ),
    ),
  ];
}

const listOf = (lines: readonly string[]): readonly ReportBlock[] =>
  lines.length === 0 ? [] : [points(lines)];

const findingPart = (one: ShownFinding, nameOf: (id: string) => string): ReportPart =>
  part(
    `${one.id}: ${one.title}`,
    words(one.why === "" ? placeOf(one) : `${placeOf(one)}: ${one.why}`),
    points(saidOf(one, nameOf)),
  );
