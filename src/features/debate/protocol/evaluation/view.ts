import * as z from "zod";
import type { EvaluationWork } from "./work.ts";
import { EVALUATION_METRICS, EvaluationMetric, EvaluationReply } from "../../../../replies/evaluation.ts";
import {
  isEvent,
  workOf,
  type Entry,
  type Event,
  type Failure,
  type Participant,
} from "../../../../kernel/index.ts";
import { Result } from "../../../../views/result.ts";
import { lostCalls, measuredEnds } from "../../../../views/measured.ts";
import { isSimulated } from "../../../../views/simulated.ts";
import { spending } from "../../../../views/spending.ts";

/** A row for each metric but `overall`, as Dialectic's result files nest them. */
const nestMetrics = <T>(row: (metric: Exclude<EvaluationMetric, "overall">) => T) => ({
  functional_completeness: row("functional_completeness"),
  non_functional: {
    performance_scalability: row("performance_scalability"),
    security: row("security"),
    maintainability_evolvability: row("maintainability_evolvability"),
    regulatory_compliance: row("regulatory_compliance"),
    testability: row("testability"),
    requirements_fulfillment: row("requirements_fulfillment"),
  },
});

const Average = z.strictObject({ average_score: z.number().nullable() });
const averages = nestMetrics(() => Average);
const Spread = z.strictObject({ low: z.number(), high: z.number(), n: z.int() }).nullable();

/**
 * What independent evaluators make of a debate's solution; what `parley eval --json` prints. `evaluation`, `overall_score`
 * and `agents` have the form of Dialectic's result files (0.7). Published as `schemas/evaluation.schema.json`.
 */
export const sectionSchema = z.strictObject({
  /** Means over those who gave a number, 1 to 10, to two decimals; null where nobody did. */
  evaluation: z.strictObject({ ...averages, non_functional: z.strictObject(averages.non_functional) }),
  overall_score: z.number().nullable(),
  /** What each evaluator gave that could be read, by id. */
  agents: z.record(z.string(), EvaluationReply),
  id: z.string(),
  debate: z.string(),
  /** A closing's outcome, or `open`; `why` says why it has no answer. */
  status: z.string(),
  why: z.string().nullable(),
  /** Whether a simulated model evaluated, or spoke in the debate. */
  simulated: z.boolean(),
  /** The lowest and the highest score of a metric; null where fewer than two gave one. */
  spread: z.record(EvaluationMetric, Spread),
  /** In seat order; `skipped` says why one has no scores, null where it has. */
  evaluators: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      model: z.string(),
      family: z.string().nullable(),
      skipped: z.string().nullable(),
    }),
  ),
  /** Evaluators of the same family as somebody in the debate, whom they may favour. */
  families: z.array(z.strictObject({ evaluator: z.string(), family: z.string(), as: z.array(z.string()) })),
  /** What a reader should know before the scores, in words. */
  warnings: z.array(z.string()),
  ...Result.pick({ calls: true, unknown: true, tokens: true, cost: true }).shape,
});
export type EvaluationReport = z.infer<typeof sectionSchema>;

/** The metrics as people read them, in the order of reports. */
export const METRIC_NAMES: { readonly [M in EvaluationMetric]: string } = {
  functional_completeness: "Functional Completeness",
  performance_scalability: "Performance & Scalability",
  security: "Security",
  maintainability_evolvability: "Maintainability & Evolvability",
  regulatory_compliance: "Regulatory Compliance",
  testability: "Testability",
  requirements_fulfillment: "Requirements Fulfillment",
  overall: "Overall Score",
};

export const averagesOf = ({ evaluation, overall_score }: EvaluationReport) => ({
  functional_completeness: evaluation.functional_completeness,
  ...evaluation.non_functional,
  overall: { average_score: overall_score },
});

/** One evaluation as its step recorded it. */
type Scores = {
  /** 1 to 10. */
  readonly scores: Readonly<Record<EvaluationMetric, number | null>>;
  readonly reasons: Readonly<Partial<Record<EvaluationMetric, string>>>;
  readonly strengths: readonly string[];
  readonly weaknesses: readonly string[];
  readonly clamped: readonly EvaluationMetric[];
  readonly ignored: readonly EvaluationMetric[];
};

/** Somebody with the seat of an evaluator, and what became of it so far. */
type Seat = { readonly evaluator: Participant } & (
  { readonly scores: Scores } | { readonly scores: null; readonly why: string }
);

/** Folds all entries of an evaluation, wherever it stands; undefined for any other deliberation. */
export function sectionOf(entries: readonly Entry[]): EvaluationReport | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (opened?.data.protocol.name !== "evaluation") return undefined;
  // As the protocol's schema read them.
  const { debate, debaters } = opened.data.settings as EvaluationWork;
  const closing = entries.findLast((entry) => isEvent(entry, "deliberation-closed"))?.data;
  const ends = endsIn(entries);
  const seats = opened.data.participants
    .filter(({ seat }) => seat === "evaluator")
    .map((evaluator) => seatOf(evaluator, ends.get(evaluator.id), !closing));
  const given = seats.flatMap(({ scores }) => scores ?? []);
  const families = sharedFamilies(
    seats.map(({ evaluator }) => evaluator),
    debaters,
  );
  return {
    evaluation: nestMetrics((metric) => ({ average_score: meanOf(metric, given) })),
    overall_score: meanOf("overall", given),
    agents: Object.fromEntries(
      seats.flatMap(({ evaluator, scores }) => (scores ? [[evaluator.id, replyOf(scores)]] : [])),
    ),
    id: opened.deliberation,
    debate: debate.id,
    status: closing?.outcome ?? "open",
    why: closing && "why" in closing ? closing.why : null,
    simulated: debate.simulated || isSimulated(entries),
    spread: Object.fromEntries(
      EVALUATION_METRICS.map((metric) => [metric, spreadOf(metric, given)]),
    ) as EvaluationReport["spread"],
    evaluators: seats.map((seat) => ({
      id: seat.evaluator.id,
      name: seat.evaluator.persona.name,
      model: seat.evaluator.model,
      family: seat.evaluator.family,
      skipped: seat.scores ? null : seat.why,
    })),
    families,
    warnings: [...families.map(familyWarning), ...seats.flatMap(warningsOf)],
    ...spending(entries).total,
  };
}

/** How the calls of evaluators failed that have no reply; asking them again may bring one. */
export const lostEvaluations = (entries: readonly Entry[]): readonly Failure[] =>
  lostCalls(endsIn(entries).values());

/** How many evaluators have given scores so far. */
export const evaluationsIn = (entries: readonly Entry[]): number =>
  [...endsIn(entries).values()].filter((entry) => isEvent(entry, "evaluation-given")).length;

/** The evaluator whose step an event of the protocol `evaluation` ends. */
export const evaluatorIn = (entry: Entry): string | undefined => {
  const work = workOf(entry);
  return work?.kind === "evaluation" ? work.by : undefined;
};

/** What each evaluator's step ended in, by id. */
const endsIn = (entries: readonly Entry[]): ReadonlyMap<string, Entry> =>
  measuredEnds(entries, ({ kind, by }) => (kind === "evaluation" ? by : undefined));

function seatOf(evaluator: Participant, end: Entry | undefined, open: boolean): Seat {
  if (end && isEvent(end, "degradation-noted")) return { evaluator, scores: null, why: end.data.why };
  if (!end || !isEvent(end, "evaluation-given"))
    return { evaluator, scores: null, why: open ? "not asked yet" : "the budget did not reach for it" };
  return isScores(end.data)
    ? { evaluator, scores: end.data }
    : { evaluator, scores: null, why: "its scores are recorded in a form that is not known here" };
}

const METRICS: ReadonlySet<string> = new Set(EVALUATION_METRICS);

/** Whether an evaluation is of the metrics that are known here; of which form it is otherwise, its event says. */
function isScores(data: Event<"evaluation-given">["data"]): data is typeof data & Scores {
  const { scores, reasons, clamped, ignored } = data;
  if (!EVALUATION_METRICS.every((name) => name in scores)) return false;
  const named = [...Object.keys(scores), ...Object.keys(reasons), ...clamped, ...ignored];
  return named.every((name) => METRICS.has(name));
}

const numbersOf = (metric: EvaluationMetric, given: readonly Scores[]): number[] =>
  given.flatMap(({ scores }) => scores[metric] ?? []);

function meanOf(metric: EvaluationMetric, given: readonly Scores[]): number | null {
  const numbers = numbersOf(metric, given);
  if (numbers.length === 0) return null;
  return Math.round((100 * numbers.reduce((sum, one) => sum + one, 0)) / numbers.length) / 100;
}

function spreadOf(metric: EvaluationMetric, given: readonly Scores[]): z.infer<typeof Spread> {
  const numbers = numbersOf(metric, given);
  return numbers.length < 2
    ? null
    : { low: Math.min(...numbers), high: Math.max(...numbers), n: numbers.length };
}

/** An evaluation in the form in which it was asked for. */
const replyOf = ({ scores, reasons, strengths, weaknesses }: Scores): z.infer<typeof EvaluationReply> => ({
  evaluation: nestMetrics((metric) => ({ reasoning: reasons[metric] ?? "", score: scores[metric] })),
  overall_summary: {
    strengths: strengths.join("\n"),
    weaknesses: weaknesses.join("\n"),
    overall_score: scores.overall,
  },
});

/** Who is of whose family, among those whose family is known. */
export const sharedFamilies = (
  evaluators: readonly Pick<Participant, "id" | "family">[],
  debaters: EvaluationWork["debaters"],
): EvaluationReport["families"] =>
  evaluators.flatMap(({ id, family }) => {
    if (family === null) return [];
    const as = debaters.flatMap((debater) => (debater.families.includes(family) ? [debater.id] : []));
    return as.length === 0 ? [] : [{ evaluator: id, family, as }];
  });

/** `eval-1 is of the same family (google) as agent-architect and judge-main`. */
export const familyWarning = ({ evaluator, family, as }: EvaluationReport["families"][number]): string =>
  `${evaluator} is of the same family (${family}) as ${[as.slice(0, -1).join(", "), as.at(-1)].filter(Boolean).join(" and ")}`;

function warningsOf(seat: Seat): string[] {
  const { id } = seat.evaluator;
  if (!seat.scores) return [`${id} is left out: ${seat.why}`];
  const { scores, clamped, ignored } = seat.scores;
  const named = (metric: EvaluationMetric) => `${id}: the score for ${METRIC_NAMES[metric]}`;
  return [
    ...clamped.map(
      (metric) => `${named(metric)} was outside of 1 to 10 and counts as ${String(scores[metric])}`,
    ),
    ...ignored.map((metric) => `${named(metric)} is no number and does not count`),
  ];
}
