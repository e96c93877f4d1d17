import { open, type FileHandle } from "node:fs/promises";
import {
  refuse,
  decodeText,
  MEGABYTE,
  displayPath,
  formatSize,
  toReadFault,
  readTextFile,
} from "./text-file.ts";
import { toAbsolute, type FileContext } from "./paths.ts";
import { statSync } from "node:fs";
import * as z from "zod";
import { isFault } from "../kernel/index.ts";
import { checkedFile } from "./named-files.ts";
import { readYaml } from "./yaml.ts";

/** Material that goes with a question: a name for people, and the text. */
export type ContextText = { readonly name: string; readonly text: string };

export type ContextRequest = Pick<FileContext, "cwd" | "env"> & {
  /** As a person wrote them; what `<(command)` gives is read too. */
  readonly files: readonly string[];
  /** What was piped in, if anything. */
  readonly stdin?: string | undefined;
  /** Of all of it together. */
  readonly maxBytes?: number;
};

/**
 * The texts in the order given, standard input last, without byte order marks.
 * @throws Fault `configuration` that names the file: missing, a folder, binary, not UTF-8, or too much together
 */
export async function readContext({
  files,
  stdin,
  maxBytes: mostBytes = MEGABYTE,
  ...place
}: ContextRequest): Promise<ContextText[]> {
  const texts: ContextText[] = [];
  let left = mostBytes;
  const take = (name: string, bytes: Uint8Array, next: string): void => {
    if (bytes.length > left) {
      const together = texts.length > 0 ? "all context together has" : `${name} has`;
      throw refuse(
        `${together} more than ${formatSize(mostBytes)}${texts.length > 0 ? `, from ${name} on` : ""}`,
        next,
      );
    }
    left -= bytes.length;
    texts.push({ name, text: decodeText({ bytes, name, mostBytes }) });
  };
  const next = "give less, or raise max-context-bytes";
  for (const file of files) {
    if (file.trim() === "") throw refuse("a context file has no name", "write --context FILE");
    const name = displayPath(file);
    take(name, await readAtMost({ path: toAbsolute(file, place), name, most: left + 1 }), next);
  }
  if (stdin !== undefined && stdin !== "") take("stdin", new TextEncoder().encode(stdin), next);
  return texts;
}

async function readAtMost({
  path,
  name,
  most,
}: {
  path: string;
  name: string;
  most: number;
}): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, "r");
    if ((await file.stat()).isDirectory())
      throw refuse(`${name} is a folder`, `name the files in it, as ${name}/*.md`);
    const chunks: Uint8Array[] = [];
    for (let total = 0; total < most;) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(Math.min(65_536, most - total)));
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      total += bytesRead;
    }
    return Buffer.concat(chunks);
  } catch (error) {
    throw toReadFault(error, name);
  } finally {
    await file?.close();
  }
}

/** The text of a file that states a problem. @throws Fault `configuration` for a file that is no UTF-8 text, or has more than a megabyte */
export function readProblemFile(written: string, place: Pick<FileContext, "cwd" | "env">): string {
  return readTextFile({ path: toAbsolute(written, place), kind: "problem", maxBytes: MEGABYTE });
}

/**
 * What an argument that may be a text or name a file stands for: the file's text where there is a file of that name, else
 * the argument itself.
 * @throws Fault `configuration` for a file that is no UTF-8 text, or has more than a megabyte
 */
export function readTextOrFile(given: string, place: FileContext): string {
  const path = toAbsolute(given, place);
  return isFile(path) ? readTextFile({ path, kind: "file", maxBytes: MEGABYTE }) : given;
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false; // a text that cannot be a path: too long, or with a NUL in it
  }
}

/**
 * What a file of facts for simulated models holds, as plain data; the simulated models know its form.
 * @throws Fault `configuration` for a file that cannot be read, is not YAML, or holds nothing
 */
export function readFactsFile(file: string, place: Pick<FileContext, "cwd" | "env">): unknown {
  const { value } = readYaml(toAbsolute(file, place), "facts file");
  if (value === null)
    throw refuse(`the facts file ${displayPath(file)} is empty`, "write facts: and a list of facts");
  return value;
}

const answer = z.string().trim().max(20_000);
const AnswerList = z.array(z.strictObject({ id: z.string(), text: answer })).max(500);
const Answers = z.union([AnswerList, z.record(z.string(), answer)]);

const ANSWERS_FORM = 'answers are a map of question ids to texts, or a list of {"id", "text"}';

/** Answers to questions, by id: JSON or YAML. @throws Fault `configuration` */
export function readAnswersFile(written: string, place: FileContext): ReadonlyMap<string, string> {
  const answers = checkedFile(readYaml(toAbsolute(written, place), "file of answers"), Answers, ANSWERS_FORM);
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
    const read = { path: at, value: parseLine(line, { at, form }), place: () => at };
    return [{ place: at, value: checkedFile(read, row, form) }];
  });
  if (lines.length === 0) throw refuse(`the ${kind} ${name} has no line`, form);
  return lines;
}

function parseLine(line: string, { at, form }: { readonly at: string; readonly form: string }): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw refuse(`${at}: this is not JSON`, form);
  }
}

/** What a participant is told: our own words, or a file's. `path` is as the configuration writes it. */
export type PromptSource =
  { readonly source: "built-in" } | { readonly source: "file"; readonly path: string; readonly text: string };

export type PromptReading = { readonly prompt: PromptSource; readonly warnings: readonly string[] };

const MAX_PROMPT_BYTES = 100_000;

/**
 * The first of these files that can be used, else the built-in text. Whatever keeps one from being used (missing, a
 * folder, unreadable, no text, blank, more than 100 kB) is a warning. `kind` is what the text is for, in words; relative
 * paths count from `place.cwd`.
 */
export function readPrompt(
  paths: readonly string[],
  { kind, place }: { readonly kind: string; readonly place: Pick<FileContext, "cwd" | "env"> },
): PromptReading {
  const reasons: string[] = [];
  for (const path of paths) {
    const read = promptTextOf(toAbsolute(path, place), kind);
    if (read.ok) {
      const warnings = reasons.map((reason) => `${reason}; ${displayPath(path)} is used instead`);
      return { prompt: { source: "file", path, text: read.text }, warnings };
    }
    reasons.push(read.reason);
  }
  const warnings = reasons.map((reason) => `${reason}; the built-in one is used instead`);
  return { prompt: { source: "built-in" }, warnings };
}

function promptTextOf(
  path: string,
  kind: string,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string } {
  try {
    const text = readTextFile({ path, kind, maxBytes: MAX_PROMPT_BYTES }).trim();
    return text === ""
      ? { ok: false, reason: `the ${kind} ${displayPath(path)} is blank` }
      : { ok: true, text };
  } catch (error) {
    if (isFault(error, "configuration")) return { ok: false, reason: error.details.why };
    throw error;
  }
}
