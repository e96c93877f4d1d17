import type { ReportPart } from "../../../../../kernel/index.ts";
import { part, quote, words } from "../../../../../reports/part.ts";
import type { DebateRecord, DebateRound } from "../view/record.ts";
import { takenWords, type AgentNameOf } from "./words.ts";
import { formatNumber } from "../../../../../text/format.ts";

/** One round, in the order of its phases; `before` is the round before it, where there was one. */
export function roundPart(
  round: DebateRound,
  before: DebateRound | undefined,
  nameOf: AgentNameOf,
): ReportPart {
  const group = (heading: string, parts: readonly ReportPart[]): ReportPart => ({ ...part(heading), parts });
  const critiquePart = (one: DebateRound["critiques"][number]) =>
    foldedPart(`${nameOf(one.by)} on ${nameOf(one.of)}`, words(`${takenWords(one)}.`), quote(one.text));
  return {
    ...foldedPart(
      `Round ${round.round}`,
      ...(round.closed ? [] : [words("This round has not come to its end.")]),
    ),
    parts: [
      group(
        "Summaries",
        round.summaries.map((summary) => summaryPart(summary, nameOf)),
      ),
      group(
        "Proposals",
        round.proposals.map((proposal) => proposalPart(proposal, before, nameOf)),
      ),
      group("Critiques", round.critiques.map(critiquePart)),
      group(
        "Refinements",
        round.refinements.map((answer) => answerPart(answer, nameOf)),
      ),
      group(
        "Tool calls",
        round.tools.map((call) => toolPart(call, nameOf)),
      ),
      confidencePart(round),
    ],
  };
}

const foldedPart = (heading: string, ...blocks: ReportPart["blocks"]): ReportPart => ({
  ...part(heading, ...blocks),
  folds: true,
});

/** A summary, and what it is a summary of. */
export const summaryPart = (
  summary: NonNullable<DebateRecord["judgeSummary"]>,
  nameOf: AgentNameOf,
): ReportPart => {
  const { method, charactersBefore, charactersAfter, temperature } = summary;
  const lengths = `${formatNumber(charactersBefore)} characters to ${formatNumber(charactersAfter)}`;
  const warmth = temperature === null ? "" : `, temperature ${temperature}`;
  const taken = words(`Method ${method}, ${lengths}; ${takenWords(summary)}${warmth}.`);
  return foldedPart(`For ${nameOf(summary.for)}`, taken, quote(summary.text));
};

type AnswerRow = DebateRound["refinements"][number];

const answerPart = (answer: AnswerRow, nameOf: AgentNameOf): ReportPart =>
  foldedPart(nameOf(answer.by), words(`${takenWords(answer)}.${coverageWords(answer)}`), quote(answer.text));

function proposalPart(
  proposal: DebateRound["proposals"][number],
  before: DebateRound | undefined,
  nameOf: AgentNameOf,
): ReportPart {
  if (!proposal.carried) return answerPart(proposal, nameOf);
  const heading = nameOf(proposal.by);
  const same = (one: AnswerRow) => one.by === proposal.by && one.text === proposal.text;
  const kind = before?.refinements.some(same)
    ? "Refinement"
    : before?.proposals.some(same)
      ? "Proposal"
      : undefined;
  // What stands word for word above is not told twice.
  return kind === undefined || before === undefined
    ? foldedPart(heading, words("Carried over from an earlier round (no call)."), quote(proposal.text))
    : part(heading, words(`${kind} carried over from round ${before.round} (no call).`));
}

const coverageWords = ({ coverage }: AnswerRow): string =>
  coverage === null
    ? ""
    : coverage
      ? " Requirements coverage: included."
      : " Requirements coverage: missing.";

const toolPart = (call: DebateRound["tools"][number], nameOf: AgentNameOf): ReportPart =>
  foldedPart(
    `${nameOf(call.by)} calls ${call.tool}${call.during === null ? "" : ` (${call.during})`}`,
    words("With:"),
    quote(call.arguments),
    ...(call.result === null ? [words("No result is recorded.")] : [words("Result:"), quote(call.result)]),
  );

const confidencePart = ({ confidence, confidenceReason }: DebateRound): ReportPart =>
  confidence === null
    ? part("Confidence")
    : part(
        "Confidence",
        words(`Judge's self-reported confidence after this round: ${confidence}/100`),
        ...(confidenceReason === null ? [] : [quote(confidenceReason)]),
      );
