import { reserveFor, type StepOutcome } from "../../engine/index.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import {
  StepKey,
  type Answer,
  type Assessment,
  type Call,
  type ModelRequest,
  type Participant,
} from "../../kernel/index.ts";
import { roundsText } from "./prompts/agents.ts";
import {
  judgeSummaryPrompt,
  readSolution,
  solutionPrompt,
  solutionRepairPrompt,
  solutionSchema,
} from "./prompts/judge.ts";
import { emptyReplyFailure, modelParams } from "../phases/draft.ts";
import { createAbsence, degradation, type Absence } from "../phases/loss.ts";
import { ownText, type Brief, type DebateContext } from "./speak.ts";
import {
  isOverThreshold,
  makeSummary,
  findSummarization,
  type TranscriptEntry,
  type Transcript,
} from "./history.ts";
import { transcriptEntries, type Seated } from "./round.ts";

// SOLUTION-1. A judge at its threshold works from its own summary of the last round alone; below it, from all rounds. It never sees critiques.
// SOLUTION-2. A reply that cannot be read is asked for once more; then its text stands as it is, without an assessment.
// SOLUTION-3. Confidence is at most 40 where a major requirement is not fulfilled (`readSolution`).

const SHARE = "judge";

export type SolutionEvidence = {
  readonly brief: Brief;
  readonly transcript: Transcript;
  /** What stood when the last round began, and what stands now. */
  readonly before: readonly Seated[];
  readonly after: readonly Seated[];
  readonly round: number;
};

export type SolutionOutcome =
  | {
      readonly ok: true;
      readonly step: StepKey;
      readonly final: Answer | null;
      /** Whether another judge had to step in, or no assessment could be read. */
      readonly degraded: boolean;
    }
  | ({ readonly ok: false } & Absence);

/** Asks one judge after the other, each under `synthesis/<judge>`, until one writes the solution. */
export async function writeSolution(
  context: DebateContext,
  evidence: SolutionEvidence,
): Promise<SolutionOutcome> {
  let failed = 0;
  let last = createAbsence("nobody is the judge", undefined);
  for (const judge of context.seats("judge")) {
    const judged = await solution(context, judge, evidence);
    if (judged.ok) return { ...judged, degraded: judged.degraded || failed > 0 };
    failed += 1;
    last = judged;
  }
  return { ok: false, ...last };
}

/** Keeps the first judge's worst case back, before anything is spent. */
export function reserveForJudge(context: DebateContext): void {
  reserveFor(context.run, SHARE, () => {
    const [judge] = context.seats("judge");
    if (!judge) return undefined;
    const { maxOutputTokens, rounds } = context.settings;
    // Of full length, at the three characters a token that quotes count with.
    const all =
      3 * context.seats("agent").length * (maxOutputTokens.proposal + rounds * maxOutputTokens.refinement);
    // A judge that summarises sees a summary, or rounds of which the last is below its threshold.
    const way = findSummarization(context, judge);
    const most = way ? Math.min(all, Math.max(way.settings.maxLength, rounds * way.settings.threshold)) : all;
    const given = context.context.reduce((sum, { text }) => sum + text, context.question) + "x".repeat(most);
    return {
      ...modelParams(judge),
      messages: [{ role: "user", text: given }],
      maxOutputTokens: maxOutputTokens.synthesis,
    } satisfies ModelRequest;
  });
}

type Solved =
  | { readonly ok: true; readonly step: StepKey; readonly final: Answer | null; readonly degraded: boolean }
  | ({ readonly ok: false } & Absence);

async function solution(
  context: DebateContext,
  judge: Participant,
  evidence: SolutionEvidence,
): Promise<Solved> {
  const { callTimeoutMs: timeoutMs, maxOutputTokens } = context.settings;
  const step = StepKey.parse(`synthesis/${judge.id}`);
  const work = { kind: "synthesis", by: judge.id };
  const asked = {
    ...modelParams(judge),
    maxOutputTokens: maxOutputTokens.synthesis,
    reply: solutionSchema,
  };
  const messages = solutionPrompt(context, {
    ...evidence.brief,
    ...(await materialOf(context, judge, evidence)),
    persona: context.instructions(judge),
  });
  const first = await context.run.call(
    {
      key: step,
      outcomes: ["synthesis-given", "reply-received", "degradation-noted"],
      work,
      request: { ...asked, messages },
      timeoutMs,
      share: SHARE,
    },
    (call) => {
      const failure = call.ok ? emptyReplyFailure(call.reply) : call.failure;
      if (failure) return lost(judge, failure);
      const read = readSolution(call.ok ? call.reply : "");
      return read.ok
        ? given(judge, read.markdown, read.assessment)
        : { type: "reply-received", data: { by: judge.id, why: read.reason } };
    },
  );
  if (first.type === "synthesis-given") return { ok: true, step, final: first.data.final, degraded: false };
  if (first.type === "degradation-noted") {
    const { call, why } = first.data;
    return { ok: false, ...createAbsence(why, call?.ok === false ? call.failure : undefined) };
  }
  const reply = first.data.call?.ok ? first.data.call.reply : "";
  const again = StepKey.parse(`${step}/repair`);
  const repaired = await context.run.call(
    {
      key: again,
      outcomes: ["synthesis-given", "degradation-noted"],
      work: { ...work, nth: 2 },
      request: { ...asked, messages: solutionRepairPrompt(context, { reply, reason: first.data.why }) },
      timeoutMs,
    },
    (call) => repair(call, judge),
  );
  if (repaired.type === "synthesis-given")
    return { ok: true, step: again, final: repaired.data.final, degraded: false };
  const written = StepKey.parse(`${step}/as-written`); // SOLUTION-2
  const stands = await context.run.derive(
    { key: written, outcomes: ["synthesis-given"], work, input: { reply } },
    () => given(judge, reply.trim(), UNREAD),
  );
  return { ok: true, step: written, final: stands.data.final, degraded: true };
}

const UNREAD: Assessment = {
  confidence: null,
  tradeoffs: [],
  recommendations: [],
  unfulfilledMajorRequirements: [],
  openQuestions: [],
};

function repair(call: Call, judge: Participant): StepOutcome<"synthesis-given" | "degradation-noted"> {
  const read = readSolution(call.ok ? call.reply : "");
  if (read.ok) return given(judge, read.markdown, read.assessment);
  return degradation({
    what: `the assessment by ${judge.persona.name}`,
    failure: call.ok ? { code: "unreadable", message: read.reason } : call.failure,
    participant: judge.id,
    weakens: "the solution stands as it was written, without confidence or unfulfilled requirements",
  });
}

const lost = (judge: Participant, failure: Parameters<typeof degradation>[0]["failure"]) =>
  degradation({
    what: `the synthesis by ${judge.persona.name}`,
    failure,
    participant: judge.id,
    weakens: "another judge had to write the solution, or none did",
  });

const given = (judge: Participant, text: string, assessment: Assessment): StepOutcome<"synthesis-given"> => ({
  type: "synthesis-given",
  data: {
    by: judge.id,
    text,
    final: extractAnswer(text),
    strategy: null,
    dissent: [],
    insights: [],
    vetoed: [],
    assessment,
  },
});

/** What the judge works from (SOLUTION-1). */
async function materialOf(
  context: DebateContext,
  judge: Participant,
  { transcript, before, after, round }: SolutionEvidence,
): Promise<{ readonly rounds: string; readonly summary?: string }> {
  const last = transcriptEntries(round, {
    proposals: before,
    critiques: [],
    refinements: changed(before, after),
  });
  const way = findSummarization(context, judge);
  if (way && isOverThreshold(context, judge, last)) {
    const focus = ownText(context, "summary", judge);
    const event = await makeSummary(context, context.run, {
      agent: judge,
      method: way.method,
      // The first judge's; who steps in for it makes its own.
      key: judge.id === context.seats("judge")[0]?.id ? "judge/summary" : `judge/summary/${judge.id}`,
      work: { kind: "summary", by: judge.id },
      round: undefined,
      contributions: last,
      purpose: context.question,
      prompt: (text, maxLength) =>
        judgeSummaryPrompt(context, {
          text,
          maxLength,
          persona: context.instructions(judge),
          ...(focus === undefined ? {} : { focus }),
        }),
    });
    if (event.type === "summary-made") return { rounds: "", summary: event.data.text };
  }
  return { rounds: roundsText(context, roundsOf(transcript.entries)) };
}

const changed = (before: readonly Seated[], after: readonly Seated[]): readonly Seated[] =>
  after.filter(({ step }) => !before.some((one) => one.step === step));

/** All rounds' proposals and refinements, under their labels and in label order. */
const roundsOf = (spoken: readonly TranscriptEntry[]) =>
  [...new Set(spoken.map(({ round }) => round))].map((round) => {
    const said = (kind: TranscriptEntry["kind"]) =>
      spoken
        .filter((one) => one.round === round && one.kind === kind)
        .sort((a, b) => (a.label < b.label ? -1 : 1));
    return { round, proposals: said("proposal"), refinements: said("refinement") };
  });
