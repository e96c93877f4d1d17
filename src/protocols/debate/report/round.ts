import type { DebateRecord, DebateRound } from "../view/record.ts";
import { words, type Block, type Part } from "./part.ts";
import { takenWords, type AgentNames } from "./words.ts";
import { formatNumber } from "../../../text/format.ts";

/** One round, in the order of its phases; `before` is the round before it, where there was one. */
export function roundPart(round: DebateRound, before: DebateRound | undefined, names: AgentNames): Part {
  const group = (heading: string, parts: readonly Part[]): Part => ({
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
        round.summaries.map((summary) => summaryPart(summary, names)),
      ),
      group(
        "Proposals",
        round.proposals.map((proposal) => proposalPart(proposal, before, names)),
      ),
      group(
        "Critiques",
        round.critiques.map((critique) => ({
          heading: `${names.of(critique.by)} on ${names.of(critique.of)}`,
          folds: true,
          blocks: [words(`${takenWords(critique)}.`), text(critique.text)],
        })),
      ),
      group(
        "Refinements",
        round.refinements.map((answer) => ({
          heading: names.of(answer.by),
          folds: true,
          blocks: [words(`${takenWords(answer)}.${coverageWords(answer)}`), text(answer.text)],
        })),
      ),
      group(
        "Tool calls",
        round.tools.map((call) => toolPart(call, names)),
      ),
      confidencePart(round),
    ],
  };
}

/** A summary, and what it is a summary of. */
export const summaryPart = (summary: NonNullable<DebateRecord["judgeSummary"]>, names: AgentNames): Part => {
  const { method, charactersBefore, charactersAfter, temperature } = summary;
  const lengths = `${formatNumber(charactersBefore)} characters to ${formatNumber(charactersAfter)}`;
  const warmth = temperature === null ? "" : `, temperature ${temperature}`;
  return {
    heading: `For ${names.of(summary.for)}`,
    folds: true,
    blocks: [words(`Method ${method}, ${lengths}; ${takenWords(summary)}${warmth}.`), text(summary.text)],
  };
};

type Proposal = DebateRound["proposals"][number];

function proposalPart(proposal: Proposal, before: DebateRound | undefined, names: AgentNames): Part {
  const heading = names.of(proposal.by);
  if (!proposal.carried)
    return {
      heading,
      folds: true,
      blocks: [words(`${takenWords(proposal)}.${coverageWords(proposal)}`), text(proposal.text)],
    };
  const same = (one: { readonly by: string; readonly text: string }) =>
    one.by === proposal.by && one.text === proposal.text;
  const kind = before?.refinements.some(same)
    ? "refinement"
    : before?.proposals.some(same)
      ? "proposal"
      : undefined;
  // What stands word for word above is not told twice.
  return kind === undefined || before === undefined
    ? {
        heading,
        folds: true,
        blocks: [words("What it said before stands; nothing was asked."), text(proposal.text)],
      }
    : { heading, blocks: [words(`Its ${kind} of round ${before.round} stands; nothing was asked.`)] };
}

const coverageWords = ({ coverage }: Pick<Proposal, "coverage">): string =>
  coverage === null
    ? ""
    : coverage
      ? " It says how it covers the requirements."
      : " It does not say how it covers the requirements.";

const toolPart = (call: DebateRound["tools"][number], names: AgentNames): Part => ({
  heading: `${names.of(call.by)} calls ${call.tool}${call.during === null ? "" : ` (${call.during})`}`,
  folds: true,
  blocks: [
    words("With:"),
    text(call.arguments),
    ...(call.result === null ? [words("No result is recorded.")] : [words("Result:"), text(call.result)]),
  ],
});

const confidencePart = ({ confidence, confidenceReason }: DebateRound): Part => ({
  heading: "Confidence",
  blocks:
    confidence === null
      ? [words("No confidence is recorded for this round.")]
      : [
          words(`The judge's, after this round: ${confidence} of 100.`),
          ...(confidenceReason === null ? [] : [text(confidenceReason)]),
        ],
});

const text = (content: string): Block => ({ kind: "text", text: content });
