import type { LoadedPersona } from "../../../config/personas.ts";
import { digestOf, shuffle } from "../../../engine/index.ts";
import type { SeatedParticipant } from "../../../engine/opening-part.ts";
import {
  askedBy,
  familyOf,
  isEvent,
  ParticipantId,
  type DataOf,
  type DeliberationId,
  type Entry,
  type ModelRef,
  type Opening,
  refusal,
} from "../../../kernel/index.ts";
import { DEFAULT_RUBRIC } from "../../../config/rubrics.ts";
import { chooseJudgeForm } from "../../../protocols/phases/judge-prompts.ts";
import { trial, TrialSettings } from "../protocol/trial/index.ts";
import { lostCalls } from "../protocol/trial/view.ts";
import { leastPairs, siblingAlpha, TRIAL_TEST } from "../../../stats/sequential-sign-test.ts";
import { checkModelRef, type AppContext } from "../../../app/context.ts";
import { UNMEASURED } from "../../../app/lookup.ts";
import { askedProtocols } from "../../../app/registry.ts";
import { choosePanel } from "../../../app/panel.ts";
import { againName, openMeasurement, resumable, type Resumed } from "../../../app/resumable.ts";
import { heldOutRuns, HELD_OUT_EVERY } from "../../../app/personas/held-out.ts";
import { versionOf } from "../../../app/personas/seating.ts";

export type TrialTask = {
  readonly question: string;
  readonly context?: string | undefined;
  /** Its one right answer; undefined for an open question, which judges compare. */
  readonly answer?: string | undefined;
};

export type TrialRequest = {
  readonly child: LoadedPersona;
  /** By default the child's first parent. */
  readonly against?: string | undefined;
  /** Instead of held-out questions. */
  readonly tasks?: readonly TrialTask[] | undefined;
  /** Tries once more a version that was tried. */
  readonly again?: boolean;
  readonly client?: Opening["client"];
};

export type PreparedTrial = {
  readonly opening: Awaited<ReturnType<typeof openMeasurement>>["opening"];
  readonly questions: number;
  /** How many siblings were tried against this parent before. */
  readonly siblings: number;
  readonly parent: LoadedPersona;
  readonly open: () => Promise<Resumed>;
};

/** Contexts that are longer together are left out of a trial. */
const MAX_CONTEXT_LENGTH = 20_000;

/** Prepares a child's trial; no model is called. @throws Fault before anything is recorded or spent */
export async function prepareTrial(
  context: AppContext,
  { child, against, tasks, again = false, client }: TrialRequest,
): Promise<PreparedTrial> {
  if (!child.lineage)
    throw refusal(`${child.name} was not bred, and needs no trial`, "name a persona that was bred");
  if (child.retired)
    throw refusal(`${child.name} is retired`, "accept it again with a reason, or name another");
  const parent = parentOf(context, child, against);
  const version = versionOf(child);
  const siblings = await countSiblings(context, { parent: parent.id, child: child.id, version });
  const alpha = siblingAlpha(TRIAL_TEST.alpha, siblings + 1);
  const asked = tasks ?? (await heldOutTasks(context, child.id));
  checkCount(asked.length, { alpha, isHeldOut: tasks === undefined });
  const items = asked.slice(0, TRIAL_TEST.most);
  const { participants, judges } = await seatTrial(context, { child, parent, items });
  const { callTimeoutMs, draftTokens, reviewTokens } = context.settings;
  const settings = {
    ...{ child: { id: child.id, version }, parent: { id: parent.id, version: versionOf(parent) }, alpha },
    items: items.map(({ answer }, index) => ({
      name: `question-${index + 1}`,
      ...(answer === undefined ? {} : { answer }),
    })),
    form: Object.fromEntries(judges.map(({ id, model }) => [id, chooseJudgeForm(model)])),
    rubric: context.resources.rubric(DEFAULT_RUBRIC),
    ...{ callTimeoutMs, answerTokens: draftTokens, judgeTokens: reviewTokens },
  };
  const measurement = await openMeasurement(context, {
    protocol: trial,
    question: `Is ${child.name} better than ${parent.name}?`,
    texts: items.flatMap(({ question, context: more }, index) => [
      { name: `question-${index + 1}/question`, text: question },
      ...(more === undefined ? [] : [{ name: `question-${index + 1}/context`, text: more }]),
    ]),
    part: { settings, participants },
    identity: () => ({}),
    ...{ again, client },
  });
  const key = `${requestOf(child.id)}${version.slice(0, 32)}${again ? againName(context, client) : ""}`;
  return {
    ...{ opening: measurement.opening, questions: items.length, siblings, parent },
    open: () =>
      resumable(context, {
        ...{ ...measurement, key, lostCalls },
        countReplies: (entries) => entries.filter((entry) => isEvent(entry, "answer-given")).length,
      }),
  };
}

/** What the names of trials begin with. */
export const TRIED = "trial/";
const requestOf = (child: string): string => `${TRIED}${child}/`;

function parentOf(
  context: AppContext,
  { name, lineage }: LoadedPersona,
  against: string | undefined,
): LoadedPersona {
  const ids = lineage?.parents.map(({ id }) => id) ?? [];
  const id = against ?? ids[0] ?? "";
  if (!ids.includes(id)) throw refusal(`${id} is no parent of ${name}`, `its parents are ${ids.join(", ")}`);
  return context.resources.persona(id);
}

/** @throws Fault for fewer questions than any decision needs */
function checkCount(
  count: number,
  { alpha, isHeldOut }: { readonly alpha: number; readonly isHeldOut: boolean },
): void {
  const needed = leastPairs({ ...TRIAL_TEST, alpha });
  if (count >= needed) return;
  const missing = needed - count;
  throw isHeldOut
    ? refusal(
        `a trial needs ${needed} held-out questions at least, and there are ${count}: ${missing} ${missing === 1 ? "is" : "are"} missing`,
        `every ${HELD_OUT_EVERY}th question that is asked is held out; ask more, or give a file of tasks`,
      )
    : refusal(
        `a trial needs ${needed} questions at least, and the file has ${count}: ${missing} ${missing === 1 ? "is" : "are"} missing`,
        "add more",
      );
}

/** Held-out questions that stand alone, in an order that follows from the child, each once. */
async function heldOutTasks({ store, protocols }: AppContext, seed: string): Promise<readonly TrialTask[]> {
  // Other protocols' questions are a program's.
  const askedBy = (await askedProtocols(protocols)).map(({ name }) => name);
  const runs = new Map<string, DeliberationId>();
  for await (const { id, question } of heldOutRuns(store, UNMEASURED))
    if (!runs.has(question)) runs.set(question, id);
  const tasks: TrialTask[] = [];
  const asked = new Set<string>();
  for (const id of shuffle(seed, "held-out", [...runs.values()])) {
    if (tasks.length === TRIAL_TEST.most) break;
    const [opened] = await store.read(id);
    if (!opened || !isEvent(opened, "deliberation-opened")) continue;
    const { question, context, history = [], protocol } = opened.data;
    if (!askedBy.includes(protocol.name) || history.length > 0 || asked.has(question)) continue;
    const texts = await Promise.all(context.map(({ text }) => store.text(text)));
    const more = texts.join("\n\n");
    if (more.length > MAX_CONTEXT_LENGTH) continue;
    asked.add(question);
    tasks.push({ question, ...(more === "" ? {} : { context: more }) });
  }
  return tasks;
}

/** How many other children, and other versions of this one, were tried against this parent. */
async function countSiblings(
  { store }: AppContext,
  { parent, child, version }: { readonly parent: string; readonly child: string; readonly version: string },
): Promise<number> {
  const tried = new Set<string>();
  const runs = await store.list({ limit: 1_000, requests: { prefixes: [TRIED], hidden: false } });
  for (const { id } of runs) {
    const [opened] = await store.read(id);
    if (!opened || !isEvent(opened, "deliberation-opened")) continue;
    const { data } = TrialSettings.safeParse(opened.data.settings);
    if (data?.parent.id === parent) tried.add(digestOf(data.child));
  }
  tried.delete(digestOf({ id: child, version }));
  return tried.size;
}

type TrialSeats = {
  readonly child: LoadedPersona;
  readonly parent: LoadedPersona;
  readonly items: readonly TrialTask[];
};

/** Child, parent and nobody on one model, and judges of other families. @throws Fault for a judge of the model's family */
async function seatTrial(context: AppContext, { child, parent, items }: TrialSeats) {
  const { families } = context.settings;
  const panel = await choosePanel(context);
  const [model] = panel.members;
  if (model === undefined) throw refusal("no model is set", "set a model, e.g. openai/gpt-6.1-terra");
  const family = familyOf(model, families);
  const needsJudges = items.some(({ answer }) => answer === undefined);
  const wanted = context.settings.judge.length > 0 ? context.settings.judge : panel.members.slice(1);
  const named = context.settings.judge.length > 0;
  const judging: ModelRef[] = [];
  for (const ref of needsJudges ? new Set(wanted) : []) {
    const judge = await checkModelRef(context, ref);
    const own = familyOf(judge, families);
    if (family !== null && own !== null && own !== family) judging.push(judge);
    else if (named)
      throw refusal(
        own === null || family === null
          ? `the family of ${own === null ? judge : model} is not known, and a judge must be of another family`
          : `the judge ${judge} is of the family ${family}, like ${model}, whose answers it compares`,
        own === null || family === null
          ? "declare it (setting: families), or name another judge"
          : "name a judge of another family",
      );
  }
  if (needsJudges && judging.length === 0)
    throw refusal(
      `a trial on open questions needs a judge of another family than ${model}${family === null ? ", whose family is not known" : ` (${family})`}`,
      "name a judge of another family, or give a file of tasks with answers",
    );
  const seat = (name: "child" | "parent" | "none", instructions: string): SeatedParticipant => ({
    id: ParticipantId.parse(name),
    seat: name,
    persona: {
      name: name === "child" ? child.name : name === "parent" ? parent.name : "Nobody",
      instructions,
    },
    ...{ ...askedBy(model, child), family },
    ...(child.temperature === undefined ? {} : { temperature: child.temperature }),
  });
  const judges = judging.map((judge, index): SeatedParticipant => ({
    ...{ id: ParticipantId.parse(`judge-${index + 1}`), seat: "judge", model: judge },
    ...{ persona: { name: `Judge ${index + 1}`, instructions: "" }, family: familyOf(judge, families) },
  }));
  return {
    participants: [
      seat("child", child.instructions),
      seat("parent", parent.instructions),
      seat("none", ""),
      ...judges,
    ],
    judges,
  };
}

export const verdictIn = (entries: readonly Entry[]): DataOf<"trial-decided"> | undefined =>
  entries.findLast((entry) => isEvent(entry, "trial-decided"))?.data;
