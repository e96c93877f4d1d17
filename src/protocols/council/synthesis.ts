import {
  StepKey,
  type Answer,
  type Call,
  type Event,
  type ModelRequest,
  type Participant,
  type ParticipantId,
  type Stance,
} from "../../kernel/index.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import { reserveFor, type StepOutcome, type ProtocolContext } from "../../engine/index.ts";
import type { SeatedDraft } from "../phases/table.ts";
import { findByLabel } from "../phases/seats.ts";
import { createAbsence, degradation, type Absence } from "../phases/loss.ts";
import { emptyReplyFailure, modelParams, type Absent, type Draft } from "../phases/draft.ts";
import type { CouncilSettings } from "./settings.ts";
import type { CouncilReview, Reviews } from "./review.ts";
import { readSynthesis, synthesisPrompt } from "./prompts.ts";

/** The share of the budget that is the chair's. */
const SHARE = "chair";

/** What the chair works from. */
export type ChairEvidence = {
  readonly table: readonly SeatedDraft[];
  readonly reviews: readonly CouncilReview[];
  readonly absent: readonly Absent[];
  readonly standing: Event<"standing-reached">["data"] | undefined;
  readonly comparison?: Event<"comparison-given">["data"] | undefined;
};

/** What came of asking the chairs: an answer, or the last failure. */
export type SynthesisOutcome =
  | { readonly ok: true; readonly step: StepKey; readonly final: Answer | null; readonly failed: number }
  | ({ readonly ok: false } & Absence);

/** Asks one chair after the other, each under `synthesis/<chair>`, until one answers. Asked anew with the same evidence: `synthesis/<chair>/again-<nth>`. */
export async function synthesize(
  context: ProtocolContext<CouncilSettings>,
  evidence: ChairEvidence,
): Promise<SynthesisOutcome> {
  const failures: Absence[] = [];
  const { rewriting } = context.settings;
  for (const chair of chairsOf(context)) {
    const again = rewriting && rewriting.nth > 0 ? `/again-${rewriting.nth}` : "";
    const step = StepKey.parse(`synthesis/${chair.id}${again}`);
    const event = await context.run.call(
      {
        key: step,
        outcomes: ["synthesis-given", "degradation-noted"],
        work: { kind: "synthesis", by: chair.id, ...(rewriting?.nth ? { nth: rewriting.nth + 1 } : {}) },
        request: synthesisRequest(context, chair, evidence),
        timeoutMs: context.settings.callTimeoutMs,
        share: SHARE,
      },
      (call) => readChair(call, { chair, evidence, strategy: context.settings.strategy.name }),
    );
    if (event.type === "synthesis-given") {
      return { ok: true, step, final: event.data.final, failed: failures.length };
    }
    const { call, why } = event.data;
    failures.push(createAbsence(why, call?.ok === false ? call.failure : undefined));
  }
  return { ok: false, ...(failures.at(-1) ?? createAbsence("nobody has the chair", undefined)) };
}

/** Who may write, in order. */
const chairsOf = ({
  seats,
  settings: { rewriting },
}: ProtocolContext<CouncilSettings>): readonly Participant[] =>
  seats("chair").filter(({ id }) => rewriting === undefined || id === rewriting.by);

/** Keeps the first chair's worst case back, before anything is spent. */
export function reserveForChair(context: ProtocolContext<CouncilSettings>): void {
  reserveFor(context.run, SHARE, () => minimumSynthesisCalls(context)[0]?.request);
}

/** What the first chair's call takes in its worst case; nothing where no chair writes. */
export function minimumSynthesisCalls(
  context: ProtocolContext<CouncilSettings>,
): { readonly step: string; readonly request: ModelRequest }[] {
  const [chair] = chairsOf(context);
  if (!chair || context.settings.mode === "vote") return [];
  const { draft, review } = context.settings.maxOutputTokens;
  const members = context.seats("member").length;
  // Drafts and reviews of full length, at the three characters a token that quotes count with.
  const most = "x".repeat(3 * members * (draft + review));
  const given = context.context.reduce((sum, { text }) => sum + text, context.question);
  const request: ModelRequest = {
    ...modelParams(chair),
    messages: [{ role: "user", text: given + most }],
    maxOutputTokens: context.settings.maxOutputTokens.synthesis,
  };
  return [{ step: `synthesis/${chair.id}`, request }];
}

/** What the first chair's call takes when it works from these answers alone. */
export function synthesisCalls(
  context: ProtocolContext<CouncilSettings>,
  evidence: ChairEvidence,
): { readonly step: string; readonly request: ModelRequest }[] {
  const [chair] = chairsOf(context);
  return chair
    ? [{ step: `synthesis/${chair.id}`, request: synthesisRequest(context, chair, evidence) }]
    : [];
}

type Chairing = { readonly chair: Participant; readonly evidence: ChairEvidence; readonly strategy: string };

function readChair(
  call: Call,
  { chair, evidence, strategy }: Chairing,
): StepOutcome<"synthesis-given" | "degradation-noted"> {
  const failure = call.ok ? emptyReplyFailure(call.reply) : call.failure;
  const reply = call.ok ? call.reply : "";
  const labels = evidence.table.map(({ label }) => label);
  const { text, dissent, insights, vetoed, claims } = readSynthesis(reply, labels);
  const empty = failure ?? emptyReplyFailure(text);
  if (empty) {
    const weakens = "another chair had to write the answer, or none did";
    return degradation({
      what: `the synthesis by ${chair.persona.name}`,
      failure: empty,
      participant: chair.id,
      weakens,
    });
  }
  const member = (label: string) => findByLabel(evidence.table, label).by.id;
  return {
    type: "synthesis-given",
    data: {
      by: chair.id,
      text,
      final: extractAnswer(text),
      strategy,
      dissent: [...dissent],
      insights: [...insights],
      vetoed: vetoed.map(({ label, flaw }) => ({ id: member(label), flaw })),
      claims: claims.ok
        ? { ok: true, contributors: claims.contributors.map((claim) => ({ ...claim, id: member(claim.id) })) }
        : { ok: false, reason: claims.reason },
    },
  };
}

function synthesisRequest(
  context: ProtocolContext<CouncilSettings>,
  chair: Participant,
  evidence: ChairEvidence,
): ModelRequest {
  const { strategy, maxOutputTokens } = context.settings;
  const inLabelOrder = [...evidence.table].sort((a, b) => (a.label < b.label ? -1 : 1));
  return {
    ...modelParams(chair),
    messages: synthesisPrompt(context, {
      material: context,
      persona: context.instructions(chair),
      answers: inLabelOrder,
      // In label order: the order in which a reviewer saw the answers is nobody's business.
      remarks: evidence.reviews.map(({ given }) =>
        inLabelOrder.flatMap(({ step, label }) => {
          const remark = given.remarks.find(({ of }) => of === step);
          return remark ? [{ ...remark, label }] : [];
        }),
      ),
      comparison: comparisonLines(evidence),
      standing: strategy.sees.includes("standing") ? standingLines(evidence) : undefined,
      absent: evidence.absent
        .filter(({ by }) => by.seat === "member")
        .map(({ by, why }) => ({ name: by.persona.name, why })),
      directive: context.template("strategy").replaceAll("{{goal}}", () => strategy.goal ?? ""),
    }),
    maxOutputTokens: maxOutputTokens.synthesis,
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

type Comparison = Event<"comparison-given">["data"];

/** What the standing and the chair work from. */
export type CouncilMaterial = {
  readonly drafts: readonly Draft[];
  readonly answers: readonly Draft[];
  readonly table: readonly SeatedDraft[];
  readonly reviews: Reviews;
  readonly comparison: Comparison | undefined;
};

/**
 * The material without these participants: their drafts and answers, their reviews, and what was found of them alone.
 * Labels stay as they were, and remarks and ranks of an answer that is not on the table are passed over downstream. What
 * a reviewer wrote of another answer may still allude to one that is withheld: its words are left as they are.
 */
export function withhold(material: CouncilMaterial, ids: readonly ParticipantId[]): CouncilMaterial {
  if (ids.length === 0) return material;
  const stays = ({ by }: { readonly by: { readonly id: ParticipantId } }) => !ids.includes(by.id);
  const table = material.table.filter(stays);
  const { reviews, absent } = material.reviews;
  return {
    drafts: material.drafts.filter(stays),
    answers: material.answers.filter(stays),
    table,
    reviews: { reviews: reviews.filter(stays), absent: absent.filter(stays) },
    comparison:
      material.comparison &&
      compared(
        material.comparison,
        table.map(({ step }) => step),
      ),
  };
}

/** What of a comparison these answers make up: a side that nobody holds is gone, and what one alone holds is unique. */
function compared({ by, ...found }: Comparison, steps: readonly StepKey[]): Comparison {
  const held = (stances: readonly Stance[]): Stance[] =>
    stances.flatMap(({ claim, of }) => {
      const left = of.filter((step) => steps.includes(step));
      return left.length > 0 ? [{ claim, of: left }] : [];
    });
  const sides = found.contradictions.map(({ topic, stances }) => ({ topic, stances: held(stances) }));
  // A contradiction of one side is none: what that side claims stays.
  const undisputed = sides.flatMap(({ stances }) => (stances.length === 1 ? stances : []));
  const claims = [...held(found.agreements), ...undisputed];
  return {
    by,
    agreements: claims.filter(({ of }) => of.length > 1),
    contradictions: sides.filter(({ stances }) => stances.length > 1),
    unique: [...claims.filter(({ of }) => of.length === 1), ...held(found.unique)],
  };
}
