import { basename } from "node:path";
import { readContext, readLabelledFile, textOrFile, type LabelledFile } from "../config/index.ts";
import { familyOf, Fault, type Families } from "../kernel/index.ts";
import type { JudgeTask } from "./judge.ts";
import type { Parley } from "./parley.ts";

type Here = Pick<Parley, "cwd" | "env" | "settings">;

/** The items of a labelled file, to measure a judge by. @throws Fault `configuration` */
export function labelledTask(here: Here, file: string): JudgeTask {
  const labelled = readLabelledFile(file, here);
  const { families } = here.settings;
  const count = labelled.rows.length;
  const question = `Validate a judge on the ${count} ${labelled.kind === "grade" ? "graded answers" : "pairs"} of ${basename(file)}`;
  const texts = textsOf(labelled);
  if (labelled.kind === "grade") {
    const items = labelled.rows.map(({ label, model }, index) => ({
      name: nameOf(index),
      label,
      ...(model === undefined ? {} : { family: authorOf(model, families) }),
    }));
    return { question, texts, kind: "grade", items };
  }
  const items = labelled.rows.map(({ label, a, b, models }, index) => ({
    name: nameOf(index),
    label,
    lengths: { a: a.length, b: b.length },
    ...(models === undefined
      ? {}
      : { families: { a: authorOf(models.a, families), b: authorOf(models.b, families) } }),
  }));
  return { question, texts, kind: "preference", items };
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
  const reference = given.reference === undefined ? undefined : textOrFile(given.reference, here);
  const texts = answers.flatMap(({ text }, index) => [
    { name: `${nameOf(index)}/question`, text: question },
    { name: `${nameOf(index)}/answer`, text },
    ...(reference === undefined ? [] : [{ name: `${nameOf(index)}/reference`, text: reference }]),
  ]);
  return { question, texts, kind: "grade", items: answers.map((_, index) => ({ name: nameOf(index) })) };
}

/** Two answers in files, to be compared. @throws Fault `configuration` */
export async function preferenceTask(
  here: Here,
  given: { readonly question: string; readonly a: string; readonly b: string },
): Promise<JudgeTask> {
  const question = questionOf(here, given.question);
  const [a, b] = await answersIn(here, [given.a, given.b]);
  if (!a || !b) throw new RangeError("two files give two texts");
  const name = nameOf(0);
  const texts = [
    { name: `${name}/question`, text: question },
    { name: `${name}/a`, text: a.text },
    { name: `${name}/b`, text: b.text },
  ];
  const lengths = { a: a.text.length, b: b.text.length };
  return { question, texts, kind: "preference", items: [{ name, lengths }] };
}

/** @throws Fault `configuration` as `readContext` does, and for a file without an answer in it */
async function answersIn(here: Here, files: readonly string[]): ReturnType<typeof readContext> {
  const answers = await readContext({ ...here, files, mostBytes: here.settings.maxContextBytes });
  const empty = answers.find(({ text }) => text.trim() === "");
  if (!empty) return answers;
  throw new Fault("configuration", {
    why: `${empty.name} is empty`,
    next: "name a file that has the answer to judge",
  });
}

const nameOf = (index: number): string => `item-${index + 1}`;

function textsOf({ kind, rows }: LabelledFile): JudgeTask["texts"] {
  const named = (index: number, texts: Readonly<Record<string, string | undefined>>) =>
    Object.entries(texts).flatMap(([part, text]) =>
      text === undefined ? [] : [{ name: `${nameOf(index)}/${part}`, text }],
    );
  return kind === "grade"
    ? rows.flatMap(({ question, answer, reference }, index) => named(index, { question, answer, reference }))
    : rows.flatMap(({ question, a, b }, index) => named(index, { question, a, b }));
}

/** The family of whoever a row names: of a reference, of a model's bare name, or the family itself. */
const authorOf = (model: string, families: Families): string =>
  familyOf(model, families) ?? familyOf(`any/${model}`, families) ?? model.toLowerCase();

function questionOf(here: Here, given: string): string {
  const question = textOrFile(given, here).trim();
  if (question !== "") return question;
  throw new Fault("configuration", {
    why: "the question is empty",
    next: "say what the answers answer: --question TEXT, or a file with it",
  });
}
