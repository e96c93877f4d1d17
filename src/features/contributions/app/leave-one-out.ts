import * as z from "zod";
import type { Contributions } from "../contract.ts";
import { type AppContext } from "../../../app/context.ts";
import { refuseUnknownPrices } from "../../../app/listed-models.ts";
import { budgetFrom, type Caps, protocolSettings } from "../../../app/opening.ts";
import { follow } from "../../../app/run.ts";
import { type AnyProtocol, digestOf, idOfRequest, loadNamed } from "../../../engine/index.ts";
import {
  type Budget,
  callOf,
  type DeliberationId,
  type Entry,
  Fault,
  isEvent,
  type Participant,
  type Quote,
  StepKey,
  refusal,
} from "../../../kernel/index.ts";
import { PanelSettings } from "../../../protocols/phases/panel/settings.ts";
import { modelParams, USUAL_REPLY_TOKENS } from "../../../protocols/phases/reply.ts";
import { oneLine } from "../../../reports/printable.ts";
import { formatNumber, formatUsd } from "../../../text/format.ts";
import {
  type Grounds,
  groundsOf,
  synthesisIn,
  withheldIn,
  writtenBy,
} from "../../../views/contribution-grounds.ts";
import { isClosed } from "../../../views/result.ts";
import { usageIn } from "../../../app/budget.ts";
import { recordedRuns } from "../../../app/resumable.ts";
import {
  computeContributions,
  toMeasurements,
  type RecordedRerun,
  type RerunResults,
} from "./contributions.ts";

// A recorded re-run is found again, whichever process made it: measuring twice makes no calls.
// A limit holds for all re-runs of a measurement together; one that would exceed it leaves no trace.
// A re-run in which the chair failed stays as it is; the next measurement makes another.

export type RerunOptions = {
  /** Whether calls are allowed; recorded re-runs are used either way. */
  readonly calls: boolean;
  /** How often it is re-run with all drafts, which gives the noise floor. */
  readonly repeats: number;
  readonly signal: AbortSignal;
  /** Called with the plan, and with a line for each re-run that ended. */
  readonly note: (line: string) => void;
};

export type RerunContext = Parameters<typeof follow>[0] &
  Pick<AppContext, "models" | "checkModel"> & { readonly settings: Caps };

export type MeasuredRun = { readonly entries: readonly Entry[]; readonly grounds: Grounds };

/** A re-run, and its fork as far as it is recorded. */
type Rerun = RecordedRerun & {
  readonly setting: NonNullable<PanelSettings["rewriting"]>;
  readonly request: string;
  readonly fork: DeliberationId;
};

/** Re-runs the chair, each time in a fork that withholds a draft; undefined when it was interrupted. */
async function rerunAll(
  context: RerunContext,
  run: MeasuredRun,
  options: RerunOptions,
): Promise<RerunResults | undefined> {
  const chair = await findChair(context, run.grounds);
  if (!chair.ok) return { status: "not-applicable", why: chair.why, reruns: [], recorded: [] };
  const planned = await Promise.all(
    planReruns(run.grounds, chair.chair, options.repeats).map((one) => findRerun(context, run.grounds, one)),
  );
  const pending = planned.filter(({ entries }) => !isClosed(entries));
  const done =
    options.calls && pending.length > 0
      ? await runPending(context, { ...run, ...chair, pending }, options)
      : { reruns: [], recorded: [] };
  const reruns = planned.map((one) => done.reruns.find(({ fork }) => fork === one.fork) ?? one);
  if (options.signal.aborted && reruns.some(({ entries }) => !isClosed(entries))) return undefined;
  return { ...summarizeReruns(reruns, options.calls), reruns, recorded: done.recorded };
}

type RerunnableChair = { readonly chair: Participant; readonly protocol: AnyProtocol };

/** The chair that can be re-run and its protocol, or why there is none. */
async function findChair(
  { protocols }: RerunContext,
  grounds: Grounds,
): Promise<({ readonly ok: true } & RerunnableChair) | { readonly ok: false; readonly why: string }> {
  const { opened, drafters } = grounds;
  const chair = writtenBy(grounds);
  if (!chair) return { ok: false, why: "no chair wrote the answer: it is a member's draft" };
  if (drafters.length < 2)
    return { ok: false, why: "there was only one draft, so that none can be left out" };
  const { name, version } = opened.data.protocol;
  const protocol = await loadNamed(protocols, name);
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

/** The re-runs with all drafts come first: without the noise floor no difference means anything. */
const planReruns = (
  { opened, drafters }: Grounds,
  { id: by }: Participant,
  repeats: number,
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

/** Finds the fork of a re-run, whose name follows from the parent and from what is withheld. */
async function findRerun(
  { store }: RerunContext,
  { opened: { deliberation: parent, data } }: Grounds,
  rerun: Pick<Rerun, "without" | "setting">,
): Promise<Rerun> {
  const { organization } = data;
  const request = (nth: number) =>
    `contributions/${digestOf({ parent, ...rerun.setting, attempt: nth + 1 })}`;
  let nth = 0;
  for await (const { id, entries } of recordedRuns(store, { organization, request })) {
    const failed = isClosed(entries) && !synthesisIn(entries);
    if (!failed) return { ...rerun, request: request(nth), fork: id, entries };
    nth += 1;
  }
  return { ...rerun, request: request(nth), fork: idOfRequest(organization, request(nth)), entries: [] };
}

/**
 * Runs as many at once as the limits allow in the worst case, then as many as the rest allows.
 * @throws Fault for a chair that cannot be called, or whose price is unknown under a limit in money
 */
async function runPending(
  context: RerunContext,
  { pending, ...run }: MeasuredRun & RerunnableChair & { readonly pending: readonly Rerun[] },
  { signal, note }: RerunOptions,
): Promise<{ readonly reruns: readonly Rerun[]; readonly recorded: readonly Entry[] }> {
  const { chair } = run;
  const budget = budgetFrom(context.settings);
  const problem = await context.checkModel(chair.model);
  if (problem)
    throw new Fault(problem.code, {
      why: `the chair cannot be re-run: ${problem.reason}`,
      next: "measure without calls what needs none",
    });
  if (budget.usd !== undefined) refuseUnknownPrices(context, [chair]);
  const worst = await worstCase(context, run);
  note(describePlan(pending, { chair, worst }));
  const reruns: Rerun[] = [];
  const recorded: Entry[] = [];
  while (reruns.length < pending.length && !signal.aborted) {
    const wave = pending.slice(reruns.length, reruns.length + affordableReruns(budget, { worst, recorded }));
    if (wave.length === 0) break;
    const done = await Promise.all(wave.map((rerun) => runOnce(context, run, { rerun, signal, note })));
    recorded.push(...done.flatMap(({ entries }, index) => entries.slice(wave[index]?.entries.length ?? 0)));
    reruns.push(...done);
  }
  return { reruns, recorded };
}

async function runOnce(
  context: RerunContext,
  { grounds, protocol }: MeasuredRun & RerunnableChair,
  { rerun, signal, note }: { readonly rerun: Rerun } & Pick<RerunOptions, "signal" | "note">,
): Promise<Rerun> {
  const { deliberation, data } = grounds.opened;
  const settings = protocolSettings(protocol, { ...data.settings, rewriting: rerun.setting });
  const { opened } = await context.engine.fork(deliberation, {
    request: rerun.request,
    // A re-run is a measurement and not an answer, so it is neither graded nor remembered.
    changes: { settings, reactions: {} },
  });
  await follow(context, opened, { signal, reactions: "none" }).outcome();
  const entries = await context.store.read(rerun.fork);
  if (isClosed(entries))
    note(`${describeRerun(rerun)}: ${synthesisIn(entries) ? "written" : "failed"} (${rerun.fork})`);
  return { ...rerun, entries };
}

/** The most that a re-run takes: the prompt with all drafts, and a reply of full length. */
async function worstCase(
  { store, models }: RerunContext,
  { chair, grounds, entries }: MeasuredRun & RerunnableChair,
): Promise<Quote> {
  const { question, context, settings } = grounds.opened.data;
  const tokens = grounds.given.data.call?.tokens.in ?? null;
  const texts = await Promise.all(context.map(({ text }) => store.text(text)));
  const replies = entries.flatMap((entry) => {
    const call = callOf(entry);
    return call?.ok ? [call.reply] : [];
  });
  const characters = [question, ...texts, ...replies].reduce((sum, text) => sum + text.length, 0);
  const { synthesis } = PanelSettings.shape.maxOutputTokens.parse(settings["maxOutputTokens"]);
  return models.quote({
    ...modelParams(chair, synthesis, 2 * USUAL_REPLY_TOKENS),
    // A quote counts three characters as a token.
    messages: [{ role: "user", text: "x".repeat(tokens === null ? characters : tokens * 3) }],
  });
}

/** How many more re-runs the limits allow, where what a provider did not report counts as the worst case. */
function affordableReruns(
  budget: Budget,
  { worst, recorded }: { readonly worst: Quote; readonly recorded: readonly Entry[] },
): number {
  const used = usageIn(recorded);
  const each = { usd: worst.usd ?? Infinity, tokens: worst.tokensIn + worst.tokensOut, calls: 1 };
  const counts = (["usd", "tokens", "calls"] as const).map((kind) => {
    const cap = budget[kind];
    if (cap === undefined || each[kind] === 0) return Infinity;
    return Math.max(0, Math.floor((cap - (used[kind] ?? used.calls * each[kind])) / each[kind]));
  });
  return Math.min(...counts);
}

function summarizeReruns(reruns: readonly Rerun[], calls: boolean): Pick<RerunResults, "status" | "why"> {
  const missing = reruns.filter(({ entries }) => !isClosed(entries)).length;
  const failed = reruns.find(({ entries }) => isClosed(entries) && !synthesisIn(entries));
  if (failed) return { status: "failed", why: `${describeRerun(failed)}: ${findFailure(failed)}` };
  if (missing === 0) return { status: "measured", why: null };
  const words = `${missing} of ${reruns.length} re-runs of the chair are missing`;
  return calls
    ? { status: "over-budget", why: `${words}: they would exceed the budget` }
    : { status: "not-asked", why: `${words}, and no calls were allowed` };
}

const findFailure = ({ entries, setting }: Rerun): string =>
  entries
    .flatMap((entry) =>
      isEvent(entry, "degradation-noted") && entry.data.participant === setting.by ? [entry.data.why] : [],
    )
    .at(-1) ?? "it ended before the chair answered";

const describeRerun = ({ without, setting }: Rerun): string =>
  without
    ? `Without ${oneLine(without.persona.name, 60)}`
    : `With all drafts${setting.nth > 1 ? ` (${setting.nth})` : ""}`;

function describePlan(
  pending: readonly Rerun[],
  { chair, worst }: { readonly chair: Participant; readonly worst: Quote },
): string {
  const times = (count: number) => (count === 1 ? "once" : `${count} times`);
  const without = pending.filter((rerun) => rerun.without).length;
  const parts = [
    ...(pending.length > without ? [`${times(pending.length - without)} with all drafts`] : []),
    ...(without > 0 ? [`${times(without)} with one draft withheld`] : []),
  ];
  const tokens = formatNumber(pending.length * (worst.tokensIn + worst.tokensOut));
  const price =
    worst.usd === null ? "price unknown" : worst.usd === 0 ? "free" : formatUsd(pending.length * worst.usd);
  return `Re-running the chair, ${chair.model}, ${parts.join(" and ")}; no other model is called. At most ${tokens} tokens, ${price}`;
}

export type MeasureRequest = RerunOptions & { readonly id: DeliberationId };

/**
 * Measures who contributed to a closed deliberation's answer, and records it once on that deliberation's own journal.
 * Undefined when it was interrupted: the next measurement reuses what the chair wrote by then.
 * @throws Fault `configuration` for one that cannot be measured; before any call `authentication`, `budget`
 */
export async function measureContributions(
  context: RerunContext,
  { id, ...options }: MeasureRequest,
): Promise<Contributions | undefined> {
  const entries = await context.store.read(id);
  const grounds = requireGrounds(id, entries);
  const reruns = await rerunAll(context, { entries, grounds }, options);
  if (!reruns) return undefined;
  const contributions = computeContributions(entries, grounds, reruns);
  await record(context, grounds, contributions);
  return contributions;
}

/** @throws Fault `configuration`, `deliberation-missing` */
function requireGrounds(id: DeliberationId, entries: readonly Entry[]): Grounds {
  const [opened] = entries;
  if (!opened || !isEvent(opened, "deliberation-opened")) throw new Fault("deliberation-missing", { id });
  const refuse = (problem: string, next: string) => refusal(`${id} ${problem}`, next);
  if (!isClosed(entries)) throw refuse("is still open", `resume ${id} first`);
  const { parent } = opened.data;
  if (parent && withheldIn(opened.data))
    throw refuse(`is a re-run that measures ${parent.id}`, `measure ${parent.id}`);
  const read = groundsOf(entries);
  if (read.ok) return read.grounds;
  throw refuse(`has no contributions: ${read.why}`, "measure a run that has an answer");
}

/** The origin names the figures, so that an equal measurement adds nothing. */
async function record(
  { store }: RerunContext,
  { closed, given }: Grounds,
  contributions: Contributions,
): Promise<void> {
  const after = "step" in given.origin ? [given.origin.step] : [];
  // One after the other, so that the order is always the same.
  for (const data of toMeasurements(contributions)) {
    const digest = digestOf(data);
    const step = StepKey.parse(`${data.method}/${digest.slice(0, 12)}`);
    const origin = {
      by: "reactor",
      reactor: "contributions",
      event: closed.id,
      step,
      digest,
      after,
    } as const;
    await store.append(closed.deliberation, [{ type: "contribution-measured", data }], origin);
  }
}
