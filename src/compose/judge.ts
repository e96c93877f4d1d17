import { loadRubric } from "../config/index.ts";
import { digestOf, idOfRequest, textDigest, type Asked } from "../engine/index.ts";
import {
  callOf,
  canonical,
  familyOf,
  isEvent,
  OrganizationId,
  ParticipantId,
  Fault,
  type Budget,
  type Closing,
  type DeliberationId,
  type Entry,
  type Event,
} from "../kernel/index.ts";
import type { JudgeForm } from "../prompts/index.ts";
import { judgedWork, spending } from "../projections/index.ts";
import { judge, JudgeSettings } from "../protocols/judge/index.ts";
import { budgetOf, refuseUnknownPrices, settingsOf, templatesOf } from "./convene.ts";
import { judgeFormOf } from "./judge-form.ts";
import { checkedRef } from "./panel.ts";
import type { Parley } from "./parley.ts";

type Items<K extends JudgeSettings["kind"]> = Extract<JudgeSettings, { kind: K }>["items"];

/** What a judge is to do, with the items' texts under the names that the protocol knows them by. */
export type JudgeTask = {
  /** What the deliberation is about, as lists show it. */
  readonly question: string;
  readonly texts: readonly { readonly name: string; readonly text: string }[];
} & (
  | { readonly kind: "preference"; readonly items: Items<"preference"> }
  | { readonly kind: "grade"; readonly items: Items<"grade"> }
);

/** Who does it, and how. */
export type JudgeCall = {
  readonly model: string;
  /** By default as the model's name says. */
  readonly form?: JudgeForm | undefined;
  /** A name or a file. */
  readonly rubric: string;
  readonly repeat: number;
  /** Judges anew what has been judged before. */
  readonly again: boolean;
};

type OpenedJudge = {
  readonly id: DeliberationId;
  /** `new`: nothing was recorded; `open`: it goes on where it was; `closed`: all is recorded; `forked`: what an ended run lacks is asked. */
  readonly state: "new" | "open" | "closed" | "forked";
};

/**
 * The deliberation in which this judge does this task. Its id follows from all that its prompts are made from, so that the
 * same command finds it again: it goes on where it was, or is shown. Where it ended for want of money, or where calls
 * failed, a fork of the run that got furthest goes on and asks for the rest, under what the runs before left of the budget
 * given now.
 * @throws Fault `configuration`, `authentication`, `budget`
 */
export async function openJudge(parley: Parley, task: JudgeTask, call: JudgeCall): Promise<OpenedJudge> {
  const { key, asked } = prepared(parley, task, call);
  let furthest: Run | undefined;
  let budget = asked.budget;
  for (let turn = 0; ; turn += 1) {
    const request = turn === 0 ? key : `${key}/${turn}`;
    const id = idOfRequest(asked.organization, request);
    const entries = await parley.store.read(id);
    const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
    if (!opened) {
      if (!furthest) await parley.engine.open(request, asked);
      else {
        const changes = { settings: goingOn(furthest, turn), budget: spendable(budget) };
        await parley.engine.fork(furthest.opened.deliberation, { request, changes });
      }
      return { id, state: furthest ? "forked" : "new" };
    }
    const closing = entries.findLast((entry) => isEvent(entry, "deliberation-closed"))?.data;
    if (!closing) return { id, state: "open" };
    if (!canGoOn({ closing, entries }, opened.data.budget, budget)) return { id, state: "closed" };
    budget = left(budget, entries);
    const replies = repliesIn(entries);
    if (!furthest || replies.length >= furthest.replies.length) furthest = { opened, replies };
  }
}

/** A run that ended early, and the item of every reply that it recorded. */
type Run = { readonly opened: Event<"deliberation-opened">; readonly replies: readonly string[] };

const repliesIn = (entries: readonly Entry[]): string[] =>
  entries.flatMap((entry) => {
    const [item] = "step" in entry.origin ? entry.origin.step.split("/") : [];
    return item !== undefined && callOf(entry)?.ok ? [item] : [];
  });

/**
 * The settings of a run that goes on from an ended one. Failed calls are taken over too: each is asked once more, under a
 * step of its own.
 */
function goingOn({ opened, replies }: Run, turn: number): Asked["settings"] {
  const settings = JudgeSettings.parse(opened.data.settings);
  return settingsOf(judge, { ...settings, items: recordedFirst(settings.items, replies), again: turn });
}

type Named = { readonly name: string };

/**
 * Items with the most recorded replies first, else in their order: a fork takes over what is recorded before its budget ends
 * a lane, so that a later one finds all of it.
 */
export function recordedFirst(items: readonly Named[], replies: readonly string[]): Named[] {
  const counts = new Map<string, number>();
  for (const item of replies) counts.set(item, (counts.get(item) ?? 0) + 1);
  return items.toSorted((one, other) => (counts.get(other.name) ?? 0) - (counts.get(one.name) ?? 0));
}

/** What is left of a budget after what these entries took themselves; nothing below zero is cut off. */
function left({ usd, tokens, calls, timeMs }: Budget, entries: readonly Entry[]): Budget {
  const { total } = spending(entries);
  return {
    ...(usd === undefined ? {} : { usd: usd - (total.cost.usd ?? 0) }),
    ...(tokens === undefined ? {} : { tokens: tokens - (total.tokens.in ?? 0) - (total.tokens.out ?? 0) }),
    ...(calls === undefined ? {} : { calls: calls - total.calls }),
    ...(timeMs === undefined ? {} : { timeMs }),
  };
}

/** @throws Fault `budget` when earlier runs have spent it */
function spendable(budget: Budget): Budget {
  if (Object.values(budget).every((cap) => cap === undefined || cap > 0)) return budget;
  throw new Fault("budget", {
    why: "earlier runs of this have spent that cap",
    next: "give a larger one, which counts over all of them; parley list shows what there is",
  });
}

/** Whether an ended run lacks something that asking again could bring. */
const canGoOn = (
  { closing, entries }: { readonly closing: Closing; readonly entries: readonly Entry[] },
  then: Asked["budget"],
  now: Asked["budget"],
): boolean =>
  closing.outcome === "stopped-by-budget"
    ? canonical(then) !== canonical(now)
    : closing.outcome === "failed" ||
      closing.outcome === "cancelled" ||
      (judgedWork(entries)?.lost ?? []).length > 0;

function prepared(parley: Parley, task: JudgeTask, call: JudgeCall): { key: string; asked: Asked } {
  const { settings, world } = parley;
  const model = checkedRef(parley, call.model);
  const form = call.form ?? judgeFormOf(model);
  const rubric = loadRubric(call.rubric, parley);
  const templates = templatesOf(judge.templates, parley);
  const { kind, items, texts, question } = task;
  const work = {
    kind,
    items,
    form,
    rubric,
    repeat: call.repeat,
    maxOutputTokens: settings.reviewTokens,
  };
  const participant = {
    id: ParticipantId.parse("judge"),
    seat: "judge",
    persona: { name: "Judge", instructions: "" },
    model,
    family: familyOf(model, settings.families),
  };
  const budget = budgetOf(settings);
  if (budget.usd !== undefined) refuseUnknownPrices(parley, [participant]);
  const digest = digestOf({
    version: judge.version,
    work: settingsOf(judge, work),
    model,
    family: participant.family,
    templates,
    texts: texts.map(({ name, text }) => [name, textDigest(text.toWellFormed())]),
    seed: settings.seed ?? null,
  });
  return {
    key: `judge/${digest}${call.again ? `/again/${world.id()}` : ""}`,
    asked: {
      question,
      context: texts,
      protocol: { name: judge.name, version: judge.version },
      settings: settingsOf(judge, { ...work, callTimeoutMs: settings.callTimeoutMs }),
      participants: [participant],
      templates,
      seed: settings.seed ?? world.id(),
      budget,
      organization: OrganizationId.parse(settings.organization),
    },
  };
}
