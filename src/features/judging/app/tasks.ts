import { basename } from "node:path";
import * as z from "zod";
import type { AppContext } from "../../../app/context.ts";
import { checkedFile } from "../../../config/named-files.ts";
import { type JsonLine, readContext, readTextOrFile } from "../../../config/input-files.ts";
import { toAbsolute, type FileContext } from "../../../config/paths.ts";
import { refuse, displayPath, MEGABYTE, readTextFile } from "../../../config/text-file.ts";
import { type Families, familyOf, Score, refusal } from "../../../kernel/index.ts";
import { parseJson } from "../../../replies/json-objects.ts";
import { takeTexts, type JudgeTask } from "../../../app/judge.ts";

type Here = FileContext & Pick<AppContext, "settings">;

/** The items of a labeled file, to measure a judge by. @throws Fault `configuration` */
export function labeledTask(here: Here, file: string): JudgeTask {
  const { kind, rows } = readLabeledFile(file, here);
  const noun = kind === "grade" ? "graded answers" : "pairs";
  const question = `Validate a judge on the ${rows.length} ${noun} of ${basename(file)}`;
  const author = (model: string) => authorOf(model, here.settings.families);
  if (kind === "grade") {
    const items = rows.map(({ label, model, ...texts }, index) => ({
      ...{ name: nameOf(index), label, texts },
      ...(model === undefined ? {} : { family: author(model) }),
    }));
    return { question, kind, ...takeTexts(items) };
  }
  const items = rows.map(({ label, models, ...texts }, index) => ({
    ...{ name: nameOf(index), label, texts, lengths: { a: texts.a.length, b: texts.b.length } },
    ...(models === undefined ? {} : { families: { a: author(models.a), b: author(models.b) } }),
  }));
  return { question, kind, ...takeTexts(items) };
}

/** Answers in files, to be graded one by one. @throws Fault `configuration` */
export async function gradingTask(
  here: Here,
  given: {
    readonly question: string;
    readonly files: readonly string[];
    readonly reference?: string | undefined;
  },
): Promise<JudgeTask> {
  const question = questionOf(here, given.question);
  const answers = await answersIn(here, given.files);
  const reference = given.reference === undefined ? undefined : readTextOrFile(given.reference, here);
  const items = answers.map(({ text: answer }, index) => ({
    name: nameOf(index),
    texts: { question, answer, reference },
  }));
  return { question, kind: "grade", ...takeTexts(items) };
}

/** Two answers in files, to be compared. @throws Fault `configuration` */
export async function preferenceTask(
  here: Here,
  given: { readonly question: string; readonly a: string; readonly b: string },
): Promise<JudgeTask> {
  const question = questionOf(here, given.question);
  const [a = "", b = ""] = (await answersIn(here, [given.a, given.b])).map(({ text }) => text);
  const item = { name: nameOf(0), texts: { question, a, b }, lengths: { a: a.length, b: b.length } };
  return { question, kind: "preference", ...takeTexts([item]) };
}

/** @throws Fault `configuration` as `readContext` does, and for a file without an answer in it */
async function answersIn(here: Here, files: readonly string[]): ReturnType<typeof readContext> {
  const answers = await readContext({ ...here, files, maxBytes: here.settings.maxContextBytes });
  const empty = answers.find(({ text }) => text.trim() === "");
  if (!empty) return answers;
  throw refusal(`${empty.name} is empty`, "name a file that has the answer to judge");
}

const nameOf = (index: number): string => `item-${index + 1}`;

/** The family of whoever a row names: of a reference, of a model's bare name, or the family itself. */
const authorOf = (model: string, families: Families): string =>
  familyOf(model, families) ?? familyOf(`any/${model}`, families) ?? model.toLowerCase();

function questionOf(here: Here, given: string): string {
  const question = readTextOrFile(given, here).trim();
  if (question !== "") return question;
  throw refusal(
    "the question is empty",
    "give the question that the answers answer, as text or as a file with it",
  );
}

const question = z.string().min(1);
const author = z.string().trim().min(1).max(300);

/** Two answers to a question and which of them is better. `models`: who wrote them, as references or families. */
export const LabeledPair = z.strictObject({
  question,
  a: z.string(),
  b: z.string(),
  label: z.enum(["A", "B", "tie"]),
  models: z.strictObject({ a: author, b: author }).optional(),
});
export type LabeledPair = z.infer<typeof LabeledPair>;

/** An answer to a question and the grade that it deserves. */
export const LabeledAnswer = z.strictObject({
  question,
  answer: z.string(),
  label: Score,
  reference: z.string().min(1).optional(),
  model: author.optional(),
});
export type LabeledAnswer = z.infer<typeof LabeledAnswer>;

/** A pair as the LLMBar data sets write it (Zeng et al. 2023, arXiv 2310.07641). */
const LlmBarPair = z
  .strictObject({
    input: question,
    output_1: z.string(),
    output_2: z.string(),
    label: z.union([z.literal(1), z.literal(2)]).transform((label) => (label === 1 ? "A" : "B")),
  })
  .transform(({ input, output_1: a, output_2: b, label }): LabeledPair => ({ question: input, a, b, label }));

/** What a judge can be measured against: all pairs, or all single answers. */
export type LabeledFile =
  | { readonly kind: "preference"; readonly rows: readonly LabeledPair[] }
  | { readonly kind: "grade"; readonly rows: readonly LabeledAnswer[] };

const MAX_FILE_BYTES = 64 * MEGABYTE;
const MAX_ROWS = 5_000;
const FORMS =
  'a line is {"question", "a", "b", "label": "A", "B" or "tie"} or {"question", "answer", "label": 1 to 5}';

/**
 * Labeled items, one JSON object a line, or LLMBar's JSON array (alone, or as an object's only value).
 * @throws Fault `configuration` that names the line: not JSON, no such form, pairs and single answers in one file;
 *   and for an empty file, or one of more than 5,000 items
 */
export function readLabeledFile(file: string, place: FileContext): LabeledFile {
  const path = toAbsolute(file, place);
  const name = displayPath(file);
  const text = readTextFile({ path, kind: "file of labeled items", maxBytes: MAX_FILE_BYTES });
  const array = arrayIn(text);
  const rows = array ? fromArray(array, name) : fromLines(text, name);
  if (rows.length === 0) throw refuse(`${name} has no items`, FORMS);
  if (rows.length > MAX_ROWS)
    throw refuse(`${name} has ${rows.length} items, more than ${MAX_ROWS}`, "split it");
  if (array) return { kind: "preference", rows: rows.map((row) => parseRow(row, LlmBarPair)) };
  const single = rows.map(({ value }) => isSingle(value));
  const mixed = single.findIndex((one) => one !== single[0]);
  if (mixed !== -1) {
    const why = `${rows[mixed]?.place ?? name}: ${single[mixed] === true ? "a single answer among pairs" : "a pair among single answers"}`;
    throw refuse(why, "put them into a file of their own");
  }
  return single[0] === true
    ? { kind: "grade", rows: rows.map((row) => parseRow(row, LabeledAnswer)) }
    : { kind: "preference", rows: rows.map((row) => parseRow(row, LabeledPair)) };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isSingle = (value: unknown): boolean => isObject(value) && Object.hasOwn(value, "answer");

/** The array that the whole text is, or that is the only value of the object that it is. */
function arrayIn(text: string): readonly unknown[] | undefined {
  const whole = parseJson(text);
  if (Array.isArray(whole)) return whole;
  const [only, second] = isObject(whole) ? Object.values(whole) : [];
  return second === undefined && Array.isArray(only) ? only : undefined;
}

const fromArray = (items: readonly unknown[], name: string): JsonLine<unknown>[] =>
  items.map((value, index) => ({ place: `${name}, item ${index + 1}`, value }));

const fromLines = (text: string, name: string): JsonLine<unknown>[] =>
  text.split(/\r?\n/).flatMap((line, index): JsonLine<unknown>[] => {
    if (line.trim() === "") return [];
    const place = `${name}:${index + 1}`;
    const value = parseJson(line);
    if (!isObject(value)) throw refuse(`${place}: this is no JSON object`, FORMS);
    return [{ place, value }];
  });

const parseRow = <S extends z.ZodType>({ place, value }: JsonLine<unknown>, schema: S): z.output<S> =>
  checkedFile({ value, place: () => place }, schema, FORMS);
