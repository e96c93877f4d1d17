import type { ReportPart } from "../../../kernel/index.ts";
import { quote, words } from "../../../reports/part.ts";
import type { DebateRecord, DebateRound } from "../view/record.ts";
import { takenWords, type AgentNameOf } from "./words.ts";
import { formatNumber } from "../../../text/format.ts";

/** One round, in the order of its phases; `before` is the round before it, where there was one. */
export function roundPart(
  round: DebateRound,
  before: DebateRound | undefined,
  nameOf: AgentNameOf,
): ReportPart {
  const group = (heading: string, parts: readonly ReportPart[]): ReportPart => ({
    heading,
    blocks: parts.length > 0 ? [] : [words(`No ${heading.toLowerCase()} in this round.`)],
    parts,
  });
  return {
    heading: `Round ${round.round}`,
    folds: true,
    blocks: round.closed ? [] : [words("This round has not come to its end.")],
    parts: [
      group(
        "Summaries",
        round.summaries.map((summary) => summaryPart(summary, nameOf)),
      ),
      group(
        "Proposals",
        round.proposals.map((proposal) => proposalPart(proposal, before, nameOf)),
      ),
      group(
        "Critiques",
        round.critiques.map((critique) => ({
          heading: `${nameOf(critique.by)} on ${nameOf(critique.of)}`,
          folds: true,
          blocks: [words(`${takenWords(critique)}.`), quote(critique.text)],
        })),
      ),
      group(
        "Refinements",
        round.refinements.map((answer) => ({
          heading: nameOf(answer.by),
          folds: true,
          blocks: [words(`${takenWords(answer)}.${coverageWords(answer)}`), quote(answer.text)],
        })),
      ),
      group(
        "Tool calls",
        round.tools.map((call) => toolPart(call, nameOf)),
      ),
      confidencePart(round),
    ],
  };
}

/** A summary, and what it is a summary of. */
export const summaryPart = (
  summary: NonNullable<DebateRecord["judgeSummary"]>,
  nameOf: AgentNameOf,
): ReportPart => {
  const { method, charactersBefore, charactersAfter, temperature } = summary;
  const lengths = `${formatNumber(charactersBefore)} characters to ${formatNumber(charactersAfter)}`;
  const warmth = temperature === null ? "" : `, temperature ${temperature}`;
  return {
    heading: `For ${nameOf(summary.for)}`,
    folds: true,
    blocks: [words(`Method ${method}, ${lengths}; ${takenWords(summary)}${warmth}.`), quote(summary.text)],
  };
};

type Proposal = DebateRound["proposals"][number];

function proposalPart(proposal: Proposal, before: DebateRound | undefined, nameOf: AgentNameOf): ReportPart {
  const heading = nameOf(proposal.by);
  if (!proposal.carried)
    return {
      heading,
      folds: true,
      blocks: [words(`${takenWords(proposal)}.${coverageWords(proposal)}`), quote(proposal.text)],
    };
  const same = (one: { readonly by: string; readonly text: string }) =>
    one.by === proposal.by && one.text === proposal.text;
  const kind = before?.refinements.some(same)
    ? "Refinement"
    : before?.proposals.some(same)
      ? "Proposal"
      : undefined;
  // What stands word for word above is not told twice.
  return kind === undefined || before === undefined
    ? {
        heading,
        folds: true,
        blocks: [words("Carried over from an earlier round (no call)."), quote(proposal.text)],
      }
    : { heading, blocks: [words(`${kind} carried over from round ${before.round} (no call).`)] };
}

const coverageWords = ({ coverage }: Pick<Proposal, "coverage">): string =>
  coverage === null
    ? ""
    : coverage
      ? " Requirements coverage: included."
      : " Requirements coverage: missing.";

const toolPart = (call: DebateRound["tools"][number], nameOf: AgentNameOf): ReportPart => ({
  heading: `${nameOf(call.by)} calls ${call.tool}${call.during === null ? "" : ` (${call.during})`}`,
  folds: true,
  blocks: [
    words("With:"),
    quote(call.arguments),
    ...(call.result === null ? [words("No result is recorded.")] : [words("Result:"), quote(call.result)]),
  ],
});

const confidencePart = ({ confidence, confidenceReason }: DebateRound): ReportPart => ({
  heading: "Confidence",
  blocks:
    confidence === null
      ? [words("No confidence is recorded for this round.")]
      : [
          words(`Judge's self-reported confidence after this round: ${confidence}/100`),
          ...(confidenceReason === null ? [] : [quote(confidenceReason)]),
        ],
});
