import { basename } from "node:path";
import * as z from "zod";
import type { BenchReport, BenchRow } from "../../contract/bench.ts";
import { isEvent, type Entry, type Texts } from "../../kernel/index.ts";
import { BenchSettings, type RecordedArm } from "../../protocols/bench/index.ts";
import { parseJson } from "../../replies/json-objects.ts";
import { JudgePins } from "../../app/judge.ts";
import type { PreparedArm } from "./arms.ts";
import { DRAFT_RULES } from "./derived.ts";
import type { ArmsJudging } from "./judged.ts";
import { benchReport } from "./report.ts";
import { OpenLine, type BenchTask } from "./row.ts";

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

/** The report of a bench from its rows. */
export const reportOf = (
  { file, seed, tasks, arms }: BenchDefinition,
  { rows, judging }: { readonly rows: readonly BenchRow[]; readonly judging: ArmsJudging | null },
): BenchReport =>
  benchReport({
    tasks: {
      ...{ file, count: tasks.length },
      open: tasks.filter(({ answer }) => answer === undefined).length,
    },
    seed,
    arms: arms.map(({ requests: _requests, rule: _rule, ...arm }) => arm),
    ...{ rows, judging },
  });

/** A definition as an opening has it: settings that lists read, and the rest as texts. */
export function definitionParts({ file, seed, tasks, arms, judge }: BenchDefinition) {
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

/** The settings of a bench's journal; undefined for any other. */
export function benchSettingsIn(entries: readonly Entry[]): BenchSettings | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  return opened?.protocol.name === "bench" ? BenchSettings.safeParse(opened.settings).data : undefined;
}

/** Of each arm and task, what the names of its deliberations begin with; undefined for what is no bench. */
export async function readRequests(
  store: Pick<Texts, "text">,
  entries: readonly Entry[],
): Promise<readonly (readonly string[])[] | undefined> {
  return RecordedRequests.safeParse(await readPart(store, entries, "requests")).data;
}

/** What a bench's journal defines; undefined for what is no bench. @throws Fault `text-missing` */
export async function readDefinition(
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
