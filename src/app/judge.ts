import * as z from "zod";
import type { NewDeliberation } from "../engine/index.ts";
import {
  callOf,
  familyOf,
  ModelRef,
  ParticipantId,
  workOf,
  Fault,
  isFault,
  type Budget,
  type DeliberationId,
  type Entry,
} from "../kernel/index.ts";
import { chooseJudgeForm, type JudgeForm } from "../protocols/phases/judge-prompts.ts";
import { judgedWork } from "../views/judged-work.ts";
import { JUDGE, JudgeManner, JudgeSettings } from "../contract/judge-work.ts";
import { protocolSettings } from "./opening.ts";
import { protocolNamed } from "./registry.ts";
import { resume } from "./run.ts";
import { DEFAULT_RUBRIC } from "../config/rubrics.ts";
import {
  measurementKey,
  nthRequest,
  openMeasurement,
  recordedRuns,
  type RecordedRun,
  resumable,
  type Resumed,
} from "./resumable.ts";
import { checkModelRef, type AppContext } from "./context.ts";
import { templatesInForce } from "./templates.ts";

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

export type ItemWithTexts = {
  readonly name: string;
  readonly texts: Readonly<Record<string, string | undefined>>;
};

/** Items, and apart from them their texts under the names that the protocol uses: `item-1/question`. */
export const takeTexts = <I extends ItemWithTexts>(all: readonly I[]) => ({
  items: all.map(({ texts: _, ...item }) => item),
  texts: all.flatMap(({ name, texts }) =>
    Object.entries(texts).flatMap(([part, text]) =>
      text === undefined ? [] : [{ name: `${name}/${part}`, text }],
    ),
  ),
});

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
    lostCalls: (entries) => judgedWork(entries)?.lost ?? [],
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

/** How a measurement has answers judged. */
export const JUDGED_ONCE = { rubric: DEFAULT_RUBRIC, repeat: 1, again: false } as const;

/** Has a task judged once, within a budget; `budget` where that leaves nothing for it. @throws Fault as `openJudge` does */
export async function judgeWithin(
  context: AppContext,
  task: JudgeTask,
  { model, left, signal, onStart }: JudgeWithin,
): Promise<JudgeOutcome | "budget"> {
  const { usd: maxCostUsd, tokens: maxTotalTokens, calls: maxCalls } = left;
  if ([maxCostUsd, maxTotalTokens, maxCalls].some((limit) => limit === 0)) return "budget";
  const settings = { ...context.settings, maxCostUsd, maxTotalTokens, maxCalls };
  const call = { model, ...JUDGED_ONCE };
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
  return protocolSettings(JUDGE, { ...settings, items, again: nth });
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

/** What names a judge's work beside the items and their texts: whoever has these finds the work on record. */
export const JudgePins = z.strictObject({
  model: ModelRef,
  family: z.string().nullable(),
  ...JudgeManner.shape,
  /** Absent for the protocol's default. */
  maxOutputTokens: z.int().positive().optional(),
  /** The prompts, by name. */
  templates: z.record(z.string(), z.string()),
  seed: z.string().nullable(),
});
export type JudgePins = z.infer<typeof JudgePins>;

type JudgeManners = Pick<JudgeRequest, "model" | "form" | "rubric" | "repeat">;

const judgeIn = ({ protocols }: Pick<AppContext, "protocols">) => protocolNamed(protocols, JUDGE.name);

/** Pins how a judge is asked from now on. @throws Fault `configuration` */
export async function pinJudge(context: AppContext, call: JudgeManners): Promise<JudgePins> {
  const { protocols, resources, settings } = context;
  const model = await checkModelRef(context, call.model);
  return {
    ...{ model, family: familyOf(model, settings.families) },
    form: call.form ?? chooseJudgeForm(model),
    rubric: resources.rubric(call.rubric),
    repeat: call.repeat,
    ...(settings.reviewTokens === undefined ? {} : { maxOutputTokens: settings.reviewTokens }),
    templates: await templatesInForce((await judgeIn(context)).templates, resources, protocols),
    seed: settings.seed ?? null,
  };
}

type JudgeItems = Pick<JudgeTask, "kind" | "items">;
const workOfJudge = ({ form, rubric, repeat, maxOutputTokens }: JudgePins, { kind, items }: JudgeItems) => ({
  ...{ kind, items, form, rubric, repeat, maxOutputTokens },
});
const identityOf = (pins: JudgePins, items: JudgeItems) => ({
  work: protocolSettings(JUDGE, workOfJudge(pins, items)),
  ...{ model: pins.model, family: pins.family, templates: pins.templates },
});

/** The run of a judge's task that got furthest; undefined where the judge was never asked. */
export async function findJudging(
  store: Pick<AppContext["store"], "read" | "organization">,
  pins: JudgePins,
  { texts, ...items }: Pick<JudgeTask, "texts"> & JudgeItems,
): Promise<RecordedRun | undefined> {
  const { organization } = store;
  const key = measurementKey(JUDGE, { identity: identityOf(pins, items), texts, seed: pins.seed });
  let furthest: RecordedRun | undefined;
  for await (const run of recordedRuns(store, { organization, request: nthRequest(key) }))
    if (!furthest || repliesIn(run.entries).length >= repliesIn(furthest.entries).length) furthest = run;
  return furthest;
}

async function prepareJudge(
  context: AppContext,
  { question, texts, ...items }: JudgeTask,
  call: JudgeRequest,
): ReturnType<typeof openMeasurement> {
  const pins = await pinJudge(context, call);
  const { model, family } = pins;
  const persona = { name: "Judge", instructions: "" };
  const participant = { id: ParticipantId.parse("judge"), seat: "judge", persona, model, family };
  return openMeasurement(context, {
    protocol: await judgeIn(context),
    question,
    texts,
    again: call.again,
    part: {
      settings: { ...workOfJudge(pins, items), callTimeoutMs: context.settings.callTimeoutMs },
      participants: [participant],
    },
    identity: () => identityOf(pins, items),
  });
}
