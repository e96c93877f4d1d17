import * as z from "zod";
import { Estimate } from "../../../../contract/figures.ts";
import { bootstrap } from "../../../../stats/bootstrap.ts";
import { estimateLean, estimateShare } from "../../../../stats/proportions.ts";
import { judgeLeans, type JudgedPair } from "../../../../stats/judge-leans.ts";
import { kappa, weightedKappa } from "../../../../stats/kappa.ts";
import type { Entry } from "../../../../kernel/index.ts";
import {
  headOf,
  JUDGE_HEAD,
  judgedWork,
  type JudgedAnswerItem,
  type JudgedPairItem,
  type JudgedWork,
} from "../../../../views/judged-work.ts";

/** With fewer labelled items that have a verdict, figures are not enough to judge by: their intervals span almost anything. */
const MIN_LABELED_ITEMS = 30;

/**
 * A judge measured against labels; what `parley judge validate --json` prints. Published as
 * `schemas/judge-validation.schema.json`. Figures rest on the first asking of every prompt, `repeatability` on all. Leans
 * run from −0.5 to 0.5 (grades: in points), 0 is none.
 */
export const Validation = z.strictObject({
  ...JUDGE_HEAD,
  kind: z.enum(["preference", "grade"]),
  /**
   * Whether it came to its end, on enough labelled items to judge the judge by: not that it is any good, which the figures
   * say. `why` says why not.
   */
  measured: z.boolean(),
  why: z.string().nullable(),
  items: z.int(),
  /** Labelled items with a verdict, on which accuracy and kappa rest. */
  labelled: z.int(),
  /** Items whose verdict could not be read, or was never given. */
  unread: z.int(),
  repeat: z.int(),
  /** The share of verdicts that are the label: of grades exactly, of pairs over both orders, a change of mind being a tie. */
  accuracy: Estimate,
  /** Cohen's kappa of verdicts and labels, which chance agreement does not raise. */
  kappa: Estimate,
  /** Of grades: kappa with quadratic weights, to which a near miss counts less. */
  weightedKappa: Estimate.nullable(),
  /** Of pairs: the share whose verdict changed with the order. */
  flipRate: Estimate.nullable(),
  /** Of pairs: to whichever answer is shown first. */
  positionLean: Estimate.nullable(),
  /** Of pairs: to the longer answer; over all, over those labelled a tie, and the same lean of the labels themselves. */
  lengthLean: z.strictObject({ all: Estimate, ties: Estimate, labels: Estimate }).nullable(),
  /** The share of prompts asked again that got the first verdict again. */
  repeatability: Estimate,
  /** To answers of the judge's own family, beyond what the labels say; n counts the items that can tell. */
  ownFamilyLean: Estimate,
});
export type Validation = z.infer<typeof Validation>;

/** What the journal of a judge's deliberation says of the judge; undefined for any other deliberation. */
export function summarizeValidation(entries: readonly Entry[]): Validation | undefined {
  const work = judgedWork(entries);
  if (!work) return undefined;
  const figures =
    work.kind === "preference" ? pairFigures(work.items, work) : gradeFigures(work.items, work.family);
  const why =
    work.status === "open"
      ? "it has not come to its end"
      : work.why !== null
        ? work.why
        : figures.labelled < MIN_LABELED_ITEMS
          ? `${figures.labelled} labeled items with a verdict, ${MIN_LABELED_ITEMS} required`
          : null;
  return {
    ...headOf(work),
    kind: work.kind,
    measured: why === null,
    why,
    items: work.items.length,
    repeat: work.repeat,
    ...figures,
  };
}

type Figures = Omit<
  Validation,
  keyof ReturnType<typeof headOf> | "kind" | "measured" | "why" | "items" | "repeat"
>;

type LabeledVerdict<L, V> = { readonly label: L; readonly verdict: V };

function pairFigures(
  items: readonly JudgedPairItem[],
  { model, family }: Pick<JudgedWork, "model" | "family">,
): Figures {
  const labelled = items.flatMap(({ label, winner }) =>
    label !== undefined && winner !== null ? [{ label, verdict: winner }] : [],
  );
  const leansOf = (some: readonly JudgedPairItem[]) =>
    judgeLeans(some.map((item) => judgedPair(item, model)))[0];
  const leans = leansOf(items);
  const onTies = leansOf(items.filter(({ label }) => label === "tie"));
  return {
    labelled: labelled.length,
    unread: items.filter(({ winner }) => winner === null).length,
    accuracy: estimateAccuracy(labelled),
    kappa: estimateKappa(labelled),
    weightedKappa: null,
    flipRate: leans?.flipRate ?? estimateShare(0, 0),
    positionLean: leans?.positionLean ?? estimateLean(0, 0),
    lengthLean: {
      all: leans?.lengthLean ?? estimateLean(0, 0),
      ties: onTies?.lengthLean ?? estimateLean(0, 0),
      labels: labelLength(items),
    },
    repeatability: repeatability(
      items.flatMap(({ orders }) =>
        orders.map((order) => order.map((verdict) => verdict.ok && verdict.winner)),
      ),
    ),
    ownFamilyLean: interval(ownPairs(items, family), (drawn) => mean(drawn.map(({ own, due }) => own - due))),
  };
}

function gradeFigures(items: readonly JudgedAnswerItem[], family: string | null): Figures {
  const judged = items.flatMap(({ label, score, family: author = null }) =>
    label !== undefined && score !== null ? [{ label, verdict: score, author }] : [],
  );
  const texts = judged.map(({ label, verdict }) => ({ label: String(label), verdict: String(verdict) }));
  const known = family === null ? [] : judged.filter(({ author }) => author !== null);
  const own = known.filter(({ author }) => author === family).length;
  return {
    labelled: judged.length,
    unread: items.filter(({ score }) => score === null).length,
    accuracy: estimateAccuracy(texts),
    kappa: estimateKappa(texts),
    weightedKappa: interval(judged, (drawn) => weightedKappa(labels(drawn), verdicts(drawn))),
    flipRate: null,
    positionLean: null,
    lengthLean: null,
    repeatability: repeatability(items.map(({ grades }) => grades.map((grade) => grade ?? false))),
    ownFamilyLean:
      own === 0 || own === known.length
        ? NOTHING
        : interval(known, (drawn) => {
            const [ours, others] = [true, false].map((same) =>
              drawn.filter(({ author }) => (author === family) === same),
            );
            // A resample without one of the two says nothing of their difference.
            if (!ours?.length || !others?.length) return null;
            return mean(ours.map(excess)) - mean(others.map(excess));
          }),
  };
}

const labels = <L>(drawn: readonly LabeledVerdict<L, unknown>[]): L[] => drawn.map(({ label }) => label);
const verdicts = <V>(drawn: readonly LabeledVerdict<unknown, V>[]): V[] =>
  drawn.map(({ verdict }) => verdict);
const excess = ({ label, verdict }: LabeledVerdict<number, number>): number => verdict - label;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const estimateAccuracy = (labelled: readonly LabeledVerdict<string, string>[]): Estimate =>
  estimateShare(labelled.filter(({ label, verdict }) => label === verdict).length, labelled.length);

const NOTHING: Estimate = { value: null, n: 0, low: null, high: null };

/** A figure with its bootstrap interval over the items; a resample on which it is undefined counts as no effect. */
function interval<T>(sample: readonly T[], figure: (drawn: readonly T[]) => number | null): Estimate {
  const value = sample.length === 0 ? null : figure(sample);
  if (value === null) return { ...NOTHING, n: sample.length };
  const range = bootstrap(sample, (drawn) => figure(drawn) ?? 0, { seed: "validation" });
  // Items that all say the same give every resample the same figure: that is no certainty.
  const { low, high } = range !== null && range.high > range.low ? range : NOTHING;
  return { value, n: sample.length, low, high };
}

/** Cohen's kappa; where resampling gives no interval, the accuracy's, with the chance agreement taken as known. */
function estimateKappa(sample: readonly LabeledVerdict<string, string>[]): Estimate {
  const found = interval(sample, (drawn) => kappa(labels(drawn), verdicts(drawn)));
  if (found.value === null || found.low !== null) return found;
  const shareWith = (values: readonly string[], value: string) =>
    values.filter((one) => one === value).length / values.length;
  const [due, given] = [labels(sample), verdicts(sample)];
  const chance = [...new Set(due)].reduce((sum, one) => sum + shareWith(due, one) * shareWith(given, one), 0);
  const { low, high } = estimateAccuracy(sample);
  const corrected = (accuracy: number | null) =>
    accuracy === null ? null : (accuracy - chance) / (1 - chance);
  return { ...found, low: corrected(low), high: corrected(high) };
}

function judgedPair({ orders: [[first], [second]], lengths }: JudgedPairItem, judge: string): JudgedPair {
  const missing = { ok: false, reason: "not asked yet" } as const;
  return { judge, first: first ?? missing, second: second ?? missing, lengths };
}

function labelLength(items: readonly JudgedPairItem[]): Estimate {
  const longer = items.flatMap(({ label, lengths: { a, b } }) =>
    (label === "A" || label === "B") && a !== b ? [(label === "A") === a > b] : [],
  );
  return estimateLean(longer.filter(Boolean).length, longer.length);
}

/** Of each prompt its verdicts in turn, false where one could not be read. */
function repeatability(prompts: readonly (readonly (string | number | false)[])[]): Estimate {
  const again = prompts.flatMap(([first, ...others]) =>
    others.map((other) => other === first && other !== false),
  );
  return estimateShare(again.filter(Boolean).length, again.length);
}

/** Pairs of which exactly one answer is of the judge's family: what it got (a win 1, a tie 0.5), and what was its due. */
const ownPairs = (items: readonly JudgedPairItem[], family: string | null) =>
  items.flatMap(({ winner, label, families }) => {
    if (family === null || winner === null || label === undefined || families === undefined) return [];
    if ((families.a === family) === (families.b === family)) return [];
    const side = families.a === family ? "A" : "B";
    const worth = (verdict: string): number => (verdict === "tie" ? 0.5 : verdict === side ? 1 : 0);
    return [{ own: worth(winner), due: worth(label) }];
  });

const winner = z.enum(["A", "B", "tie"]).nullable();

/** What `parley judge grade --json` and `parley judge compare --json` print. Published as `schemas/judgement.schema.json`. */
export const Judgement = z.discriminatedUnion("kind", [
  z.strictObject({
    ...JUDGE_HEAD,
    kind: z.literal("grade"),
    /** In the order given; `score` null where there is none, `why` then says why. */
    grades: z.array(
      z.strictObject({ score: z.int().nullable(), feedback: z.string(), why: z.string().nullable() }),
    ),
  }),
  z.strictObject({
    ...JUDGE_HEAD,
    kind: z.literal("preference"),
    /** What both orders say together; null where a reply could not be read, `why` then says why. */
    winner,
    orderSensitive: z.boolean().nullable(),
    reason: z.string(),
    why: z.string().nullable(),
    /** What each order says by itself, in the names of the first one. */
    orders: z.array(
      z.strictObject({ shown: z.tuple([z.string(), z.string()]), winner, why: z.string().nullable() }),
    ),
  }),
]);
export type Judgement = z.infer<typeof Judgement>;

/** The grades of all answers, or the preference on the one pair, of a judge's deliberation; undefined for any other one. */
export function judgementOf(entries: readonly Entry[]): Judgement | undefined {
  const work = judgedWork(entries);
  if (!work) return undefined;
  if (work.kind === "grade") {
    const grades = work.items.map(({ score, feedback, why }) => ({ score, feedback, why }));
    return { ...headOf(work), kind: "grade", grades };
  }
  const [pair] = work.items;
  if (!pair) return undefined;
  const turned = { A: "B", B: "A", tie: "tie" } as const;
  const orders = pair.orders.map(([verdict], index) => {
    const said = verdict?.ok ? verdict.winner : null;
    return {
      shown: index === 0 ? (["A", "B"] as [string, string]) : (["B", "A"] as [string, string]),
      winner: said === null || index === 0 ? said : turned[said],
      why: verdict?.ok ? null : (verdict?.reason ?? "not asked yet"),
    };
  });
  const { winner: together, orderSensitive, reason, why } = pair;
  return { ...headOf(work), kind: "preference", winner: together, orderSensitive, reason, why, orders };
}

/** What a judge's run adds to a result: its figures where its items are labelled, else its verdicts. */
export const sectionSchema = z.union([Validation, Judgement]);
export type JudgeSection = z.infer<typeof sectionSchema>;

export const sectionOf = (entries: readonly Entry[]): JudgeSection | undefined =>
  judgedWork(entries)?.items.some(({ label }) => label !== undefined) === true
    ? summarizeValidation(entries)
    : judgementOf(entries);
