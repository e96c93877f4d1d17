import { basename } from "node:path";
import * as z from "zod";
import type { BenchReport, BenchRow, Bench, ListedBench } from "../contract.ts";
import {
  isEvent,
  MAX_EVENT_BYTES,
  type Entry,
  type Texts,
  type DeliberationId,
  type OrganizationStore,
} from "../../../kernel/index.ts";
import { BenchSettings, bench, type RecordedArm } from "../protocol/index.ts";
import { parseJson } from "../../../replies/json-objects.ts";
import { JudgePins } from "../../../app/judge.ts";
import type { PreparedArm } from "./arms.ts";
import { OpenLine, type BenchTask } from "../../../app/tasks.ts";
import { DRAFT_RULES, benchRow, isCut } from "./row.ts";
import { readJudging, type ArmsJudging, benchReport } from "./report.ts";
import { resume } from "../../../app/run.ts";
import { assembleOpening } from "../../../app/opening.ts";
import { recordedRuns } from "../../../app/resumable.ts";
import { openPrepared } from "../../../app/start.ts";
import { seatPerson } from "../../../app/people.ts";
import { findOpening, summariesIn } from "../../../app/lookup.ts";
import type { AppContext } from "../../../app/context.ts";
import { digestOf, idOfRequest, textDigest } from "../../../engine/index.ts";

/** What a bench compares, and under which names its deliberations are found. */
export type BenchDefinition = {
  /** The name of the file of tasks, without its folder. */
  readonly file: string;
  /** Null where every deliberation drew its own. */
  readonly seed: string | null;
  readonly tasks: readonly BenchTask[];
  /** `requests`: of each task, in their order, what the names of the arm's deliberations begin with. */
  readonly arms: readonly (RecordedArm & { readonly requests: readonly string[] })[];
  /** How a judge compares the answers to open questions; null where none does. */
  readonly judge: JudgePins | null;
};

type DefinitionParts = Pick<BenchDefinition, "file" | "seed" | "tasks" | "judge"> & {
  readonly arms: readonly PreparedArm[];
};

/** Defines a bench. Arms that ask the same of the same models share their deliberations. */
export function defineBench({ file, arms, ...rest }: DefinitionParts): BenchDefinition {
  const all = arms.map(({ arm, rule, request }) => ({
    ...{ ...arm, ...(rule === undefined ? {} : { rule }) },
    requests: rest.tasks.map(request),
  }));
  return {
    // The folder is of this machine alone, whoever reads the report.
    ...{ ...rest, file: basename(file.replaceAll("\\", "/")) },
    arms: all.map((one) => {
      const first = all.find(({ requests }) => requests[0] === one.requests[0])?.name ?? one.name;
      return first === one.name ? one : { ...one, drafted: first };
    }),
  };
}

/** The row of each request that was begun; its arm may be any of those that share it. */
type RowsByRequest = ReadonlyMap<string, BenchRow>;

/** The rows of all arms, each in the order of the tasks, as rules over drafts answer too. */
export const rowsIn = ({ arms }: BenchDefinition, rows: RowsByRequest): BenchRow[] =>
  arms.flatMap(({ name, rule, requests }) => {
    const own = requests.flatMap((request) => {
      const row = rows.get(request);
      return row ? [{ ...row, arm: name }] : [];
    });
    return rule === undefined ? own : DRAFT_RULES[rule](own);
  });

const reportOf = (
  { file, seed, tasks, arms }: BenchDefinition,
  { rows, judging }: { readonly rows: readonly BenchRow[]; readonly judging: ArmsJudging | null },
): BenchReport =>
  benchReport({
    tasks: { file, count: tasks.length, open: tasks.filter(({ answer }) => answer === undefined).length },
    seed,
    arms: arms.map(({ requests: _requests, rule: _rule, ...arm }) => arm),
    ...{ rows, judging },
  });

/** A definition as an opening has it: settings that lists read, and the rest as texts. */
function definitionParts({ file, seed, tasks, arms, judge }: BenchDefinition) {
  const settings: BenchSettings = {
    ...{ file, seed, judge: judge?.model ?? null },
    tasks: tasks.length,
    open: tasks.filter(({ answer }) => answer === undefined).length,
    arms: arms.map(({ requests: _requests, ...arm }) => arm),
  };
  const rows = tasks.map(({ id, question, answer, kind, context }) => ({
    ...{ id, question, answer, kind, context },
  }));
  const texts = [
    { name: "tasks", text: JSON.stringify(rows) },
    { name: "requests", text: JSON.stringify(arms.map(({ requests }) => requests)) },
    ...(judge === null ? [] : [{ name: "judge", text: JSON.stringify(judge) }]),
  ];
  return { settings, texts };
}

const RecordedTasks = z.array(OpenLine.required({ id: true }));
const RecordedRequests = z.array(z.array(z.string()));

function benchSettingsIn(entries: readonly Entry[]): BenchSettings | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  return opened?.protocol.name === "bench" ? BenchSettings.safeParse(opened.settings).data : undefined;
}

/** Of each arm and task, what the names of its deliberations begin with; undefined for what is no bench. */
async function readRequests(
  store: Pick<Texts, "text">,
  entries: readonly Entry[],
): Promise<readonly (readonly string[])[] | undefined> {
  return RecordedRequests.safeParse(await readPart(store, entries, "requests")).data;
}

/** What a bench's journal defines; undefined for what is no bench. @throws Fault `text-missing` */
async function readDefinition(
  store: Pick<Texts, "text">,
  entries: readonly Entry[],
): Promise<BenchDefinition | undefined> {
  const settings = benchSettingsIn(entries);
  const tasks = RecordedTasks.safeParse(await readPart(store, entries, "tasks")).data;
  const requests = await readRequests(store, entries);
  const judge = JudgePins.nullable().safeParse(await readPart(store, entries, "judge"));
  if (!settings || !tasks || !requests || !judge.success) return undefined;
  const { file, seed, arms } = settings;
  const isWhole = requests.length === arms.length && requests.every((own) => own.length === tasks.length);
  if (!isWhole) return undefined;
  return {
    ...{ file, seed, tasks, judge: judge.data },
    arms: arms.map((arm, index) => ({ ...arm, requests: requests[index] ?? [] })),
  };
}

async function readPart(
  store: Pick<Texts, "text">,
  entries: readonly Entry[],
  name: string,
): Promise<unknown> {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  const digest = opened?.context.find((one) => one.name === name)?.text;
  return digest === undefined ? null : parseJson(await store.text(digest));
}

/** What the names of all deliberations of benches begin with. */
const BENCHES = "bench/";
const RECORDED = `${BENCHES}record/`;

/** The longest part of a definition that is recorded, in bytes; a store keeps texts up to this in memory. */
const MAX_PART_BYTES = MAX_EVENT_BYTES;

/** `id`: the bench on record; `tooLarge`: the bytes of the part that is too long to be recorded, and the most that one may have. */
export type BenchRecord =
  | { readonly id: DeliberationId }
  | { readonly tooLarge: { readonly part: string; readonly bytes: number; readonly most: number } };

/** Records what a bench compares, or finds it on record. No model is called. */
export async function recordBench(context: AppContext, definition: BenchDefinition): Promise<BenchRecord> {
  const { settings, texts } = definitionParts(definition);
  // The settings are part of an event, which has more than them.
  const parts = [{ name: "arms", text: JSON.stringify(settings).repeat(2) }, ...texts];
  for (const { name: part, text } of parts) {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_PART_BYTES) return { tooLarge: { part, bytes, most: MAX_PART_BYTES } };
  }
  const { opening } = await assembleOpening(context, {
    protocol: bench,
    question: `Bench of ${settings.file}: ${settings.arms.map(({ name }) => name).join(", ")}`,
    ...{ context: texts, reactions: false },
    part: {
      ...{ settings, answering: [], notes: [] },
      participants: [seatPerson(context.principal.user, "owner", [])],
    },
  });
  const digest = digestOf({ settings, texts: texts.map(({ name, text }) => [name, textDigest(text)]) });
  // The caps of the bench are its deliberations': nothing is spent here.
  const { opened } = await openPrepared(
    context,
    { opening: { ...opening, budget: {} } },
    `${RECORDED}${digest}`,
  );
  const run = await resume(context, opened.deliberation, {});
  await run.outcome();
  return { id: opened.deliberation };
}

/** A page of benches. `next`: the last id of this page, after which the next one begins; null for the last page. */
export type BenchPage = { readonly benches: readonly ListedBench[]; readonly next: DeliberationId | null };

/** The recorded benches of an organization, newest first; what cannot be read as one is passed over. */
export async function listBenches(
  store: OrganizationStore,
  { limit, before }: { readonly limit: number; readonly before?: DeliberationId | undefined },
): Promise<BenchPage> {
  const found = await store.list({
    ...{ limit: limit + 1, protocol: bench.name, requests: { prefixes: [RECORDED], hidden: false } },
    ...(before === undefined ? {} : { before }),
  });
  const page = found.slice(0, limit);
  const statuses = page.length === 0 ? new Map<string, string>() : await readStatuses(store);
  const listed: ListedBench[] = [];
  for (const { id, openedAt } of page) {
    const entries = await store.read(id);
    const settings = benchSettingsIn(entries);
    const requests = settings && (await readRequests(store, entries));
    if (!settings || !requests) continue;
    const { file, tasks, arms, judge } = settings;
    const models = [...arms.flatMap(({ seats }) => seats.map(({ model }) => model)), judge ?? ""];
    listed.push({
      ...{ id, file, openedAt, arms: arms.map(({ name }) => name), tasks, total: tasks * arms.length },
      finished: await countFinished(store, requests.flat(), statuses),
      simulated: models.some((model) => model.startsWith("sim/")),
    });
  }
  return { benches: listed, next: found.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/** The status of every deliberation of a bench, by id. */
async function readStatuses(store: Pick<OrganizationStore, "list">): Promise<ReadonlyMap<string, string>> {
  const statuses = new Map<string, string>();
  for await (const { id, status } of summariesIn(store, { requests: { prefixes: [BENCHES], hidden: false } }))
    statuses.set(id, status);
  return statuses;
}

const UNFINISHED: ReadonlySet<string> = new Set(["open", "failed", "cancelled", "stopped-by-budget"]);

/** Counts as the rows of a report do; a journal is read only where its status leaves open whether a cap had a say. */
async function countFinished(
  store: Pick<OrganizationStore, "read" | "organization">,
  requests: readonly string[],
  statuses: ReadonlyMap<string, string>,
): Promise<number> {
  const known = new Map<string, boolean>();
  for (const request of new Set(requests)) {
    const idOf = (nth: number) => idOfRequest(store.organization, `${request}/${nth}`);
    let nth = 0;
    while (statuses.has(idOf(nth))) nth += 1;
    const id = idOf(nth - 1);
    const status = nth === 0 ? "open" : (statuses.get(id) ?? "open");
    const isSure = UNFINISHED.has(status) || status === "answered";
    known.set(request, !UNFINISHED.has(status) && (isSure || !isCut(await store.read(id))));
  }
  return requests.filter((request) => known.get(request)).length;
}

async function readRows(
  store: Pick<OrganizationStore, "read" | "organization">,
  { arms, tasks }: BenchDefinition,
): Promise<ReadonlyMap<string, BenchRow>> {
  const rows = new Map<string, BenchRow>();
  const { organization } = store;
  for (const [index, task] of tasks.entries())
    for (const { name: arm, requests } of arms) {
      const key = requests[index] ?? "";
      if (rows.has(key)) continue;
      const links: (readonly Entry[])[] = [];
      for await (const { entries } of recordedRuns(store, {
        organization,
        request: (nth) => `${key}/${nth}`,
      }))
        links.push(entries);
      const row = benchRow({ arm, task }, links);
      if (row) rows.set(key, row);
    }
  return rows;
}

/** Makes a recorded bench's report from the store alone; undefined for a run that is no bench. @throws Fault `deliberation-missing` */
export async function readBench(store: OrganizationStore, id: DeliberationId): Promise<Bench | undefined> {
  const entries = await store.read(id);
  const { at: openedAt } = findOpening(entries, id);
  const definition = await readDefinition(store, entries);
  if (!definition) return undefined;
  const rows = rowsIn(definition, await readRows(store, definition));
  return { id, openedAt, report: await reportFromRows(store, definition, rows) };
}

/** A report with what a judge has said of these rows so far. */
export async function reportFromRows(
  store: Pick<OrganizationStore, "read" | "organization">,
  definition: BenchDefinition,
  rows: readonly BenchRow[],
): Promise<BenchReport> {
  const { file, tasks, judge } = definition;
  const arms = definition.arms.map(({ name }) => name);
  const judging = judge === null ? null : await readJudging(store, judge, { file, tasks, arms, rows });
  return reportOf(definition, { rows, judging });
}
