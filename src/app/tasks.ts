import { extname } from "node:path";
import { CsvError, parse } from "csv-parse/sync";
import * as z from "zod";
import { type JsonLine, readJsonLines } from "../config/input-files.ts";
import { checkedFile } from "../config/named-files.ts";
import { toAbsolute, type FileContext } from "../config/paths.ts";
import { displayPath, MEGABYTE, readTextFile } from "../config/text-file.ts";
import { refusal, type Answer } from "../kernel/index.ts";
import { extractAnswer } from "../replies/extract-answer.ts";
import { withOptions } from "../sim/recorded.ts";
import { findNearest, quoteValue } from "../text/words.ts";

/** A question with its one right answer: a line of a file of tasks. */
export const BenchLine = z.strictObject({
  question: z.string().trim().min(1),
  /** As it would stand behind `Final answer:`; a number may be written as one. */
  answer: z
    .union([z.string().trim().min(1), z.number().transform(String)])
    .refine(
      (answer) => expectedAnswer(answer) !== null,
      "cannot be compared; give a number, a letter, a few words, or lines such as those of a grid",
    ),
  /** Names it in the report; by default its line. */
  id: z.string().trim().min(1).max(200).optional(),
  /** Accuracy is shown by kind, too. */
  kind: z.string().trim().min(1).max(60).optional(),
  /** Material to work with, shown to the models as data. */
  context: z.string().optional(),
});
/** The same, where a question may be open: it has no right answer. */
export const OpenLine = BenchLine.partial({ answer: true });
export type BenchTask = z.infer<typeof OpenLine> & { readonly id: string };

/** A question as a judge reads it, with its material. */
export const wholeQuestion = ({ question, context }: BenchTask): string =>
  context === undefined ? question : `${question}\n\n${context}`;

/** What an answer in a file of tasks comes to, read as a model's is. */
export const expectedAnswer = (answer: string): Answer | null =>
  (answer.includes("\n") ? null : extractAnswer(`Final answer: ${answer}`)) ??
  (/(?:\p{L}{2,}[,;]?\s+){4}/u.test(answer) ? null : extractAnswer(`<answer>\n${answer}\n</answer>`));

const FORM =
  'a line looks like {"question": "What is 17 * 23?", "answer": "391"}, and open questions need a judge';
const KIND = "file of tasks";
const MAX_CSV_BYTES = 64 * MEGABYTE;

/** Where the parts of a task stand in a file of another form. All other columns are ignored. */
export type TaskColumns = {
  readonly question?: string | undefined;
  readonly answer?: string | undefined;
  /** A list of possible answers, shown below the question with letters from A. */
  readonly options?: string | undefined;
  readonly kind?: string | undefined;
};

/**
 * The tasks of a file of JSON lines, or of CSV with a head line, each under an id: its own, else its line.
 * With `open`, a question may have no answer.
 * @throws Fault `configuration` for a line that is none, a column that is missing, an id or a question that comes twice
 */
export function readBenchTasks(
  file: string,
  here: FileContext,
  { open = false, ...columns }: TaskColumns & { readonly open?: boolean } = {},
): BenchTask[] {
  const isForeign = isCsv(file) || Object.values(columns).some((name) => name !== undefined);
  const line: z.ZodType<z.infer<typeof OpenLine>> = open ? OpenLine : BenchLine;
  return readTasks(file, here, isForeign ? foreignLine(columns, line, open) : line);
}

const isCsv = (file: string) => extname(file).toLowerCase() === ".csv";

/** A line of another form as one of ours. */
function foreignLine(
  { question = "question", answer, options, kind }: TaskColumns,
  line: z.ZodType<z.infer<typeof OpenLine>>,
  open: boolean,
) {
  const pick = (record: Readonly<Record<string, unknown>>, context: z.RefinementCtx): unknown => {
    const read = (name: string): unknown => {
      if (Object.hasOwn(record, name)) return record[name];
      const names = Object.keys(record);
      context.addIssue({
        code: "custom",
        message: `there is no column ${quoteValue(name)}; the nearest is ${findNearest(name, names)}, and there are ${names.slice(0, 20).join(", ")}`,
      });
      return z.NEVER;
    };
    const asked = read(question);
    const { id, context: material } = record;
    const expected = answer === undefined && open ? record["answer"] : read(answer ?? "answer");
    return {
      question: options === undefined ? asked : withOptions(String(asked), read(options)),
      ...(open && (expected === undefined || expected === "") ? {} : { answer: expected }),
      ...(kind === undefined ? {} : { kind: String(read(kind)) }),
      ...(id === undefined || id === "" ? {} : { id: typeof id === "number" ? `${id}` : id }),
      ...(typeof material === "string" && material !== "" ? { context: material } : {}),
    };
  };
  return z.record(z.string(), z.unknown()).transform(pick).pipe(z.unknown().pipe(line));
}

type TaskLine = z.ZodType<Pick<BenchTask, "question" | "context"> & { readonly id?: string | undefined }>;

/** As `readBenchTasks`, of lines of another form. @throws Fault `configuration` */
function readTasks<S extends TaskLine>(
  file: string,
  here: FileContext,
  row: S,
): (z.output<S> & { readonly id: string })[] {
  const ids = new Map<string, string>();
  const questions = new Map<string, string>();
  const lines = isCsv(file)
    ? readCsvLines(file, here, row)
    : readJsonLines({ file, kind: KIND, row, form: FORM }, here);
  return lines.map(({ place, value }) => {
    const task = { ...value, id: value.id ?? `line ${place.slice(place.lastIndexOf(":") + 1)}` };
    const asked = JSON.stringify([task.question, task.context ?? null]);
    for (const { seen, key, what } of [
      { seen: ids, key: task.id, what: "id" },
      { seen: questions, key: asked, what: "question" },
    ]) {
      const before = seen.get(key);
      if (before !== undefined)
        throw refusal(
          `${place} has the same ${what} as ${before}`,
          "every task counts once; take one of them out",
        );
      seen.set(key, place);
    }
    return task;
  });
}

const CSV_FORM = "the first line names the columns: question,answer";

/** The rows of a CSV file (RFC 4180) by the names in its first line, every value a text. */
function readCsvLines<S extends z.ZodType>(file: string, here: FileContext, row: S): JsonLine<z.output<S>>[] {
  const text = readTextFile({ path: toAbsolute(file, here), kind: KIND, maxBytes: MAX_CSV_BYTES });
  const name = displayPath(file);
  const lines = parseCsv(text, name).map(({ record, info }): JsonLine<z.output<S>> => {
    const place = `${name}:${info.lines}`;
    return { place, value: checkedFile({ value: record, place: () => place }, row, CSV_FORM) };
  });
  if (lines.length === 0) throw refusal(`the ${KIND} ${name} has no line`, CSV_FORM);
  return lines;
}

const CsvRows = z.array(
  z.object({ record: z.record(z.string(), z.string()), info: z.object({ lines: z.int() }) }),
);

function parseCsv(text: string, name: string): z.output<typeof CsvRows> {
  try {
    return CsvRows.parse(parse(text, { bom: true, columns: true, info: true, skip_empty_lines: true }));
  } catch (error) {
    if (error instanceof CsvError) throw refusal(`${name}: ${error.message}`, CSV_FORM);
    throw error;
  }
}
