import { reaches, type Floor } from "../../engine/index.ts";
import type { Closing, StepKey } from "../../kernel/index.ts";
import { conclude, holdForChair, leastReview, leastSynthesis, synthesisOf } from "../council/index.ts";
import { controlOf, leading } from "../../phases/control.ts";
import type { Draft, Drafts } from "../../phases/draft.ts";
import { leastRevision, revise } from "../../phases/revise.ts";
import { seatDrafts, type Place } from "../../phases/table.ts";
import { compare, comparisonRequest, type Compared } from "./compare.ts";
import { roundOf } from "./round.ts";
import { came, isShort, type Rung } from "./rungs.ts";
import type { AskSettings } from "./settings.ts";

/** An open question: the drafts' claims are compared, and what they contradict each other in decides how far it goes. */
export async function weigh(floor: Floor<AskSettings>, { drafts, absent }: Drafts): Promise<Closing> {
  const [chair] = floor.seats("chair");
  const outcome = absent.length > 0 ? ("answered-degraded" as const) : ("answered" as const);
  const open = `${drafts.filter(({ final }) => !isShort(final)).length} of ${drafts.length} drafts have no short final answer`;
  if (floor.settings.effort < 2 || drafts.length < 2 || !chair) {
    await came(floor, { rung: "draft", next: null, reason: drafts.length < 2 ? "there is one draft" : open });
    return { outcome, ...asDrafted(drafts) };
  }
  const table = seatDrafts(floor, drafts);
  const step = `comparison/${chair.id}`;
  const calls = () => [{ step, request: comparisonRequest(floor, chair, table) }];
  if (!(await reaches(floor.run, { name: "comparison", calls }))) {
    return stopped(floor, {
      rung: "draft",
      drafts,
      why: `${open}, and the budget does not reach for comparing them`,
    });
  }
  await came(floor, { rung: "draft", next: "comparison", reason: open });
  const compared = await compare(floor, chair, table);
  if (floor.settings.effort < 3) {
    await came(floor, { rung: "comparison", next: null, reason: foundBy(compared) });
    return { outcome: compared ? outcome : "answered-degraded", ...asDrafted(drafts) };
  }
  return goOn(floor, { drafts, absent, compared, table });
}

type Weighed = Drafts & { readonly compared: Compared | undefined; readonly table: readonly Place[] };

/** From the comparison on: to the chair, by way of a review, or of a revision and a review, where they contradict. */
async function goOn(
  floor: Floor<AskSettings>,
  { drafts, absent, compared, table }: Weighed,
): Promise<Closing> {
  const { effort, mode } = floor.settings;
  const contradicted = compared === undefined || compared.contradictions.length > 0;
  const reason = foundBy(compared);
  const evidence = { table, reviews: [], absent, standing: undefined, comparison: compared };
  const synthesis = { name: "synthesis", calls: () => synthesisOf(floor, evidence) };
  if (mode !== "vote" && !(await reaches(floor.run, synthesis))) {
    const why = `${reason}, and the budget does not reach for a synthesis`;
    return stopped(floor, { rung: "comparison", drafts, why });
  }
  // A vote has nothing to count without rankings.
  const wanted = effort >= 4 && (contradicted || mode === "vote");
  const least = () => [
    ...leastSynthesis(floor),
    ...leastReview(floor, { table, judges: floor.seats("judge") }),
  ];
  const reviewed = wanted && (await reaches(floor.run, { name: "review", calls: least }));
  const cut = wanted && !reviewed ? ", and the budget does not reach for a review" : "";
  if (mode === "vote" && !reviewed)
    return stopped(floor, { rung: "comparison", drafts, why: `${reason}${cut}` });

  const round = roundOf(floor, {
    round: 2,
    table,
    differ: (one, other) => compared === undefined || contradict(compared, one.step, other.step),
  });
  const again = () => [...least(), ...leastRevision(floor, round)];
  const revising =
    reviewed && effort >= 5 && contradicted && (await reaches(floor.run, { name: "revision", calls: again }));
  const next = revising ? "revision" : reviewed ? "review" : "synthesis";
  await came(floor, { rung: "comparison", next, reason: `${reason}${cut}` });
  if (reviewed) holdForChair(floor);
  const revised = revising ? await revise(floor, round) : undefined;
  if (revised) {
    const answered = `${revised.by.length} of ${drafts.length} answered again`;
    await came(floor, { rung: "revision", next: "review", reason: answered });
  }
  const closing = await conclude(floor, {
    drafts,
    absent,
    reviewed,
    // It speaks of the drafts, not of what became of them.
    ...(revised ? { answers: revised.answers } : { comparison: compared }),
  });
  const weakened = compared === undefined || cut !== "" || revised?.cut === true || (revised?.lost ?? 0) > 0;
  return closing.outcome === "answered" && weakened ? { ...closing, outcome: "answered-degraded" } : closing;
}

/** The climb ends here for want of budget, with the best answer so far. */
async function stopped(
  floor: Floor<AskSettings>,
  { rung, drafts, why }: { readonly rung: Rung; readonly drafts: readonly Draft[]; readonly why: string },
): Promise<Closing> {
  await came(floor, { rung, next: null, reason: why });
  return { outcome: "stopped-by-budget", why, best: asDrafted(drafts) };
}

const asDrafted = (drafts: readonly Draft[]) => {
  const best = leading(drafts);
  return { answer: best.step, control: controlOf(drafts, undefined, best.final) };
};

/** Whether two answers are on different sides of some contradiction. */
const contradict = ({ contradictions }: Compared, one: StepKey, other: StepKey): boolean =>
  contradictions.some(({ stances }) =>
    stances.some(
      ({ of }) => of.includes(one) && !of.includes(other) && stances.some((side) => side.of.includes(other)),
    ),
  );

function foundBy(compared: Compared | undefined): string {
  if (!compared) return "the drafts could not be compared";
  const { contradictions, agreements } = compared;
  if (contradictions.length === 0)
    return `no contradiction among the drafts, ${agreements.length} agreements`;
  const topics = contradictions.slice(0, 3).map(({ topic }) => topic.slice(0, 100).toWellFormed());
  const more = contradictions.length - topics.length;
  return `the drafts contradict each other on ${topics.join("; ")}${more > 0 ? ` and ${more} more` : ""}`;
}
