import { canAfford, type ProtocolContext } from "../../engine/index.ts";
import type { Cap, Closing, StepKey } from "../../kernel/index.ts";
import {
  conclude,
  reserveForChair,
  minimumReviewCalls,
  minimumSynthesisCalls,
  synthesisCalls,
} from "../council/index.ts";
import { chooseControl, leadingDraft } from "../phases/control.ts";
import type { Draft, Drafts } from "../phases/draft.ts";
import { stoppedByBudget } from "../phases/loss.ts";
import { minimumRevisionCalls, revise } from "../phases/revise.ts";
import { seatDrafts, type SeatedDraft } from "../phases/table.ts";
import { compareDrafts, comparisonRequest, type DraftComparison } from "./compare.ts";
import { createRevisionRound, recordRung, isShortAnswer, type Rung, type AskSettings } from "./rungs.ts";

/** An open question: the drafts' claims are compared, and what they contradict each other in decides how far it goes. */
export async function resolveBySynthesis(
  context: ProtocolContext<AskSettings>,
  { drafts, absent }: Drafts,
): Promise<Closing> {
  const [chair] = context.seats("chair");
  const outcome = absent.length > 0 ? ("answered-degraded" as const) : ("answered" as const);
  const open = `${drafts.filter(({ final }) => !isShortAnswer(final)).length} of ${drafts.length} drafts have no short final answer`;
  if (context.settings.effort < 2 || drafts.length < 2 || !chair) {
    await recordRung(context, {
      rung: "draft",
      next: null,
      reason: drafts.length < 2 ? "there is one draft" : open,
    });
    return { outcome, ...asDrafted(drafts) };
  }
  const table = seatDrafts(context, drafts);
  const step = `comparison/${chair.id}`;
  const calls = () => [{ step, request: comparisonRequest(context, chair, table) }];
  const comparable = await canAfford(context.run, {
    name: "comparison",
    work: { kind: "comparison" },
    calls,
  });
  if (!comparable.ok) {
    return stopped(context, {
      rung: "draft",
      cap: comparable.cap,
      drafts,
      why: `${open}, and the budget does not reach for comparing them`,
    });
  }
  await recordRung(context, { rung: "draft", next: "comparison", reason: open });
  const compared = await compareDrafts(context, chair, table);
  if (context.settings.effort < 3) {
    await recordRung(context, { rung: "comparison", next: null, reason: describeComparison(compared) });
    return { outcome: compared ? outcome : "answered-degraded", ...asDrafted(drafts) };
  }
  return continueToChair(context, { drafts, absent, compared, table });
}

type Weighed = Drafts & {
  readonly compared: DraftComparison | undefined;
  readonly table: readonly SeatedDraft[];
};

/** From the comparison on: to the chair, by way of a review, or of a revision and a review, where they contradict. */
async function continueToChair(
  context: ProtocolContext<AskSettings>,
  { drafts, absent, compared, table }: Weighed,
): Promise<Closing> {
  const { effort, mode } = context.settings;
  const contradicted = compared === undefined || compared.contradictions.length > 0;
  const reason = describeComparison(compared);
  const evidence = { table, reviews: [], absent, standing: undefined, comparison: compared };
  const writing = {
    name: "synthesis",
    work: { kind: "synthesis" },
    calls: () => synthesisCalls(context, evidence),
  };
  const written = mode === "vote" ? { ok: true } : await canAfford(context.run, writing);
  if (!written.ok) {
    const why = `${reason}, and the budget does not reach for a synthesis`;
    return stopped(context, { rung: "comparison", drafts, why, cap: written.cap });
  }
  // A vote has nothing to count without rankings.
  const wanted = effort >= 4 && (contradicted || mode === "vote");
  const least = () => [
    ...minimumSynthesisCalls(context),
    ...minimumReviewCalls(context, { table, judges: context.seats("judge") }),
  ];
  const reviewing = wanted
    ? await canAfford(context.run, { name: "review", work: { kind: "review" }, calls: least })
    : { ok: false };
  const reviewed = reviewing.ok;
  const cut = wanted && !reviewed ? ", and the budget does not reach for a review" : "";
  if (mode === "vote" && !reviewed)
    return stopped(context, { rung: "comparison", drafts, why: `${reason}${cut}`, cap: reviewing.cap });

  const round = createRevisionRound(context, {
    round: 2,
    table,
    differ: (one, other) => compared === undefined || contradict(compared, one.step, other.step),
  });
  const again = () => [...least(), ...minimumRevisionCalls(context, round)];
  const revisable = { name: "revision", work: { kind: "revision", round: round.round }, calls: again };
  const revising = reviewed && effort >= 5 && contradicted && (await canAfford(context.run, revisable)).ok;
  const next = revising ? "revision" : reviewed ? "review" : "synthesis";
  await recordRung(context, { rung: "comparison", next, reason: `${reason}${cut}` });
  if (reviewed) reserveForChair(context);
  const revised = revising ? await revise(context, round) : undefined;
  if (revised) {
    const answered = `${revised.by.length} of ${drafts.length} answered again`;
    await recordRung(context, { rung: "revision", next: "review", reason: answered });
  }
  const closing = await conclude(context, {
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
  context: ProtocolContext<AskSettings>,
  {
    rung,
    drafts,
    why,
    cap,
  }: {
    readonly rung: Rung;
    readonly drafts: readonly Draft[];
    readonly why: string;
    readonly cap: Cap | undefined;
  },
): Promise<Closing> {
  await recordRung(context, { rung, next: null, reason: why });
  return stoppedByBudget(why, cap, asDrafted(drafts));
}

const asDrafted = (drafts: readonly Draft[]) => {
  const best = leadingDraft(drafts);
  return { answer: best.step, control: chooseControl(drafts, undefined, best.final) };
};

/** Whether two answers are on different sides of some contradiction. */
const contradict = ({ contradictions }: DraftComparison, one: StepKey, other: StepKey): boolean =>
  contradictions.some(({ stances }) =>
    stances.some(
      ({ of }) => of.includes(one) && !of.includes(other) && stances.some((side) => side.of.includes(other)),
    ),
  );

function describeComparison(compared: DraftComparison | undefined): string {
  if (!compared) return "the drafts could not be compared";
  const { contradictions, agreements } = compared;
  if (contradictions.length === 0)
    return `no contradiction among the drafts, ${agreements.length} agreements`;
  const topics = contradictions.slice(0, 3).map(({ topic }) => topic.slice(0, 100).toWellFormed());
  const more = contradictions.length - topics.length;
  return `the drafts contradict each other on ${topics.join("; ")}${more > 0 ? ` and ${more} more` : ""}`;
}
