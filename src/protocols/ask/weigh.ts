import type { Floor } from "../../engine/index.ts";
import type { Closing, StepKey } from "../../kernel/index.ts";
import { conclude, controlOf, holdForChair, leading } from "../council/index.ts";
import type { Draft, Drafts } from "../phases/draft.ts";
import { revise } from "../phases/revise.ts";
import { seatDrafts } from "../phases/table.ts";
import { compare, comparisonRequest, type Compared } from "./compare.ts";
import { came, reaches } from "./rungs.ts";
import type { AskSettings } from "./settings.ts";

/** An open question: the drafts' claims are compared, and what they contradict each other in decides how far it goes. */
export async function weigh(floor: Floor<AskSettings>, { drafts, absent }: Drafts): Promise<Closing> {
  const { effort, mode } = floor.settings;
  const [chair] = floor.seats("chair");
  const open = `${drafts.filter(({ final }) => final === null).length} of ${drafts.length} drafts have no short final answer`;
  const outcome = absent.length > 0 ? ("answered-degraded" as const) : ("answered" as const);
  if (effort < 2 || drafts.length < 2 || !chair) {
    await came(floor, { rung: "draft", next: null, reason: drafts.length < 2 ? "there is one draft" : open });
    return { outcome, ...asDrafted(drafts) };
  }
  const table = seatDrafts(floor, drafts);
  const request = comparisonRequest(floor, chair, table);
  if (!(await reaches(floor, { name: "comparison", id: chair.id, request }))) {
    const why = `${open}, and the budget does not reach for comparing them`;
    return { outcome: "stopped-by-budget", why, best: asDrafted(drafts) };
  }
  await came(floor, { rung: "draft", next: "comparison", reason: open });
  const compared = await compare(floor, chair, table);
  const contradicted = compared === undefined || compared.contradictions.length > 0;
  const reason = foundBy(compared);
  if (effort < 3) {
    await came(floor, { rung: "comparison", next: null, reason });
    return { outcome: compared ? outcome : "answered-degraded", ...asDrafted(drafts) };
  }

  // A vote has nothing to count without rankings.
  const reviewed = effort >= 4 && (contradicted || mode === "vote");
  const revising = reviewed && effort >= 5 && contradicted;
  const next = revising ? "revision" : reviewed ? "review" : "synthesis";
  await came(floor, { rung: "comparison", next, reason });
  if (reviewed) holdForChair(floor);
  const revised = revising ? await reviseOver(floor, drafts, compared) : undefined;
  if (revised) {
    const again = `${revised.by.length} of ${drafts.length} answered again`;
    await came(floor, { rung: "revision", next: "review", reason: again });
  }
  const closing = await conclude(floor, {
    drafts,
    absent,
    reviewed,
    // It speaks of the drafts, not of what became of them.
    ...(revised ? { answers: revised.answers } : { comparison: compared }),
  });
  const weakened = compared === undefined || (revised !== undefined && (revised.cut || revised.lost > 0));
  return closing.outcome === "answered" && weakened ? { ...closing, outcome: "answered-degraded" } : closing;
}

const asDrafted = (drafts: readonly Draft[]) => {
  const best = leading(drafts);
  return { answer: best.step, control: controlOf(drafts, undefined, best.final) };
};

const reviseOver = (floor: Floor<AskSettings>, drafts: readonly Draft[], compared: Compared | undefined) =>
  revise(floor, {
    round: 2,
    table: seatDrafts(floor, drafts),
    differ: (one, other) => compared === undefined || contradict(compared, one.step, other.step),
    maxOutputTokens: floor.settings.maxOutputTokens.draft,
    timeoutMs: floor.settings.callTimeoutMs,
    patienceMs: floor.settings.patienceMs,
  });

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
