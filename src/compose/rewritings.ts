import * as z from "zod";
import { digestOf, idOfRequest, type AnyProtocol } from "../engine/index.ts";
import {
  callOf,
  Fault,
  isEvent,
  type DeliberationId,
  type Entry,
  type Participant,
  type Quote,
} from "../kernel/index.ts";
import {
  isClosed,
  spending,
  synthesisIn,
  writtenBy,
  type Grounds,
  type Rewritten,
} from "../projections/index.ts";
import { numberWords, oneLine, usdWords } from "../reports/index.ts";
import { CouncilSettings, type Rewriting as RewritingSetting } from "../protocols/council/index.ts";
import { budgetOf, refuseUnknownPrices, settingsOf, type Caps } from "./convene.ts";
import type { Parley } from "./parley.ts";
import { protocols } from "./registry.ts";

// M1. The chair is asked once without every member whose draft was in, and so often as wanted with all; nobody else is asked.
// M2. An asking that was recorded is found again, whichever process made it: measuring twice calls nothing.
// M3. A cap holds over all askings of one measuring together; one for which it does not reach leaves no trace.
// M4. An asking in which the chair failed stays as it is; the next measuring makes another.

/** How the chair is to be asked anew. */
export type Rewriting = {
  /** Whether it may be; what was asked before is found either way. */
  readonly calls: boolean;
  /** How often with nothing left out, to know its own variation. */
  readonly repeats: number;
  readonly signal: AbortSignal;
  /** Told, in words, what will be asked, and of each asking that ended. */
  readonly note: (line: string) => void;
};

export type RewritingTools = Pick<Parley, "store" | "engine" | "models" | "troubleWith"> & {
  readonly settings: Caps;
};

export type Parent = { readonly entries: readonly Entry[]; readonly grounds: Grounds };

/** One asking, and the fork that makes it, as far as it has come. */
type Job = {
  readonly without: Participant | undefined;
  readonly setting: RewritingSetting;
  readonly request: string;
  readonly fork: DeliberationId;
  readonly entries: readonly Entry[];
};

/** Asks the chair anew, each time in a fork that withholds something from it; undefined when it was interrupted. */
export async function rewrite(
  tools: RewritingTools,
  parent: Parent,
  rewriting: Rewriting,
): Promise<Rewritten | undefined> {
  const found = rewritable(parent.grounds);
  if (!found.ok) return { status: "not-applicable", why: found.why, rewritings: [], recorded: [] };
  const jobs = await Promise.all(
    settingsFor(parent.grounds, { ...found, repeats: rewriting.repeats }).map((one) =>
      jobOf(tools, parent.grounds, one),
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

type Rewritable = { readonly chair: Participant; readonly protocol: AnyProtocol };

/** Who can be asked anew, under which protocol; or why nobody can. */
function rewritable(
  grounds: Grounds,
): ({ readonly ok: true } & Rewritable) | { readonly ok: false; readonly why: string } {
  const { opened, drafters } = grounds;
  const chair = writtenBy(grounds);
  if (!chair) return { ok: false, why: "no chair wrote the answer: it is a member's own" };
  if (drafters.length < 2)
    return { ok: false, why: "there was one draft, and nothing to write from without it" };
  const { name, version } = opened.data.protocol;
  const protocol = protocols.find((one) => one.name === name && one.version === version);
  if (!protocol) {
    const next = "ask the question again to have it measured";
    return {
      ok: false,
      why: `it was conducted by ${name}@${version}, which this Parley has no more; ${next}`,
    };
  }
  const { settings } = protocol;
  return settings instanceof z.ZodObject && "rewriting" in settings.shape
    ? { ok: true, chair, protocol }
    : { ok: false, why: `${name} cannot have its synthesis written again` };
}

/** The askings, those with nothing left out first: without the noise no difference means anything. */
const settingsFor = (
  { opened, drafters }: Grounds,
  { chair: { id: by }, repeats }: Pick<Rewritable, "chair"> & Pick<Rewriting, "repeats">,
): Pick<Job, "without" | "setting">[] => [
  ...Array.from({ length: repeats }, (_, index) => ({
    without: undefined,
    setting: { by, withheld: [], nth: index + 1 },
  })),
  ...drafters.map(({ id }) => ({
    without: opened.data.participants.find((one) => one.id === id),
    setting: { by, withheld: [id], nth: 0 },
  })),
];

/** Finds the fork of an asking by its name, which follows from the parent and from what is withheld. */
async function jobOf(
  { store }: RewritingTools,
  { opened: { deliberation: parent, data } }: Grounds,
  asking: Pick<Job, "without" | "setting">,
): Promise<Job> {
  for (let attempt = 1; ; attempt += 1) {
    const request = `contributions/${digestOf({ parent, ...asking.setting, attempt })}`;
    const fork = idOfRequest(data.organization, request);
    const entries = await store.read(fork);
    const failed = isClosed(entries) && !synthesisIn(entries);
    if (!failed) return { ...asking, request, fork, entries }; // M4
  }
}

type Waiting = Parent & Rewritable & { readonly waiting: readonly Job[] };

/** As many at once as the caps reach for in their worst case, then as many as what these left reaches for. */
async function askAll(
  tools: RewritingTools,
  { waiting, ...parent }: Waiting,
  { signal, note }: Rewriting,
): Promise<{ readonly jobs: readonly Job[]; readonly recorded: readonly Entry[] }> {
  refuseUnasked(tools, parent.chair);
  const worst = await worstCase(tools, parent);
  note(planWords(waiting, { ...parent, worst }));
  const jobs: Job[] = [];
  const recorded: Entry[] = [];
  while (jobs.length < waiting.length && !signal.aborted) {
    const fits = reach(budgetOf(tools.settings), { worst, recorded });
    const wave = waiting.slice(jobs.length, jobs.length + fits);
    if (wave.length === 0) break; // M3
    const driven = await Promise.all(wave.map((job) => askOnce(tools, parent, { job, signal, note })));
    recorded.push(...driven.flatMap(({ entries }, index) => entries.slice(wave[index]?.entries.length ?? 0)));
    jobs.push(...driven);
  }
  return { jobs, recorded };
}

async function askOnce(
  { store, engine }: RewritingTools,
  { grounds, protocol }: Parent & Rewritable,
  { job, signal, note }: { readonly job: Job } & Pick<Rewriting, "signal" | "note">,
): Promise<Job> {
  const { deliberation, data } = grounds.opened;
  const settings = settingsOf(protocol, { ...data.settings, rewriting: job.setting });
  await engine.fork(deliberation, {
    request: job.request,
    // What is written to be measured is no answer: nobody grades or remembers it.
    changes: { settings, reactions: {} },
  });
  await engine.drive(job.fork, { signal });
  const entries = await store.read(job.fork);
  if (isClosed(entries))
    note(`${askingWords(job)}: ${synthesisIn(entries) ? "written" : "failed"} (${job.fork})`);
  return { ...job, entries };
}

/** @throws Fault for a chair that cannot be asked, or whose price is unknown under a cap in money */
function refuseUnasked(tools: RewritingTools, chair: Participant): void {
  const trouble = tools.troubleWith(chair.model);
  if (trouble) {
    const why = `the chair cannot be asked anew: ${trouble.why}`;
    throw new Fault(trouble.code, { why, next: "--no-calls measures what needs no calls" });
  }
  if (budgetOf(tools.settings).usd !== undefined) refuseUnknownPrices(tools, [chair]);
}

/** What one asking takes at most: the prompt as it was counted when everything was in it, and a reply of full length. */
async function worstCase(
  { store, models }: RewritingTools,
  { chair, grounds, entries }: Omit<Waiting, "waiting">,
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

/** How many more askings the caps reach for. */
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

function cameTo(jobs: readonly Job[], calls: boolean): Pick<Rewritten, "status" | "why"> {
  const open = jobs.filter(({ entries }) => !isClosed(entries)).length;
  const failed = jobs.find(({ entries }) => isClosed(entries) && !synthesisIn(entries));
  if (failed) return { status: "failed", why: `${askingWords(failed)}: ${failureIn(failed)}` };
  if (open === 0) return { status: "measured", why: null };
  const words = `${open} of ${jobs.length} askings of the chair are missing`;
  return calls
    ? { status: "over-budget", why: `${words}: the budget does not reach for them` }
    : { status: "not-asked", why: `${words}, and no calls were wanted` };
}

const failureIn = ({ entries, setting }: Job): string =>
  entries
    .flatMap((entry) =>
      isEvent(entry, "degradation-noted") && entry.data.participant === setting.by ? [entry.data.why] : [],
    )
    .at(-1) ?? "it ended before the chair wrote";

const askingWords = ({ without, setting }: Job): string =>
  without
    ? `Without ${oneLine(without.persona.name, 60)}`
    : `With all again${setting.nth > 1 ? ` (${setting.nth})` : ""}`;

function planWords(
  waiting: readonly Job[],
  { chair, worst }: { readonly chair: Participant; readonly worst: Quote },
): string {
  const times = (count: number) => (count === 1 ? "once" : `${count} times`);
  const without = waiting.filter((job) => job.without).length;
  const parts = [
    ...(waiting.length > without ? [`${times(waiting.length - without)} again with all drafts`] : []),
    ...(without > 0 ? [`${times(without)} with one draft withheld`] : []),
  ];
  const most = numberWords(waiting.length * (worst.tokensIn + worst.tokensOut));
  const price =
    worst.usd === null ? "price unknown" : worst.usd === 0 ? "free" : usdWords(waiting.length * worst.usd);
  return `Asking the chair, ${chair.model}, ${parts.join(" and ")}; nobody else is asked. At most ${most} tokens, ${price}`;
}
