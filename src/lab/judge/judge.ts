import type { NewDeliberation } from "../../engine/index.ts";
import {
  callOf,
  familyOf,
  ParticipantId,
  workOf,
  Fault,
  isFault,
  type Budget,
  type DeliberationId,
  type Entry,
} from "../../kernel/index.ts";
import { chooseJudgeForm, type JudgeForm } from "../../protocols/phases/judge-prompts.ts";
import { judgedWork } from "../../protocols/judge/view-items.ts";
import { judge, JudgeSettings } from "../../protocols/judge/index.ts";
import { protocolSettings } from "../../app/opening.ts";
import { resume } from "../../app/run.ts";
import { DEFAULT_RUBRIC } from "../../config/rubrics.ts";
import { remainingBudget } from "../../app/budget.ts";
import {
  openMeasurement,
  type RecordedRun,
  resumable,
  type ResumableWork,
  type Resumed,
} from "../../app/resumable.ts";
import { checkModelRef, type AppContext } from "../../app/context.ts";

type Items<K extends JudgeSettings["kind"]> = Extract<JudgeSettings, { kind: K }>["items"];

/** What a judge is to do, with the texts of the items under the names that the protocol uses. */
export type JudgeTask = {
  /** Lists show it as the subject of the deliberation. */
  readonly question: string;
  readonly texts: readonly { readonly name: string; readonly text: string }[];
} & (
  | { readonly kind: "preference"; readonly items: Items<"preference"> }
  | { readonly kind: "grade"; readonly items: Items<"grade"> }
);

/** The judge, and how it is asked. */
export type JudgeRequest = {
  readonly model: string;
  /** By default it follows from the name of the model. */
  readonly form?: JudgeForm | undefined;
  /** A name or a file. */
  readonly rubric: string;
  readonly repeat: number;
  /** Judges again what has been judged before. */
  readonly again: boolean;
};

/**
 * Opens or finds the deliberation in which this judge does this task. Where a run ended without money, or where calls
 * failed, a fork of the run that got furthest asks for the rest, under what the earlier runs left of the current budget.
 * @throws Fault `configuration`, `authentication`, `budget`
 */
export async function openJudge(context: AppContext, task: JudgeTask, call: JudgeRequest): Promise<Resumed> {
  return resumable(context, {
    ...(await prepareJudge(context, task, call)),
    countReplies: (entries) => repliesIn(entries).length,
    lostCalls: (entries) => judgedWork(entries)?.lost ?? [],
    budgetAfter: remainingBudget,
    changes: (furthest, nth, budget) => ({
      settings: settingsToContinue(furthest, nth),
      budget: checkSpendable(budget),
    }),
  });
}

export type JudgeWithin = {
  readonly model: string;
  /** What the judge may spend. */
  readonly left: Budget;
  readonly signal: AbortSignal;
  /** Called before the judge starts or continues, and not where all is recorded; what it returns gets the judge's events. */
  readonly onStart?: (() => (entry: Entry) => void) | undefined;
};

export type JudgeOutcome = { readonly id: DeliberationId; readonly entries: readonly Entry[] };

/** Has a task judged once, within a budget; `budget` where that leaves nothing for it. @throws Fault as `openJudge` does */
export async function judgeWithin(
  context: AppContext,
  task: JudgeTask,
  { model, left, signal, onStart }: JudgeWithin,
): Promise<JudgeOutcome | "budget"> {
  const { usd: maxCostUsd, tokens: maxTotalTokens, calls: maxCalls } = left;
  if ([maxCostUsd, maxTotalTokens, maxCalls].some((limit) => limit === 0)) return "budget";
  const settings = { ...context.settings, maxCostUsd, maxTotalTokens, maxCalls };
  const call = { model, rubric: DEFAULT_RUBRIC, repeat: 1, again: false };
  let opened: Resumed;
  try {
    opened = await openJudge({ ...context, settings }, task, call);
  } catch (error) {
    if (isFault(error, "budget")) return "budget";
    throw error;
  }
  const onEntry = opened.state === "closed" ? undefined : onStart?.();
  const run = await resume(context, opened.id, { signal });
  for await (const entry of run.events()) onEntry?.(entry);
  await run.outcome();
  return { id: opened.id, entries: await context.store.read(opened.id) };
}

/** The item of every reply that a run has recorded. */
const repliesIn = (entries: readonly Entry[]): string[] =>
  entries.flatMap((entry) => {
    const item = workOf(entry)?.of;
    return item !== undefined && callOf(entry)?.ok ? [item] : [];
  });

/** Failed calls are reused too: each is asked once more, under a step of its own. */
function settingsToContinue({ opened, entries }: RecordedRun, nth: number): NewDeliberation["settings"] {
  const settings = JudgeSettings.parse(opened.data.settings);
  const items = recordedFirst(settings.items, repliesIn(entries));
  return protocolSettings(judge, { ...settings, items, again: nth });
}

type NamedItem = { readonly name: string };

/**
 * Puts the items with the most recorded replies first and keeps the order of the others: a fork reuses what is recorded
 * before its budget ends, so that a later fork finds all of it.
 */
export function recordedFirst(items: readonly NamedItem[], replies: readonly string[]): NamedItem[] {
  const counts = new Map<string, number>();
  for (const item of replies) counts.set(item, (counts.get(item) ?? 0) + 1);
  return items.toSorted((one, other) => (counts.get(other.name) ?? 0) - (counts.get(one.name) ?? 0));
}

/** @throws Fault `budget` when earlier runs have spent it */
function checkSpendable(budget: Budget): Budget {
  if (Object.values(budget).every((cap) => cap === undefined || cap > 0)) return budget;
  throw new Fault("budget", {
    why: "earlier runs of this task have spent the limit",
    next: "set a higher limit: it counts over all of these runs",
  });
}

async function prepareJudge(
  context: AppContext,
  { kind, items, texts, question }: JudgeTask,
  call: JudgeRequest,
): Promise<Pick<ResumableWork, "key" | "opening">> {
  const { settings } = context;
  const model = await checkModelRef(context, call.model);
  const work = {
    kind,
    items,
    form: call.form ?? chooseJudgeForm(model),
    rubric: context.resources.rubric(call.rubric),
    repeat: call.repeat,
    maxOutputTokens: settings.reviewTokens,
  };
  const family = familyOf(model, settings.families);
  const persona = { name: "Judge", instructions: "" };
  const participant = { id: ParticipantId.parse("judge"), seat: "judge", persona, model, family };
  return openMeasurement(context, {
    protocol: judge,
    question,
    texts,
    again: call.again,
    part: {
      settings: { ...work, callTimeoutMs: settings.callTimeoutMs },
      participants: [participant],
    },
    identity: ({ templates }) => ({ work: protocolSettings(judge, work), model, family, templates }),
  });
}
