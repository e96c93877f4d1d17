import * as z from "zod";
import { type AppContext, refuseUnknownPrices } from "../../app/context.ts";
import { budgetOf, type Caps, protocolSettings } from "../../app/opening.ts";
import { protocols } from "../../app/registry.ts";
import { follow, type RunContext } from "../../app/run.ts";
import { type AnyProtocol, digestOf, idOfRequest, loadNamed } from "../../engine/index.ts";
import {
  callOf,
  type DeliberationId,
  type Entry,
  Fault,
  isEvent,
  type Participant,
  type Quote,
  StepKey,
} from "../../kernel/index.ts";
import { CouncilSettings, type Rewriting as RewritingSetting } from "../../protocols/council/index.ts";
import { oneLine } from "../../reports/printable.ts";
import { formatNumber, formatUsd } from "../../text/format.ts";
import {
  type Grounds,
  groundsOf,
  synthesisIn,
  withheldIn,
  writtenBy,
} from "../../views/contribution-grounds.ts";
import { recordedRuns } from "../resumable.ts";
import { isClosed } from "../../views/result.ts";
import { spending } from "../../views/spending.ts";
import {
  type Contributions,
  computeContributions,
  toMeasurements,
  type RerunResults,
} from "./contributions.ts";

// LEAVE-ONE-OUT-1. The chair is re-run once without each member that has a draft, and `repeats` times with all drafts.
// LEAVE-ONE-OUT-2. A recorded re-run is found again, whichever process made it: measuring twice makes no calls.
// LEAVE-ONE-OUT-3. A limit holds for all re-runs of a measurement together; one that would exceed it leaves no trace.
// LEAVE-ONE-OUT-4. A re-run in which the chair failed stays as it is; the next measurement makes another.

/** How to re-run the chair. */
export type RerunOptions = {
  /** Whether calls are allowed; recorded re-runs are used either way. */
  readonly calls: boolean;
  /** How often it is re-run with all drafts, which gives the noise floor. */
  readonly repeats: number;
  readonly signal: AbortSignal;
  /** Gets the plan, and a line for each re-run that ended. */
  readonly note: (line: string) => void;
};

export type RerunContext = RunContext &
  Pick<AppContext, "models" | "checkModel"> & {
    readonly settings: Caps;
  };

export type MeasuredRun = { readonly entries: readonly Entry[]; readonly grounds: Grounds };

/** A re-run, and its fork as far as it is recorded. */
type Rerun = {
  readonly without: Participant | undefined;
  readonly setting: RewritingSetting;
  readonly request: string;
  readonly fork: DeliberationId;
  readonly entries: readonly Entry[];
};

/** Re-runs the chair, each time in a fork that withholds a draft; undefined when it was interrupted. */
async function rewrite(
  tools: RerunContext,
  parent: MeasuredRun,
  rewriting: RerunOptions,
): Promise<RerunResults | undefined> {
  const found = await rewritable(parent.grounds);
  if (!found.ok) return { status: "not-applicable", why: found.why, rewritings: [], recorded: [] };
  const jobs = await Promise.all(
    settingsFor(parent.grounds, { ...found, repeats: rewriting.repeats }).map((one) =>
      findJob(tools, parent.grounds, one),
    ),
  );
  const waiting = jobs.filter(({ entries }) => !isClosed(entries));
  const done =
    rewriting.calls && waiting.length > 0
      ? await askAll(tools, { ...parent, ...found, waiting }, rewriting)
      : { jobs: [], recorded: [] };
  const all = jobs.map((job) => done.jobs.find(({ fork }) => fork === job.fork) ?? job);
  if (rewriting.signal.aborted && all.some(({ entries }) => !isClosed(entries))) return undefined;
  return {
    ...cameTo(all, rewriting.calls),
    rewritings: all.map(({ without, fork, entries }) => ({ without: without?.id ?? null, fork, entries })),
    recorded: done.recorded,
  };
}

type RerunnableChair = { readonly chair: Participant; readonly protocol: AnyProtocol };

/** The chair that can be re-run and its protocol, or why there is none. */
async function rewritable(
  grounds: Grounds,
): Promise<({ readonly ok: true } & RerunnableChair) | { readonly ok: false; readonly why: string }> {
  const { opened, drafters } = grounds;
  const chair = writtenBy(grounds);
  if (!chair) return { ok: false, why: "no chair wrote the answer: it is a member's draft" };
  if (drafters.length < 2)
    return { ok: false, why: "there was only one draft, so that none can be left out" };
  const { name, version } = opened.data.protocol;
  const protocol = await loadNamed<AnyProtocol>(protocols, name);
  if (protocol?.version !== version) {
    const next = "ask the question again to have it measured";
    return {
      ok: false,
      why: `it was run by ${name}@${version}, which this version of Parley does not have; ${next}`,
    };
  }
  const { settings } = protocol;
  return settings instanceof z.ZodObject && "rewriting" in settings.shape
    ? { ok: true, chair, protocol }
    : { ok: false, why: `${name} cannot re-run its synthesis` };
}

/** Those with all drafts come first: no difference means anything without the noise floor. */
const settingsFor = (
  { opened, drafters }: Grounds,
  { chair: { id: by }, repeats }: Pick<RerunnableChair, "chair"> & Pick<RerunOptions, "repeats">,
): Pick<Rerun, "without" | "setting">[] => [
  ...Array.from({ length: repeats }, (_, index) => ({
    without: undefined,
    setting: { by, withheld: [], nth: index + 1 },
  })),
  ...drafters.map(({ id }) => ({
    without: opened.data.participants.find((one) => one.id === id),
    setting: { by, withheld: [id], nth: 0 },
  })),
];

/** Finds the fork of an asking: its name follows from the parent and from what is withheld. */
async function findJob(
  { store }: RerunContext,
  { opened: { deliberation: parent, data } }: Grounds,
  asking: Pick<Rerun, "without" | "setting">,
): Promise<Rerun> {
  const { organization } = data;
  const request = (nth: number) =>
    `contributions/${digestOf({ parent, ...asking.setting, attempt: nth + 1 })}`;
  let nth = 0;
  for await (const { id, entries } of recordedRuns(store, { organization, request })) {
    const failed = isClosed(entries) && !synthesisIn(entries);
    if (!failed) return { ...asking, request: request(nth), fork: id, entries }; // LEAVE-ONE-OUT-4
    nth += 1;
  }
  return { ...asking, request: request(nth), fork: idOfRequest(organization, request(nth)), entries: [] };
}

type PendingReruns = MeasuredRun & RerunnableChair & { readonly waiting: readonly Rerun[] };

/** Runs as many at once as the limits allow in the worst case, then as many as the rest allows. */
async function askAll(
  tools: RerunContext,
  { waiting, ...parent }: PendingReruns,
  { signal, note }: RerunOptions,
): Promise<{ readonly jobs: readonly Rerun[]; readonly recorded: readonly Entry[] }> {
  await refuseUnasked(tools, parent.chair);
  const worst = await worstCase(tools, parent);
  note(planWords(waiting, { ...parent, worst }));
  const jobs: Rerun[] = [];
  const recorded: Entry[] = [];
  while (jobs.length < waiting.length && !signal.aborted) {
    const fits = reach(budgetOf(tools.settings), { worst, recorded });
    const wave = waiting.slice(jobs.length, jobs.length + fits);
    if (wave.length === 0) break; // LEAVE-ONE-OUT-3
    const driven = await Promise.all(wave.map((job) => askOnce(tools, parent, { job, signal, note })));
    recorded.push(...driven.flatMap(({ entries }, index) => entries.slice(wave[index]?.entries.length ?? 0)));
    jobs.push(...driven);
  }
  return { jobs, recorded };
}

async function askOnce(
  tools: RerunContext,
  { grounds, protocol }: MeasuredRun & RerunnableChair,
  { job, signal, note }: { readonly job: Rerun } & Pick<RerunOptions, "signal" | "note">,
): Promise<Rerun> {
  const { deliberation, data } = grounds.opened;
  const settings = protocolSettings(protocol, { ...data.settings, rewriting: job.setting });
  const { opened } = await tools.engine.fork(deliberation, {
    request: job.request,
    // What is written to be measured is no answer: nobody grades or remembers it.
    changes: { settings, reactions: {} },
  });
  await follow(tools, opened, { signal, reactions: "none" }).outcome();
  const entries = await tools.store.read(job.fork);
  if (isClosed(entries))
    note(`${askingWords(job)}: ${synthesisIn(entries) ? "written" : "failed"} (${job.fork})`);
  return { ...job, entries };
}

/** @throws Fault for a chair that cannot be asked, or whose price is unknown under a cap in money */
async function refuseUnasked(tools: RerunContext, chair: Participant): Promise<void> {
  const problem = await tools.checkModel(chair.model);
  if (problem) {
    const why = `the chair cannot be re-run: ${problem.reason}`;
    throw new Fault(problem.code, { why, next: "measure without calls what needs none" });
  }
  if (budgetOf(tools.settings).usd !== undefined) refuseUnknownPrices(tools, [chair]);
}

/** The most that a re-run takes: the prompt with all drafts, and a reply of full length. */
async function worstCase(
  { store, models }: RerunContext,
  { chair, grounds, entries }: Omit<PendingReruns, "waiting">,
): Promise<Quote> {
  const { question, context, settings } = grounds.opened.data;
  const counted = grounds.given.data.call?.tokens.in ?? null;
  const texts = await Promise.all(context.map(({ text }) => store.text(text)));
  const said = entries.flatMap((entry) => {
    const call = callOf(entry);
    return call?.ok ? [call.reply] : [];
  });
  const characters = [question, ...texts, ...said].reduce((sum, text) => sum + text.length, 0);
  const { synthesis } = CouncilSettings.shape.maxOutputTokens.parse(settings["maxOutputTokens"]);
  return models.quote({
    model: chair.model,
    // At the three characters a token that quotes count with.
    messages: [{ role: "user", text: "x".repeat(counted === null ? characters : counted * 3) }],
    maxOutputTokens: synthesis,
  });
}

/** How many more re-runs the limits allow. */
function reach(
  { usd, tokens, calls }: ReturnType<typeof budgetOf>,
  { worst, recorded }: { readonly worst: Quote; readonly recorded: readonly Entry[] },
): number {
  const spent = spending(recorded).total;
  const { in: tokensIn, out } = spent.tokens;
  const left = (cap: number | undefined, took: number | null, each: number): number => {
    if (cap === undefined || each === 0) return Infinity;
    // What a provider did not report counts as the worst case.
    return Math.max(0, Math.floor((cap - (took ?? spent.calls * each)) / each));
  };
  return Math.min(
    left(usd, spent.cost.usd, worst.usd ?? Infinity),
    left(tokens, tokensIn === null || out === null ? null : tokensIn + out, worst.tokensIn + worst.tokensOut),
    left(calls, spent.calls, 1),
  );
}

function cameTo(jobs: readonly Rerun[], calls: boolean): Pick<RerunResults, "status" | "why"> {
  const open = jobs.filter(({ entries }) => !isClosed(entries)).length;
  const failed = jobs.find(({ entries }) => isClosed(entries) && !synthesisIn(entries));
  if (failed) return { status: "failed", why: `${askingWords(failed)}: ${failureIn(failed)}` };
  if (open === 0) return { status: "measured", why: null };
  const words = `${open} of ${jobs.length} re-runs of the chair are missing`;
  return calls
    ? { status: "over-budget", why: `${words}: they would exceed the budget` }
    : { status: "not-asked", why: `${words}, and no calls were allowed` };
}

const failureIn = ({ entries, setting }: Rerun): string =>
  entries
    .flatMap((entry) =>
      isEvent(entry, "degradation-noted") && entry.data.participant === setting.by ? [entry.data.why] : [],
    )
    .at(-1) ?? "it ended before the chair answered";

const askingWords = ({ without, setting }: Rerun): string =>
  without
    ? `Without ${oneLine(without.persona.name, 60)}`
    : `With all drafts${setting.nth > 1 ? ` (${setting.nth})` : ""}`;

function planWords(
  waiting: readonly Rerun[],
  { chair, worst }: { readonly chair: Participant; readonly worst: Quote },
): string {
  const times = (count: number) => (count === 1 ? "once" : `${count} times`);
  const without = waiting.filter((job) => job.without).length;
  const parts = [
    ...(waiting.length > without ? [`${times(waiting.length - without)} with all drafts`] : []),
    ...(without > 0 ? [`${times(without)} with one draft withheld`] : []),
  ];
  const most = formatNumber(waiting.length * (worst.tokensIn + worst.tokensOut));
  const price =
    worst.usd === null ? "price unknown" : worst.usd === 0 ? "free" : formatUsd(waiting.length * worst.usd);
  return `Re-running the chair, ${chair.model}, ${parts.join(" and ")}; no other model is called. At most ${most} tokens, ${price}`;
}

export type MeasureRequest = RerunOptions & { readonly id: DeliberationId };

/**
 * Measures who contributed to a closed deliberation's answer, and records it once on that deliberation's own journal.
 * Undefined when it was interrupted: what the chair wrote by then is kept, and found by the next measuring.
 * @throws Fault `configuration` for one that cannot be measured; before any call `authentication`, `budget`
 */
export async function measureContributions(
  tools: RerunContext,
  { id, ...rewriting }: MeasureRequest,
): Promise<Contributions | undefined> {
  const entries = await tools.store.read(id);
  const grounds = measurable(id, entries);
  const rewritten = await rewrite(tools, { entries, grounds }, rewriting);
  if (!rewritten) return undefined;
  const contributions = computeContributions(entries, grounds, rewritten);
  await record(tools, grounds, contributions);
  return contributions;
}

/** @throws Fault `configuration`, `deliberation-missing` */
function measurable(id: DeliberationId, entries: readonly Entry[]): Grounds {
  const [opened] = entries;
  if (!opened || !isEvent(opened, "deliberation-opened")) throw new Fault("deliberation-missing", { id });
  if (!isClosed(entries)) {
    const next = `resume ${id} first`;
    throw new Fault("configuration", { why: `deliberation ${id} is still open`, next });
  }
  const { parent } = opened.data;
  if (parent && withheldIn(opened.data)) {
    const why = `deliberation ${id} was made to measure the contributions to ${parent.id}`;
    throw new Fault("configuration", { why, next: `measure ${parent.id}` });
  }
  const grounds = groundsOf(entries);
  if (grounds.ok) return grounds.grounds;
  const why = `deliberation ${id} has no contributions: ${grounds.why}`;
  throw new Fault("configuration", { why, next: "measure a deliberation that has an answer" });
}

/** Under an origin that the measured figures name: measured again to the same, nothing is added. */
async function record(
  { store }: Pick<RerunContext, "store">,
  { closed, given }: Grounds,
  contributions: Contributions,
): Promise<void> {
  const after = "step" in given.origin ? [given.origin.step] : [];
  // One after the other: in one order, whoever measures.
  for (const data of toMeasurements(contributions)) {
    const digest = digestOf(data);
    const step = StepKey.parse(`${data.method}/${digest.slice(0, 12)}`);
    await store.append(closed.deliberation, [{ type: "contribution-measured", data }], {
      by: "reactor",
      reactor: "contributions",
      event: closed.id,
      step,
      digest,
      after,
    });
  }
}
