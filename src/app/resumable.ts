import type { AppContext } from "./context.ts";
import { remainingBudget } from "./budget.ts";
import { assembleOpening, protocolSettings, type OpeningParts } from "./opening.ts";
import { openPrepared } from "./start.ts";
import {
  digestOf,
  type ForkChanges,
  idOfRequest,
  type NewDeliberation,
  spentSoFar,
  textDigest,
} from "../engine/index.ts";
import type { OpeningPart } from "../engine/opening-part.ts";
import type { AnyProtocol } from "../engine/protocol.ts";
import {
  callOf,
  canonical,
  isEvent,
  type Budget,
  type DeliberationId,
  type Entry,
  type Event,
  type Failure,
  type Opening,
  type OrganizationId,
} from "../kernel/index.ts";

// A run that ended is never driven again: what it lacks is asked in a fork of the run that got furthest.

/** One of the deliberations of a measurement. */
export type RecordedRun = {
  readonly id: DeliberationId;
  readonly opened: Event<"deliberation-opened">;
  readonly entries: readonly Entry[];
};

/** Where the runs of a measurement are: `request` names the nth, counted from 0. */
export type RunNames = { readonly organization: OrganizationId; readonly request: (nth: number) => string };

/** The recorded runs of a measurement, in order, up to the first that does not exist. */
export async function* recordedRuns(
  store: Pick<AppContext["store"], "read">,
  { organization, request }: RunNames,
): AsyncGenerator<RecordedRun> {
  for (let nth = 0; ; nth += 1) {
    const entries = await store.read(idOfRequest(organization, request(nth)));
    const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
    if (!opened) return;
    yield { id: opened.deliberation, opened, entries };
  }
}

/** Work that one deliberation does, and that later ones continue where it ended early. */
export type ResumableWork = {
  /** It follows from all that the prompts are made from, so that the same work is found again. */
  readonly key: string;
  readonly opening: NewDeliberation;
  readonly protocol: AnyProtocol;
  /** How far a run got; by default how many replies it has recorded. */
  readonly countReplies?: (entries: readonly Entry[]) => number;
  /** The failures of calls without which something is missing in a run that was answered; by default there are none. */
  readonly lostCalls?: (entries: readonly Entry[]) => readonly Failure[];
  /** Whether each run has the whole budget, and not only what the earlier ones left of it. */
  readonly isBudgetEach?: boolean;
  /** What the nth run changes about the run that it continues; by default it makes failed calls again, that often. */
  readonly changes?: (furthest: RecordedRun, nth: number, budget: Budget) => ForkChanges;
};

const repliesIn = (entries: readonly Entry[]): number => entries.filter((entry) => callOf(entry)?.ok).length;

/** What a measurement asks, and what names it beside the protocol's version, its texts and the seed. */
type MeasurementSpec = Pick<OpeningParts, "protocol" | "question"> & {
  readonly texts: NewDeliberation["context"];
  readonly part: Pick<OpeningPart, "settings" | "participants" | "templates">;
  readonly identity: (opening: NewDeliberation) => Readonly<Record<string, unknown>>;
  /** Measures again what was measured before. */
  readonly again: boolean;
  readonly client?: Opening["client"];
};

/** Builds a measurement's opening, under a key that follows from everything that the prompts are made from. */
export async function openMeasurement(
  context: AppContext,
  { protocol, question, texts, part, identity, again, client }: MeasurementSpec,
): Promise<Pick<ResumableWork, "protocol" | "key" | "opening">> {
  const { opening } = await assembleOpening(context, {
    protocol,
    question,
    context: texts,
    reactions: false,
    client,
    part: { ...part, answering: [], notes: [] },
  });
  const seed = context.settings.seed ?? null;
  const key = measurementKey(protocol, { identity: identity(opening), texts, seed });
  return { protocol, key: `${key}${again ? againName(context, client) : ""}`, opening };
}

type MeasurementIdentity = {
  /** What names it beside the rest, such as settings, models and templates. */
  readonly identity: Readonly<Record<string, unknown>>;
  readonly texts: NewDeliberation["context"];
  readonly seed: string | null;
};

/** The name of a measurement, which follows from everything that its prompts are made from. */
export const measurementKey = (
  { name, version }: Pick<AnyProtocol, "name" | "version">,
  { identity, texts, seed }: MeasurementIdentity,
): string =>
  `${name}/${digestOf({
    version,
    ...identity,
    texts: texts.map((one) => [one.name, textDigest(one.text.toWellFormed())]),
    seed,
  })}`;

/** The name of the nth run of a measurement, counted from 0. */
export const nthRequest =
  (key: string): RunNames["request"] =>
  (nth) =>
    nth === 0 ? key : `${key}/${nth}`;

/** What sets a repetition apart: its client's name for it, or chance. */
export const againName = ({ world }: Pick<AppContext, "world">, client: Opening["client"]): string =>
  `/again/${client?.request ?? world.id()}`;

/** `new`: nothing was recorded; `open`: it was interrupted; `closed`: all is recorded; `forked`: it continues an ended run. */
export type Resumed = { readonly id: DeliberationId; readonly state: "new" | "open" | "closed" | "forked" };

/** Finds or opens the deliberation in which this work is to be done. @throws Fault as `open` and `changes` do */
export async function resumable(context: AppContext, work: ResumableWork): Promise<Resumed> {
  const { protocol, key, opening, countReplies = repliesIn, lostCalls = () => [] } = work;
  const request = nthRequest(key);
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
          lostCalls(run.entries).length > 0;
    if (!isLacking) return { id: run.id, state: "closed" };
    if (!work.isBudgetEach)
      budget = remainingBudget(budget, spentSoFar(run.entries, await context.store.reservations(run.id)));
    if (!furthest || countReplies(run.entries) >= countReplies(furthest.entries)) furthest = run;
    nth += 1;
  }
  const changes = ({ opened }: RecordedRun): ForkChanges => ({
    settings: protocolSettings(protocol, { ...opened.data.settings, again: nth }),
    budget,
  });
  const { opened } = furthest
    ? await context.engine.fork(furthest.id, {
        request: request(nth),
        changes: {
          ...(work.changes ?? changes)(furthest, nth, budget),
          ...(opening.client === undefined ? {} : { client: opening.client }),
        },
      })
    : await openPrepared(context, { opening }, key);
  return { id: opened.deliberation, state: furthest ? "forked" : "new" };
}
