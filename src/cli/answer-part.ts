import { readSchema, type FormedAnswer, type FormSchema } from "../app/form.ts";
import type { Parley } from "../app/parley.ts";
import { toAbsolute } from "../config/paths.ts";
import { readTextFile } from "../config/text-file.ts";
import { parseJson, refusal, type FailureCode } from "../kernel/index.ts";
import { warningLines, type ShownResult } from "../reports/answer.ts";
import { jsonText, printable } from "../reports/printable.ts";
import { fencedBlocks, normalizeBreaks } from "../text/fences.ts";
import type { Io } from "./command.ts";
import { noteProblem } from "./errors.ts";
import { EXIT, exitOf } from "./exits.ts";
import { interruptible, type Showing } from "./session.ts";

/** Has a run's answer written in a form. */
export type WriteForm = (id: string) => Promise<FormedAnswer>;

const MAX_SCHEMA_BYTES = 100_000;

/** What writes answers in the form of a file's JSON Schema. @throws Fault `configuration` for a file that has none, before anything is asked */
export function formIn(io: Io, me: Parley, file: string): WriteForm {
  const text = readTextFile({ path: toAbsolute(file, io), kind: "JSON Schema", maxBytes: MAX_SCHEMA_BYTES });
  const refuse = (why: string) => refusal(`${file} is no JSON Schema: ${why}`, "correct it");
  const schema = parseJson(text);
  if (schema === undefined) throw refuse("it is not JSON");
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw refuse("it is no object");
  const form = schema as FormSchema; // An object of JSON.
  const read = readSchema(form);
  if (!read.ok) throw refuse(read.why);
  return (id) => interruptible((signal) => me.writeInForm(id, form, { signal }));
}

/** Prints of an answer what was asked for alone, and gives the exit code: 1 where there is none. */
export async function printPart(
  { output }: Pick<Io, "output">,
  shown: ShownResult,
  { form, json, quiet }: Pick<Showing, "form" | "json" | "quiet">,
): Promise<number> {
  const { id, answer } = shown.result;
  const next = `parley show ${id}`;
  if (!quiet) for (const line of warningLines(shown)) output.note(line);
  if (!form) {
    const text = normalizeBreaks(answer ?? "");
    const blocks = fencedBlocks(text);
    const [first] = blocks;
    if (!first) return refuse("the answer has no code block");
    if (!first.closed) return refuse("the answer's first code block has no end");
    const [indent = ""] = /^ */.exec(text.slice(first.start)) ?? [];
    // A fence that is indented, as in a list, indents what it holds.
    const code = text
      .slice(first.contentStart, first.contentEnd)
      .replaceAll(new RegExp(`^ {0,${indent.length}}`, "gm"), "");
    await output.result(`${printable(code.replace(/^\n/, "").trimEnd())}\n`);
    if (!quiet && blocks.length > 1) output.note(`The first of ${blocks.length} code blocks. All: ${next}`);
    return EXIT.answered;
  }
  const formed = await form(id);
  if (json) await output.result(jsonText({ ...shown.result, value: formed.ok ? formed.value : null }));
  else if (formed.ok) await output.result(jsonText(formed.value));
  if (formed.ok) return EXIT.answered;
  const failed = formed.results.at(-1);
  const code = refuse(`the answer could not be written in the form that was asked for: ${formed.why}`);
  if (!failed || failed.answer !== null) return code;
  return exitOf(failed, failed.error ? [{ code: failed.error.code as FailureCode }] : [], "accept");

  function refuse(problem: string): number {
    noteProblem({ output }, { problem, next });
    return EXIT.refusedByCheck;
  }
}
