import type { AppContext } from "../app/context.ts";
import { open } from "../app/start.ts";
import { idOfRequest, type ForkChanges, type NewDeliberation } from "../engine/index.ts";
import {
  canonical,
  isEvent,
  type Budget,
  type DeliberationId,
  type Entry,
  type Event,
  type Failure,
  type OrganizationId,
} from "../kernel/index.ts";

// RESUMABLE-1. What a measurement has recorded is found again by what it stands on, whichever process recorded it.
// RESUMABLE-2. A run that ended is never driven again: what it lacks is asked in a fork of the run that got furthest.

/** One of the deliberations of a measurement. */
export type RecordedRun = {
  readonly id: DeliberationId;
  readonly opened: Event<"deliberation-opened">;
  readonly entries: readonly Entry[];
};

/** Where the runs of a measurement are: `request` names the nth, counted from 0. */
export type RunNames = {
  readonly organization: OrganizationId;
  readonly request: (nth: number) => string;
};

/** The recorded runs of a measurement, in order, up to the first that does not exist. */
export async function* recordedRuns(
  store: Pick<AppContext["store"], "read">,
  { organization, request }: RunNames,
): AsyncGenerator<RecordedRun> {
  for (let nth = 0; ; nth += 1) {
    const entries = await store.read(idOfRequest(organization, request(nth)));
    const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
    if (!opened || !isEvent(opened, "deliberation-opened")) return;
    yield { id: opened.deliberation, opened, entries };
  }
}

/** Work that one deliberation does, and that later ones continue where it ended early. */
export type ResumableWork = {
  /** It follows from all that the prompts are made from, so that the same work is found again. */
  readonly key: string;
  readonly opening: NewDeliberation;
  /** How many replies a run has recorded. */
  readonly countReplies: (entries: readonly Entry[]) => number;
  /** The failures of calls that have no reply. */
  readonly lostCalls: (entries: readonly Entry[]) => readonly Failure[];
  /** What the given budget leaves after an ended run; by default each run has the whole budget. */
  readonly budgetAfter?: (budget: Budget, entries: readonly Entry[]) => Budget;
  /** What the nth run changes about the run that it continues. */
  readonly changes: (furthest: RecordedRun, nth: number, budget: Budget) => ForkChanges;
};

/** `new`: nothing was recorded; `open`: it was interrupted; `closed`: all is recorded; `forked`: it continues an ended run. */
export type Resumed = {
  readonly id: DeliberationId;
  readonly state: "new" | "open" | "closed" | "forked";
};

/** Finds or opens the deliberation in which this work is to be done. @throws Fault as `open` and `changes` do */
export async function resumable(context: AppContext, work: ResumableWork): Promise<Resumed> {
  const { key, opening, countReplies } = work;
  const request = (nth: number) => (nth === 0 ? key : `${key}/${nth}`);
  let furthest: RecordedRun | undefined;
  let budget = opening.budget;
  let nth = 0;
  for await (const run of recordedRuns(context.store, { organization: opening.organization, request })) {
    const closing = run.entries.findLast((entry) => isEvent(entry, "deliberation-closed"))?.data;
    if (!closing) return { id: run.id, state: "open" };
    const isLacking =
      closing.outcome === "stopped-by-budget"
        ? canonical(run.opened.data.budget) !== canonical(budget)
        : closing.outcome === "failed" ||
          closing.outcome === "cancelled" ||
          work.lostCalls(run.entries).length > 0;
    if (!isLacking) return { id: run.id, state: "closed" };
    budget = work.budgetAfter?.(budget, run.entries) ?? budget;
    if (!furthest || countReplies(run.entries) >= countReplies(furthest.entries)) furthest = run;
    nth += 1;
  }
  const { opened } = furthest
    ? await context.engine.fork(furthest.id, {
        request: request(nth),
        changes: work.changes(furthest, nth, budget),
      })
    : await open(context, opening, key);
  return { id: opened.deliberation, state: furthest ? "forked" : "new" };
}
