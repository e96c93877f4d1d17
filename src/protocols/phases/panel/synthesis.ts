import {
  leaveRoomFor,
  reserveFor,
  type ProtocolContext,
  type Absent,
  createAbsence,
  type Absence,
} from "../../../engine/index.ts";
import {
  StepKey,
  type Answer,
  type Event,
  type ModelRequest,
  type Participant,
  type ParticipantId,
  type Stance,
} from "../../../kernel/index.ts";
import type { StandingData } from "../control.ts";
import {
  USUAL_REPLY_TOKENS,
  emptyReplyFailure,
  modelParams,
  readFinal,
  readReply,
  writeAnswer,
  stepOf,
} from "../reply.ts";
import { findByLabel, inLabelOrder, type Draft, type SeatedDraft } from "../table.ts";
import { readSynthesis, synthesisPrompt } from "./prompts.ts";
import { usualDrafts, type PanelReview, type Reviews } from "./review.ts";
import type { PanelSettings } from "./settings.ts";

type PanelContext = ProtocolContext<PanelSettings>;
type PlannedCalls = { readonly step: string; readonly request: ModelRequest }[];

export type DraftComparison = Event<"comparison-given">["data"];

/** The share of the budget that is the chair's. */
const SHARE = "chair";

export type ChairEvidence = {
  readonly table: readonly SeatedDraft[];
  readonly reviews: readonly { readonly given: Pick<PanelReview["given"], "remarks"> }[];
  readonly absent: readonly Absent[];
  readonly standing: StandingData | undefined;
  readonly comparison?: DraftComparison | undefined;
};

/** An answer, or the last chair's failure. */
export type SynthesisOutcome =
  | { readonly ok: true; readonly step: StepKey; readonly final: Answer | null; readonly failed: number }
  | ({ readonly ok: false } & Absence);

/**
 * Asks one chair after the other, each under `synthesis/<chair>`, until one answers. A fork that asks again with the same
 * evidence does so under `synthesis/<chair>/again-<nth>`.
 */
export async function synthesize(context: PanelContext, evidence: ChairEvidence): Promise<SynthesisOutcome> {
  const failures: Absence[] = [];
  const { rewriting } = context.settings;
  const chairs = listChairs(context);
  for (const chair of chairs) {
    const again = rewriting && rewriting.nth > 0 ? `/again-${rewriting.nth}` : "";
    const step = StepKey.parse(`synthesis/${chair.id}${again}`);
    const event = await writeAnswer(
      context,
      {
        key: step,
        outcomes: ["synthesis-given", "degradation-noted"],
        work: { kind: "synthesis", by: chair.id, ...(rewriting?.nth ? { nth: rewriting.nth + 1 } : {}) },
        request: synthesisRequest(context, chair, evidence),
        timeoutMs: context.settings.callTimeoutMs,
        limitedBy: "synthesis-tokens",
        share: SHARE,
        dry: { mishap: chair === chairs.at(-1) ? undefined : "lost" },
      },
      readChairReply(chair, evidence, context.settings.strategy.name),
    );
    if (event.type === "synthesis-given")
      return { ok: true, step: stepOf(event, step), final: event.data.final, failed: failures.length };
    const { call, why } = event.data;
    failures.push(createAbsence(why, call?.ok === false ? call.failure : undefined));
  }
  return { ok: false, ...(failures.at(-1) ?? createAbsence("nobody has the chair", undefined)) };
}

/** The chairs that may write, in order. */
const listChairs = ({
  seats,
  settings: { rewriting },
}: Pick<PanelContext, "seats" | "settings">): readonly Participant[] =>
  seats("chair").filter(({ id }) => rewriting === undefined || id === rewriting.by);

/** Reserves the first chair's worst case: before anything is spent, and with the drafts once they are known. */
export function reserveForChair(context: PanelContext, drafts?: readonly Draft[]): void {
  reserveFor(context.run, SHARE, () => minimumSynthesisCalls(context, drafts)[0]?.request);
}

/** Leaves room for a chair that sees the drafts and what one call says of them, where the run comes to an end without it. */
export function leaveRoomForChair(context: PanelContext, drafts?: readonly Draft[]): void {
  leaveRoomFor(context.run, SHARE, () => minimumSynthesisCalls(context, drafts, 1)[0]?.request);
}

/** The first chair's call in its worst case; none where no chair writes. */
export function minimumSynthesisCalls(
  context: PanelContext,
  drafts?: readonly Draft[],
  reviews = context.seats("member").length,
): PlannedCalls {
  const [chair] = listChairs(context);
  if (!chair || context.settings.mode === "vote") return [];
  const { review = USUAL_REPLY_TOKENS } = context.settings.maxOutputTokens;
  const drafted = drafts ? context.question + drafts.map((one) => one.text).join("") : usualDrafts(context);
  const given = context.context.reduce((sum, one) => sum + one.text, drafted);
  const text = given + "x".repeat(3 * reviews * review); // as in the drafts, three characters a token
  const request = { ...chairParams(context, chair), messages: [{ role: "user" as const, text }] };
  return [{ step: `synthesis/${chair.id}`, request }];
}

const chairParams = ({ settings }: PanelContext, chair: Participant) =>
  modelParams(chair, settings.maxOutputTokens.synthesis, 2 * USUAL_REPLY_TOKENS);

/** The first chair's call when it works from these answers alone. */
export function synthesisCalls(context: PanelContext, evidence: ChairEvidence): PlannedCalls {
  const [chair] = listChairs(context);
  if (!chair) return [];
  return [{ step: `synthesis/${chair.id}`, request: synthesisRequest(context, chair, evidence) }];
}

function readChairReply(chair: Participant, { table }: ChairEvidence, strategy: string) {
  const loss = {
    what: `the synthesis by ${chair.persona.name}`,
    participant: chair.id,
    weakens: "another chair had to write the answer, or none did",
  };
  const labels = table.map(({ label }) => label);
  const authorOf = (label: string) => findByLabel(table, label).by.id;
  return readReply<"synthesis-given">(loss, (reply, call) => {
    const { text, dissent, insights, vetoed, claims } = readSynthesis(reply, labels);
    const failure = emptyReplyFailure(text);
    if (failure) return { unreadable: failure.message };
    return {
      type: "synthesis-given",
      data: {
        by: chair.id,
        text,
        final: readFinal(text, call),
        strategy,
        dissent: [...dissent],
        insights: [...insights],
        vetoed: vetoed.map(({ label, flaw }) => ({ id: authorOf(label), flaw })),
        claims: claims.ok
          ? {
              ok: true,
              contributors: claims.contributors.map((claim) => ({ ...claim, id: authorOf(claim.id) })),
              ...(claims.problem === undefined ? {} : { problem: claims.problem }),
            }
          : { ok: false, reason: claims.reason },
      },
    };
  });
}

function synthesisRequest(context: PanelContext, chair: Participant, evidence: ChairEvidence): ModelRequest {
  const { strategy } = context.settings;
  const answers = inLabelOrder(evidence.table);
  return {
    ...chairParams(context, chair),
    messages: synthesisPrompt(context, {
      material: context,
      persona: context.instructions(chair),
      answers,
      // In label order, which does not tell in which order a reviewer saw the answers.
      remarks: evidence.reviews.map(({ given }) =>
        answers.flatMap(({ step, label }) => {
          const remark = given.remarks.find(({ of }) => of === step);
          return remark ? [{ ...remark, label }] : [];
        }),
      ),
      comparison: comparisonLines(evidence),
      standing: strategy.sees.includes("standing") ? standingLines(evidence) : undefined,
      absent: evidence.absent
        .filter(({ by }) => by.seat === "member")
        .map(({ by, why }) => ({ name: by.persona.name, why })),
      directive: context
        .template("strategy")
        .replaceAll("{{count}}", String(answers.length))
        .replaceAll("{{goal}}", () => strategy.goal ?? ""),
    }),
  };
}

const standingLines = ({ table, standing }: ChairEvidence): string[] =>
  (standing?.places ?? []).map(
    ({ id, place }) => `${place}. ${table.find(({ by }) => by.id === id)?.label ?? "?"}`,
  );

/** A comparison under the labels of the table, as text. */
function comparisonLines({ table, comparison }: ChairEvidence): string | undefined {
  if (!comparison) return undefined;
  const labels = (steps: readonly StepKey[]) =>
    steps.flatMap((step) => table.find((place) => place.step === step)?.label ?? []).join(", ");
  const { agreements, contradictions, unique } = comparison;
  return [
    ...agreements.map(({ claim, of }) => `Agreed (${labels(of)}): ${claim}`),
    ...contradictions.flatMap(({ topic, stances }) => [
      `Contradiction: ${topic}`,
      ...stances.map(({ claim, of }) => `- ${labels(of)}: ${claim}`),
    ]),
    ...unique.map(({ claim, of }) => `Only ${labels(of)}: ${claim}`),
  ].join("\n");
}

/** The material of the standing and the chair. */
export type PanelMaterial = {
  readonly drafts: readonly Draft[];
  readonly answers: readonly Draft[];
  readonly table: readonly SeatedDraft[];
  readonly reviews: Reviews;
  readonly comparison: DraftComparison | undefined;
};

/**
 * The material without these participants' drafts, answers, reviews and claims. Labels stay as they were, and remarks and
 * ranks of an answer that is not on the table are ignored later. What a reviewer wrote of another answer may still allude
 * to one that is withheld: its words are left as they are.
 */
export function withhold(material: PanelMaterial, ids: readonly ParticipantId[]): PanelMaterial {
  if (ids.length === 0) return material;
  const stays = ({ by }: { readonly by: { readonly id: ParticipantId } }) => !ids.includes(by.id);
  const table = material.table.filter(stays);
  const { reviews, absent } = material.reviews;
  return {
    drafts: material.drafts.filter(stays),
    answers: material.answers.filter(stays),
    table,
    reviews: { reviews: reviews.filter(stays), absent: absent.filter(stays) },
    comparison: material.comparison && restrictComparison(material.comparison, table),
  };
}

/** A comparison of these answers alone: a side without holders is dropped, and a claim of one holder is unique. */
function restrictComparison(
  { by, agreements, contradictions, unique }: DraftComparison,
  table: readonly SeatedDraft[],
): DraftComparison {
  const keep = (stances: readonly Stance[]): Stance[] =>
    stances.flatMap(({ claim, of }) => {
      const holders = of.filter((step) => table.some((place) => place.step === step));
      return holders.length > 0 ? [{ claim, of: holders }] : [];
    });
  const sides = contradictions.map(({ topic, stances }) => ({ topic, stances: keep(stances) }));
  // A contradiction with one side left is none, and the claim of that side stays.
  const undisputed = sides.flatMap(({ stances }) => (stances.length === 1 ? stances : []));
  const claims = [...keep(agreements), ...undisputed];
  return {
    by,
    agreements: claims.filter(({ of }) => of.length > 1),
    contradictions: sides.filter(({ stances }) => stances.length > 1),
    unique: [...claims.filter(({ of }) => of.length === 1), ...keep(unique)],
  };
}
