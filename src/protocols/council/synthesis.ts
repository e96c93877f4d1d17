import { holdBack, type Ending, type Floor } from "../../engine/index.ts";
import { extractAnswer } from "../../judging/index.ts";
import {
  StepKey,
  type Answer,
  type Call,
  type Event,
  type ModelRequest,
  type Participant,
} from "../../kernel/index.ts";
import { readSynthesis, synthesisPrompt } from "../../prompts/index.ts";
import { emptiness, speaking, type Absent } from "../../phases/draft.ts";
import { lossOf } from "../../phases/loss.ts";
import type { Review } from "./review.ts";
import type { CouncilSettings } from "./settings.ts";
import type { Place } from "../../phases/table.ts";

/** The share of the budget that is the chair's. */
const SHARE = "chair";

/** What the chair works from. */
export type Evidence = {
  readonly table: readonly Place[];
  readonly reviews: readonly Review[];
  readonly absent: readonly Absent[];
  readonly standing: Event<"standing-reached">["data"] | undefined;
  readonly comparison?: Event<"comparison-given">["data"] | undefined;
};

/** What came of asking the chairs: an answer, or the last failure. */
export type Synthesised =
  | { readonly ok: true; readonly step: StepKey; readonly final: Answer | null; readonly failed: number }
  | { readonly ok: false; readonly overBudget: boolean; readonly why: string };

/** Asks one chair after the other, each under `synthesis/<chair>`, until one answers. Asked anew with the same evidence: `synthesis/<chair>/again-<nth>`. */
export async function synthesise(floor: Floor<CouncilSettings>, evidence: Evidence): Promise<Synthesised> {
  const failures: { readonly why: string; readonly code: string | undefined }[] = [];
  const { rewriting } = floor.settings;
  for (const chair of chairsOf(floor)) {
    const again = rewriting && rewriting.nth > 0 ? `/again-${rewriting.nth}` : "";
    const step = StepKey.parse(`synthesis/${chair.id}${again}`);
    const event = await floor.run.call(
      {
        key: step,
        ends: ["synthesis-given", "degradation-noted"],
        request: synthesisRequest(floor, chair, evidence),
        timeoutMs: floor.settings.callTimeoutMs,
        share: SHARE,
      },
      (call) => readChair(call, { chair, evidence, strategy: floor.settings.strategy.name }),
    );
    if (event.type === "synthesis-given") {
      return { ok: true, step, final: event.data.final, failed: failures.length };
    }
    const { call, why } = event.data;
    failures.push({ why, code: call?.ok === false ? call.failure.code : undefined });
  }
  const last = failures.at(-1);
  return { ok: false, overBudget: last?.code === "over-budget", why: last?.why ?? "nobody has the chair" };
}

/** Who may write, in order. */
const chairsOf = ({ seats, settings: { rewriting } }: Floor<CouncilSettings>): readonly Participant[] =>
  seats("chair").filter(({ id }) => rewriting === undefined || id === rewriting.by);

/** Keeps the first chair's worst case back, before anything is spent. */
export function holdForChair(floor: Floor<CouncilSettings>): void {
  holdBack(floor.run, SHARE, () => leastSynthesis(floor)[0]?.request);
}

/** What the first chair's call takes in its worst case; nothing where no chair writes. */
export function leastSynthesis(
  floor: Floor<CouncilSettings>,
): { readonly step: string; readonly request: ModelRequest }[] {
  const [chair] = chairsOf(floor);
  if (!chair || floor.settings.mode === "vote") return [];
  const { draft, review } = floor.settings.maxOutputTokens;
  const members = floor.seats("member").length;
  // Drafts and reviews of full length, at the three characters a token that quotes count with.
  const most = "x".repeat(3 * members * (draft + review));
  const given = floor.context.reduce((sum, { text }) => sum + text, floor.question);
  const request: ModelRequest = {
    ...speaking(chair),
    messages: [{ role: "user", text: given + most }],
    maxOutputTokens: floor.settings.maxOutputTokens.synthesis,
  };
  return [{ step: `synthesis/${chair.id}`, request }];
}

/** What the first chair's call takes when it works from these answers alone. */
export function synthesisOf(
  floor: Floor<CouncilSettings>,
  evidence: Evidence,
): { readonly step: string; readonly request: ModelRequest }[] {
  const [chair] = chairsOf(floor);
  return chair ? [{ step: `synthesis/${chair.id}`, request: synthesisRequest(floor, chair, evidence) }] : [];
}

type Chairing = { readonly chair: Participant; readonly evidence: Evidence; readonly strategy: string };

function readChair(
  call: Call,
  { chair, evidence, strategy }: Chairing,
): Ending<"synthesis-given" | "degradation-noted"> {
  const failure = call.ok ? emptiness(call.reply) : call.failure;
  const reply = call.ok ? call.reply : "";
  const labels = evidence.table.map(({ label }) => label);
  const { text, dissent, insights, vetoed, claims } = readSynthesis(reply, labels);
  const empty = failure ?? emptiness(text);
  if (empty) {
    const weakens = "another chair had to write the answer, or none did";
    return lossOf({
      what: `the synthesis by ${chair.persona.name}`,
      failure: empty,
      participant: chair.id,
      weakens,
    });
  }
  const member = (label: string) => {
    const place = evidence.table.find((one) => one.label === label);
    if (!place) throw new RangeError(`no answer is labelled ${label}`);
    return place.by.id;
  };
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
  floor: Floor<CouncilSettings>,
  chair: Participant,
  evidence: Evidence,
): ModelRequest {
  const { strategy, maxOutputTokens } = floor.settings;
  const inLabelOrder = [...evidence.table].sort((a, b) => (a.label < b.label ? -1 : 1));
  return {
    ...speaking(chair),
    messages: synthesisPrompt(floor, {
      material: floor,
      persona: floor.instructions(chair),
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
      directive: floor.template("strategy").replaceAll("{{goal}}", () => strategy.goal ?? ""),
    }),
    maxOutputTokens: maxOutputTokens.synthesis,
  };
}

const standingLines = ({ table, standing }: Evidence): string[] =>
  (standing?.places ?? []).map(
    ({ id, place }) => `${place}. ${table.find(({ by }) => by.id === id)?.label ?? "?"}`,
  );

/** A comparison under the labels of the table, as text. */
function comparisonLines({ table, comparison }: Evidence): string | undefined {
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
