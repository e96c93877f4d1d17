import type { ParticipantId } from "../../../../kernel/index.ts";
import type { ProblemPrompt } from "../problem.ts";
import { writeAnswerLine } from "../../../../text/format.ts";
import { parseConfidence } from "../../../../replies/confidence.ts";
import { similarityOfRounds } from "../../../../stats/text-similarity.ts";
import { majority } from "../../../../stats/vote.ts";
import { modelParams, readReply } from "../../../../protocols/phases/reply.ts";
import { inLabelOrder, type SeatedDraft } from "../../../../protocols/phases/table.ts";
import type { DebateContext } from "./brief.ts";
import { confidencePrompt, confidenceSchema } from "./prompts.ts";

export type EndCheck = {
  readonly round: number;
  readonly brief: ProblemPrompt;
  /** The answers at the end of the round before; none in round 1. */
  readonly last: readonly SeatedDraft[];
  /** The answers now, and the agents that refined theirs in this round. */
  readonly after: readonly SeatedDraft[];
  readonly refined: readonly ParticipantId[];
};

/** Decides whether the debate ends with this round, which is not the last. */
export async function decideEnd(context: DebateContext, check: EndCheck): Promise<boolean> {
  const { termination } = context.settings;
  switch (termination.type) {
    case "fixed":
      return false;
    case "convergence":
      return checkConvergence(context, check, termination.similarity);
    case "quality":
      return checkConfidence(context, check, termination.threshold);
  }
}

/** Whether all final answers agree, or the texts hardly changed; recorded as `round-<n>/convergence`. */
async function checkConvergence(
  { run }: DebateContext,
  { round, last, after, refined }: EndCheck,
  least: number,
): Promise<boolean> {
  const [group] = majority(after.map(({ step, final }) => ({ id: step, answer: final }))).groups;
  const agree = after.length > 1 && group?.ids.length === after.length;
  const listTexts = (seated: readonly SeatedDraft[]) => seated.map(({ by, text }) => ({ id: by.id, text }));
  // The text of an agent that refined nothing equals itself, which says nothing.
  const changed = after.filter(({ by }) => refined.includes(by.id));
  const similarity = similarityOfRounds(listTexts(last), listTexts(changed));
  const isSimilar = similarity !== null && similarity >= least;
  const reason = agree
    ? `all answers come to ${writeAnswerLine(group.answer)}`
    : isSimilar
      ? `the refinements are ${similarity.toFixed(3)} alike to the last round's, of ${least}`
      : "the answers still differ and still change";
  const texts = [last, after].map((seated) => seated.map(({ step }) => step));
  await run.derive(
    {
      key: `round-${round}/convergence`,
      outcomes: ["note-taken"],
      work: { kind: "convergence", round },
      input: { texts, least, agree, similarity },
    },
    () => ({
      type: "note-taken",
      data: { topic: "convergence", reason, body: { agree, similarity, least } },
    }),
  );
  return agree || isSimilar;
}

/** Whether the judge's confidence, asked under `round-<n>/confidence`, is high enough; false where the call failed. */
async function checkConfidence(
  context: DebateContext,
  { round, brief, after }: EndCheck,
  threshold: number,
): Promise<boolean> {
  const [judge] = context.seats("judge");
  if (!judge) return false;
  const loss = {
    what: `the judge's confidence after round ${round}`,
    participant: judge.id,
    weakens: "the debate goes on as if it were low",
  };
  const event = await context.run.call(
    {
      key: `round-${round}/confidence`,
      outcomes: ["confidence-given", "degradation-noted"],
      work: { kind: "confidence", round, by: judge.id },
      request: {
        ...modelParams(judge, context.settings.maxOutputTokens.confidence, 1_024),
        messages: confidencePrompt(context, {
          ...brief,
          answers: inLabelOrder(after),
          persona: context.instructions(judge),
        }),
        reply: confidenceSchema,
      },
      timeoutMs: context.settings.callTimeoutMs,
      dry: {
        reply: ({ course }) => JSON.stringify({ reason: "", confidence: course === "shortest" ? 100 : 0 }),
      },
    },
    readReply<"confidence-given">(loss, (reply) => {
      const read = parseConfidence(reply);
      if (!read.ok) return { unreadable: read.reason };
      return { type: "confidence-given", data: { confidence: read.confidence, reason: read.reason } };
    }),
  );
  return event.type === "confidence-given" && event.data.confidence >= threshold;
}

/** The share of the largest group among the agents with a final answer; null where there are fewer than two. */
export function measureAgreement(seated: readonly SeatedDraft[]): number | null {
  const withFinal = seated.filter(({ final }) => final !== null);
  if (withFinal.length < 2) return null;
  const { groups } = majority(withFinal.map(({ step, final }) => ({ id: step, answer: final })));
  return (groups[0]?.ids.length ?? 0) / withFinal.length;
}
