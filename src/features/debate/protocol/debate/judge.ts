import {
  reserveFor,
  type DryDesk,
  type StepOutcome,
  createAbsence,
  type Absence,
} from "../../../../engine/index.ts";
import {
  StepKey,
  type Answer,
  type Assessment,
  type Call,
  type Failure,
  type Participant,
} from "../../../../kernel/index.ts";
import type { ProblemPrompt } from "../problem.ts";
import { parseSolution } from "../../../../replies/solution.ts";
import {
  USUAL_REPLY_TOKENS,
  degradation,
  modelParams,
  readFinal,
  readReply,
  writeAnswer,
  stepOf,
} from "../../../../protocols/phases/reply.ts";
import { inLabelOrder, type SeatedDraft } from "../../../../protocols/phases/table.ts";
import type { DebateContext } from "./brief.ts";
import { dueMethod, makeSummary, type Transcript, type TranscriptEntry } from "./history.ts";
import {
  judgeSummaryPrompt,
  roundsText,
  solutionPrompt,
  solutionRepairPrompt,
  solutionSchema,
  type JudgedRound,
} from "./prompts.ts";
import { pairCritics, transcriptEntries } from "./round.ts";
import { summarizationFor, type DebateSettings } from "./settings.ts";
import { NO_ASSESSMENT } from "./view/record.ts";

// A judge at its threshold works from its own summary of the last round; below it, from all rounds, with their critiques where
// `includeFullHistory` says so.
// A reply that cannot be read is asked for once more; then its text stands as it is, without an assessment.
// Confidence is at most 40 where a major requirement is not fulfilled (`parseSolution`).

const SHARE = "judge";

export type SolutionEvidence = {
  readonly brief: ProblemPrompt;
  readonly transcript: Transcript;
  /** The answers when the last round began, and now. */
  readonly before: readonly SeatedDraft[];
  readonly after: readonly SeatedDraft[];
  readonly round: number;
};

export type SolutionOutcome =
  | {
      readonly ok: true;
      readonly step: StepKey;
      readonly final: Answer | null;
      /** Whether a fallback judge wrote it, or no assessment could be read. */
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
    const outcome = await askJudge(context, judge, evidence);
    if (outcome.ok) return { ...outcome, degraded: outcome.degraded || failed > 0 };
    failed += 1;
    last = outcome;
  }
  return { ok: false, ...last };
}

/** Reserves the first judge's worst case before anything is spent. */
export function reserveForJudge(context: DebateContext): void {
  reserveFor(context.run, SHARE, () => {
    const [judge] = context.seats("judge");
    if (!judge) return undefined;
    const { critiquesForJudge, maxOutputTokens, rounds, topology } = context.settings;
    const usual = USUAL_REPLY_TOKENS;
    const { proposal = usual, refinement = usual, critique = usual } = maxOutputTokens;
    const agents = context.seats("agent");
    // Texts of full length, at the three characters a token that quotes count with.
    const all = 3 * agents.length * (proposal + rounds * refinement);
    // A judge that summarizes sees a summary, or rounds of which the last is below its threshold.
    const { enabled, maxLength, threshold } = summarizationFor(context.settings, judge.id);
    const solutions = enabled ? Math.min(all, Math.max(maxLength, rounds * threshold)) : all;
    const pairs = critiquesForJudge ? pairCritics(topology, agents).length : 0;
    const length = solutions + 3 * pairs * rounds * critique;
    const text = context.context.reduce((sum, one) => sum + one.text, context.question) + "x".repeat(length);
    return { ...judgeParams(context, judge), messages: [{ role: "user", text }] };
  });
}

const judgeParams = ({ settings }: DebateContext, judge: Participant) =>
  modelParams(judge, settings.maxOutputTokens.synthesis, 2 * USUAL_REPLY_TOKENS);

async function askJudge(
  context: DebateContext,
  judge: Participant,
  evidence: SolutionEvidence,
): Promise<SolutionOutcome> {
  const { callTimeoutMs: timeoutMs } = context.settings;
  const step = StepKey.parse(`synthesis/${judge.id}`);
  const work = { kind: "synthesis", by: judge.id };
  const request = { ...judgeParams(context, judge), reply: solutionSchema };
  const messages = solutionPrompt(context, {
    ...evidence.brief,
    answers: [...evidence.before, ...evidence.after],
    ...(await gatherMaterial(context, judge, evidence)),
    persona: context.instructions(judge),
  });
  const loss = {
    what: `the synthesis by ${judge.persona.name}`,
    participant: judge.id,
    weakens: "another judge had to write the solution, or none did",
  };
  const first = await writeAnswer(
    context,
    {
      key: step,
      outcomes: ["synthesis-given", "reply-received", "degradation-noted"],
      work,
      request: { ...request, messages },
      timeoutMs,
      limitedBy: "synthesis-tokens",
      share: SHARE,
      dry: { reply: specimen, mishap: judge === context.seats("judge").at(-1) ? "unread" : "lost" },
    },
    readReply<"synthesis-given" | "reply-received">(loss, (text, call) => {
      const read = parseSolution(text);
      return read.ok
        ? createSolution(judge, { text: read.markdown, call }, read.assessment)
        : { type: "reply-received", data: { by: judge.id, why: read.reason } };
    }),
  );
  if (first.type === "synthesis-given")
    return { ok: true, step: stepOf(first, step), final: first.data.final, degraded: false };
  if (first.type === "degradation-noted") {
    const { call, why } = first.data;
    return { ok: false, ...createAbsence(why, call?.ok === false ? call.failure : undefined) };
  }
  const reply = first.data.call?.ok ? first.data.call.reply : "";
  const repairStep = StepKey.parse(`${step}/repair`);
  const repaired = await context.run.call(
    {
      key: repairStep,
      outcomes: ["synthesis-given", "degradation-noted"],
      work: { ...work, nth: 2 },
      request: { ...request, messages: solutionRepairPrompt(context, { reply, reason: first.data.why }) },
      timeoutMs,
      limitedBy: "synthesis-tokens",
      dry: { reply: specimen },
    },
    (call) => {
      const lost = (failure: Failure) =>
        degradation({
          what: `the assessment by ${judge.persona.name}`,
          failure,
          participant: judge.id,
          weakens: "the solution stands as it was written, without confidence or unfulfilled requirements",
        });
      if (!call.ok) return lost(call.failure);
      const read = parseSolution(call.reply);
      return read.ok
        ? createSolution(judge, { text: read.markdown, call }, read.assessment)
        : lost({ code: "unreadable", message: read.reason });
    },
  );
  if (repaired.type === "synthesis-given")
    return { ok: true, step: repairStep, final: repaired.data.final, degraded: false };
  const writtenStep = StepKey.parse(`${step}/as-written`);
  const written = await context.run.derive(
    { key: writtenStep, outcomes: ["synthesis-given"], work, input: { reply } },
    () => createSolution(judge, { text: reply.trim(), call: first.data.call }, NO_ASSESSMENT),
  );
  return { ok: true, step: writtenStep, final: written.data.final, degraded: true };
}

const specimen = ({ text }: DryDesk): string => JSON.stringify({ solutionMarkdown: text() });

const createSolution = (
  judge: Participant,
  { text, call }: { readonly text: string; readonly call: Call | null | undefined },
  assessment: Assessment,
): StepOutcome<"synthesis-given"> => ({
  type: "synthesis-given",
  data: {
    by: judge.id,
    text,
    final: call?.ok ? readFinal(text, call) : null,
    strategy: null,
    dissent: [],
    insights: [],
    vetoed: [],
    assessment,
  },
});

/** The judge's own summary of the last round, or all rounds. */
async function gatherMaterial(
  context: DebateContext,
  judge: Participant,
  { transcript, before, after, round }: SolutionEvidence,
): Promise<{ readonly rounds: string; readonly summary?: string }> {
  const refinements = after.filter(({ step }) => !before.some((one) => one.step === step));
  const last = transcriptEntries(round, { proposals: before, refinements });
  const method = dueMethod(context, judge, last);
  if (method) {
    const event = await makeSummary(context, context.run, {
      agent: judge,
      method,
      // The first judge's; a fallback judge makes its own.
      key: judge.id === context.seats("judge")[0]?.id ? "judge/summary" : `judge/summary/${judge.id}`,
      work: { kind: "summary", by: judge.id },
      round: undefined,
      contributions: last,
      purpose: context.question,
      prompt: judgeSummaryPrompt,
    });
    if (event.type === "summary-made") return { rounds: "", summary: event.data.text };
  }
  return { rounds: roundsText(context, groupByRound(transcript.entries, context.settings)) };
}

/** All rounds' texts, in label order; critiques in the order of what they criticize. */
function groupByRound(
  entries: readonly TranscriptEntry[],
  { critiquesForJudge }: Pick<DebateSettings, "critiquesForJudge">,
): JudgedRound[] {
  const labels = new Map(
    entries.filter(({ kind }) => kind !== "critique").map(({ of, label }) => [of, label] as const),
  );
  return [...new Set(entries.map(({ round }) => round))].map((round) => {
    const select = (kind: TranscriptEntry["kind"]) =>
      inLabelOrder(entries.filter((one) => one.round === round && one.kind === kind));
    const critiques = select("critique").map((one) => ({ ...one, of: labels.get(one.of) ?? "?" }));
    return {
      round,
      proposals: select("proposal"),
      ...(critiquesForJudge
        ? { critiques: critiques.toSorted((a, b) => (a.of < b.of ? -1 : a.of > b.of ? 1 : 0)) }
        : {}),
      refinements: select("refinement"),
    };
  });
}
