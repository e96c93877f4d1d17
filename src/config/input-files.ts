import { open, type FileHandle } from "node:fs/promises";
import * as z from "zod";
import { isFault, parseJson } from "../kernel/index.ts";
import { mediaOf } from "../text/media.ts";
import { checkedFile } from "./named-files.ts";
import { toAbsolute, type FileContext } from "./paths.ts";
import {
  decodeText,
  displayPath,
  formatSize,
  MEGABYTE,
  readTextFile,
  refuse,
  refuseSpecialFile,
  statOf,
  toReadFault,
} from "./text-file.ts";
import { parseYaml, readYaml, type YamlFile } from "./yaml.ts";

/** Where relative paths start, and what `~` is. */
type PathContext = Pick<FileContext, "cwd" | "env">;

/** Material that goes with a question: a name for people, and the text. */
export type ContextText = { readonly name: string; readonly text: string };
/** The same, or the bytes of a picture or a PDF in base64. */
export type ContextFile = ContextText | { readonly name: string; readonly base64: string };

export type ContextRequest = PathContext & {
  /** As a person wrote them; a pipe is read too. */
  readonly files: readonly string[];
  /** Files that were read already; the others are read. */
  readonly bytes?: ReadonlyMap<string, Uint8Array>;
  /** What was piped in, if anything. */
  readonly stdin?: string | undefined;
  /** Of all of it together. */
  readonly maxBytes?: number;
};

/**
 * The texts and, of pictures and PDFs, the bytes in the order given, standard input last; as `readContext`, with a limit of its
 * own for each file that is no text.
 * @throws Fault `configuration` as `readContext` does
 */
export async function readContextFiles(
  request: ContextRequest & { readonly maxMediaBytes: number },
): Promise<ContextFile[]> {
  const { maxMediaBytes, files, ...rest } = request;
  const media = new Map<string, ContextFile>();
  for (const file of files) {
    const path = toAbsolute(file, request);
    if (!isFile(path) || !mediaOf(await readAtMost(path, displayPath(file), MEDIA_HEAD))) continue;
    const name = displayPath(file);
    const bytes = await readAtMost(path, name, maxMediaBytes + 1);
    if (bytes.length > maxMediaBytes)
      throw refuse(
        `${name} has more than ${formatSize(maxMediaBytes)}`,
        "give less, or raise max-attachment-bytes",
      );
    media.set(file, { name, base64: Buffer.from(bytes).toString("base64") });
  }
  const texts = await readContext({ ...rest, files: files.filter((file) => !media.has(file)) });
  return [...files.flatMap((file) => media.get(file) ?? texts.shift() ?? []), ...texts];
}

/** As many bytes as say what a file is. */
const MEDIA_HEAD = 1_024;

/**
 * The texts in the order given, standard input last, without byte order marks.
 * @throws Fault `configuration` that names the file: missing, a folder, binary, not UTF-8, or too much together
 */
export async function readContext(request: ContextRequest): Promise<ContextText[]> {
  const { files, bytes: known, stdin, maxBytes = MEGABYTE, ...place } = request;
  const texts: ContextText[] = [];
  let left = maxBytes;
  const add = (name: string, bytes: Uint8Array): void => {
    if (bytes.length > left) {
      const size = `more than ${formatSize(maxBytes)}`;
      throw refuse(
        texts.length > 0 ? `all context together has ${size}, from ${name} on` : `${name} has ${size}`,
        "give less, or raise max-context-bytes",
      );
    }
    left -= bytes.length;
    texts.push({ name, text: decodeText({ bytes, name, maxBytes }) });
  };
  for (const file of files) {
    if (file.trim() === "") throw refuse("a context file has no name", "name a file");
    const name = displayPath(file);
    add(name, known?.get(file) ?? (await readAtMost(toAbsolute(file, place), name, left + 1)));
  }
  if (stdin !== undefined && stdin !== "") add("stdin", new TextEncoder().encode(stdin));
  return texts;
}

async function readAtMost(path: string, name: string, max: number): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    refuseSpecialFile(path, name);
    file = await open(path, "r");
    if ((await file.stat()).isDirectory())
      throw refuse(`${name} is a folder`, `name the files in it, as ${name}/*.md`);
    const chunks = await file.createReadStream({ end: max - 1, autoClose: false }).toArray();
    return Buffer.concat(chunks as Buffer[]); // without an encoding
  } catch (error) {
    throw toReadFault(error, name);
  } finally {
    await file?.close();
  }
}

/** The text of a file that states a problem. @throws Fault `configuration` for a file that is no UTF-8 text, or has more than a megabyte */
export function readProblemFile(written: string, place: PathContext): string {
  return readTextFile({ path: toAbsolute(written, place), kind: "problem", maxBytes: MEGABYTE });
}

/**
 * What an argument that may be a text or name a file stands for: the file's text where there is a file of that name, else
 * the argument itself.
 * @throws Fault `configuration` for a file that is no UTF-8 text, or has more than a megabyte
 */
export function readTextOrFile(written: string, place: FileContext): string {
  const path = toAbsolute(written, place);
  refuseSpecialFile(path, displayPath(written));
  return isFile(path) ? readTextFile({ path, kind: "file", maxBytes: MEGABYTE }) : written;
}

const isFile = (path: string): boolean => statOf(path)?.isFile() === true;

/**
 * What a file of facts for simulated models holds, as plain data; the simulated models know its form.
 * @throws Fault `configuration` for a file that cannot be read, is not YAML, or holds nothing
 */
export function readFactsFile(file: string, place: PathContext): unknown {
  const { value } = readYaml(toAbsolute(file, place), "facts file");
  if (value !== null) return value;
  throw refuse(`the facts file ${displayPath(file)} is empty`, "write facts: and a list of facts");
}

const answer = z.string().trim().max(20_000);
const AnswerList = z.array(z.strictObject({ id: z.string(), text: answer })).max(500);
const Answers = z.union([AnswerList, z.record(z.string(), answer)]);

const ANSWERS_FORM = 'answers are a map of question ids to texts, or a list of {"id", "text"}';

/** Answers to questions, by id: JSON or YAML. @throws Fault `configuration` */
export function readAnswersFile(written: string, place: FileContext): ReadonlyMap<string, string> {
  return answersIn(readYaml(toAbsolute(written, place), "file of answers"));
}

/** The same of what was piped in. @throws Fault `configuration` */
export const readAnswersText = (text: string): ReadonlyMap<string, string> =>
  answersIn(parseYaml(text, "standard input"));

function answersIn(file: YamlFile): ReadonlyMap<string, string> {
  const answers = checkedFile(file, Answers, ANSWERS_FORM);
  return new Map(Array.isArray(answers) ? answers.map((one) => [one.id, one.text]) : Object.entries(answers));
}

/** A file of one JSON object a line, each of one form. */
export type JsonLines<S extends z.ZodType> = {
  readonly file: string;
  /** What the file is, in the words of an error: `file of tasks`. */
  readonly kind: string;
  readonly row: S;
  /** Where the right form is to be seen, in words. */
  readonly form: string;
};

/** A row, and where it stands: `tasks.jsonl:3`. */
export type JsonLine<T> = { readonly place: string; readonly value: T };

const MAX_JSON_LINES_BYTES = 64 * MEGABYTE;

/**
 * The rows of such a file; empty lines are skipped.
 * @throws Fault `configuration` for a file that cannot be read or has no row, and for the first line that is not of the form
 */
export function readJsonLines<S extends z.ZodType>(
  { file, kind, row, form }: JsonLines<S>,
  place: FileContext,
): JsonLine<z.output<S>>[] {
  const text = readTextFile({ path: toAbsolute(file, place), kind, maxBytes: MAX_JSON_LINES_BYTES });
  const name = displayPath(file);
  const lines = text.split(/\r?\n/).flatMap((line, index): JsonLine<z.output<S>>[] => {
    if (line.trim() === "") return [];
    const at = `${name}:${index + 1}`;
    const value = parseJson(line);
    if (value === undefined) throw refuse(`${at}: this is not JSON`, form);
    return [{ place: at, value: checkedFile({ value, place: () => at }, row, form) }];
  });
  if (lines.length === 0) throw refuse(`the ${kind} ${name} has no line`, form);
  return lines;
}

/** What a participant is told: our own words, or a file's. `path` is as the configuration writes it. */
export type PromptOrigin =
  { readonly source: "built-in" } | { readonly source: "file"; readonly path: string; readonly text: string };

export type PromptReading = { readonly prompt: PromptOrigin; readonly warnings: readonly string[] };

const MAX_PROMPT_BYTES = 100_000;

/**
 * The first of these files that can be used, else the built-in text. Whatever keeps one from being used (missing, a
 * folder, unreadable, no text, blank, more than 100 kB) is a warning. `kind` is what the text is for, in words; relative
 * paths count from `place.cwd`.
 */
export function readPrompt(
  paths: readonly string[],
  { kind, place }: { readonly kind: string; readonly place: PathContext },
): PromptReading {
  const reasons: string[] = [];
  const listWarnings = (used: string) => reasons.map((reason) => `${reason}; ${used} is used instead`);
  for (const path of paths) {
    const absolute = toAbsolute(path, place);
    try {
      const text = readTextFile({ path: absolute, kind, maxBytes: MAX_PROMPT_BYTES }).trim();
      if (text !== "")
        return { prompt: { source: "file", path, text }, warnings: listWarnings(displayPath(path)) };
      reasons.push(`the ${kind} ${displayPath(absolute)} is blank`);
    } catch (error) {
      if (!isFault(error, "configuration")) throw error;
      reasons.push(error.details.why);
    }
  }
  return { prompt: { source: "built-in" }, warnings: listWarnings("the built-in one") };
}
