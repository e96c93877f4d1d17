import { sameAnswer } from "../../replies/answer.ts";
import { majority } from "../../stats/vote.ts";
import { similarityOfRounds } from "../../stats/text-similarity.ts";
import type { Participant, ParticipantId } from "../../kernel/index.ts";
import { confidencePrompt, confidenceSchema, readConfidence } from "./prompts/judge.ts";
import { emptyReplyFailure, modelParams } from "../phases/draft.ts";
import { degradation } from "../phases/loss.ts";
import type { Brief, DebateContext } from "./speak.ts";
import type { Seated } from "./round.ts";

export type EndCheck = {
  readonly round: number;
  readonly brief: Brief;
  /** What stood when the round before ended; nothing in round 1. */
  readonly last: readonly Seated[];
  /** What stands now, and who refined it in this round. */
  readonly after: readonly Seated[];
  readonly refined: readonly ParticipantId[];
  readonly judge: Participant | undefined;
};

/** Whether the debate ends with this round, which is not the last, and why; null: it goes on. */
export async function decideEnd(context: DebateContext, spec: EndCheck): Promise<string | null> {
  const { termination } = context.settings;
  switch (termination.type) {
    case "fixed":
      return null;
    case "convergence":
      return checkConvergence(context, spec, termination.similarity);
    case "quality":
      return checkConfidence(context, spec, termination.threshold);
  }
}

/** Measured, and recorded as `round-<n>/convergence`: extracted answers that all agree, or texts that hardly changed. */
async function checkConvergence(
  { run }: DebateContext,
  { round, last, after, refined }: EndCheck,
  least: number,
): Promise<string | null> {
  const [first, ...others] = after.map(({ final }) => final);
  const agree =
    after.length > 1 && first != null && others.every((other) => other !== null && sameAnswer(first, other));
  const texts = (seated: readonly Seated[]) => seated.map(({ by, text }) => ({ id: by.id, text }));
  // Who refined nothing is like itself, which says nothing.
  const anew = after.filter(({ by }) => refined.includes(by.id));
  const similarity = similarityOfRounds(texts(last), texts(anew));
  const why = agree
    ? `all answers come to ${first.value}`
    : similarity !== null && similarity >= least
      ? `the refinements are ${similarity.toFixed(3)} alike to the last round's, of ${least}`
      : null;
  await run.derive(
    {
      key: `round-${round}/convergence`,
      outcomes: ["note-taken"],
      work: { kind: "convergence", round },
      input: {
        texts: [last, after].map((seated) => seated.map(({ step }) => step)),
        least,
        agree,
        similarity,
      },
    },
    () => ({
      type: "note-taken",
      data: {
        topic: "convergence",
        reason: why ?? "the answers still differ and still change",
        body: { agree, similarity, least },
      },
    }),
  );
  return why;
}

/** The judge's confidence in what stands, asked under `round-<n>/confidence`; one that fails ends nothing. */
async function checkConfidence(
  context: DebateContext,
  { round, brief, after, judge }: EndCheck,
  threshold: number,
): Promise<string | null> {
  if (!judge) return null;
  const event = await context.run.call(
    {
      key: `round-${round}/confidence`,
      outcomes: ["confidence-given", "degradation-noted"],
      work: { kind: "confidence", round, by: judge.id },
      request: {
        ...modelParams(judge),
        messages: confidencePrompt(context, {
          ...brief,
          answers: [...after].sort((a, b) => (a.label < b.label ? -1 : 1)),
          persona: context.instructions(judge),
        }),
        maxOutputTokens: context.settings.maxOutputTokens.confidence,
        reply: confidenceSchema,
      },
      timeoutMs: context.settings.callTimeoutMs,
    },
    (call) => {
      const failure = call.ok ? emptyReplyFailure(call.reply) : call.failure;
      const read = readConfidence(call.ok ? call.reply : "");
      if (failure || !read.ok) {
        return degradation({
          what: `the judge's confidence after round ${round}`,
          failure: failure ?? { code: "unreadable", message: read.ok ? "" : read.reason },
          participant: judge.id,
          weakens: "the debate goes on as if it were low",
        });
      }
      const { confidence, reason } = read;
      return { type: "confidence-given", data: { confidence, reason } };
    },
  );
  if (event.type === "degradation-noted") return null;
  const { confidence } = event.data;
  return confidence >= threshold ? `the judge's confidence is ${confidence}, of ${threshold}` : null;
}

/** Of the agents with a final answer, the share of the largest group; null below two. */
export function measureAgreement(seated: readonly Seated[]): number | null {
  const withFinal = seated.filter(({ final }) => final !== null);
  if (withFinal.length < 2) return null;
  const { groups } = majority(withFinal.map(({ step, final }) => ({ id: step, answer: final })));
  return (groups[0]?.ids.length ?? 0) / withFinal.length;
}
