import * as z from "zod";
import type { Attempt, ModelRequest, SendContext, Transport } from "../kernel/index.ts";
import { findNearest, quoteValue } from "../text/words.ts";
import { readPrompt } from "./prompt.ts";
import { failedAttempt } from "./sim.ts";

/** A line of a file of recorded answers as data, and where it stands. */
export type AnswerLine = { readonly place: string; readonly value: unknown };

/** The lines of such a file, or why it could not be read. */
export type LoadRecorded = (
  file: string,
) =>
  | { readonly ok: true; readonly lines: readonly AnswerLine[] }
  | { readonly ok: false; readonly reason: string };

// A recorded model answers a question that its file has, and nothing else: a review, a revision or a synthesis is refused, since nobody
// recorded one.

/** What a prompt shows that wants nothing but an answer to its question. */
const MATERIAL: readonly string[] = ["question", "context", "turn", "summary", "fact", "memory"];

/** One answer, or several samples of it. */
const Output = z.union([z.string().transform((one) => [one]), z.array(z.string()).min(1)]);
const lineOf = <S extends z.ZodRawShape>(shape: S) =>
  z.looseObject({ question: z.string().trim().min(1), options: z.unknown().optional(), ...shape });
/** A question with the answers of several models, or with that of one. */
const RecordedLine = z.union([
  lineOf({ outputs: z.record(z.string(), Output) }),
  lineOf({ model: z.string().min(1), output: Output }).transform(({ model, output, ...rest }) => ({
    ...rest,
    outputs: { [model]: output },
  })),
]);

const FORM =
  'a line looks like {"question": "…", "outputs": {"NAME": "the whole answer"}} or {"question": "…", "model": "NAME", "output": "…"}';

/** By model, then by question: its samples in order. */
type Recorded = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
type Reading<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: string };

/** The answers of one model, of which `sample` (from 1) is meant. */
type RecordedModel = { readonly answers: ReadonlyMap<string, readonly string[]>; readonly sample: number };

/**
 * A question with its options, lettered from A, as a task and a recorded answer's question are put together; the question
 * alone where there are none.
 */
export function withOptions(question: string, options: unknown): string {
  const texts = z
    .array(z.union([z.string(), z.number()]))
    .min(1)
    .max(26)
    .safeParse(options);
  if (!texts.success) return question;
  const lines = texts.data.map((text, index) => `(${String.fromCharCode(65 + index)}) ${text}`);
  return `${question}\n\n${lines.join("\n")}`;
}

/** What a file holds. The first line that is not of the form, or answers what another one answered, is refused. */
function readRecorded(lines: readonly AnswerLine[]): Reading<{ models: Recorded }> {
  const models = new Map<string, Map<string, readonly string[]>>();
  for (const { place, value } of lines) {
    const line = RecordedLine.safeParse(value);
    if (!line.success) return { ok: false, reason: `${place}: ${FORM}` };
    const { question, options, outputs } = line.data;
    for (const [name, samples] of Object.entries(outputs)) {
      const answers = models.get(name) ?? new Map<string, readonly string[]>();
      models.set(name, answers);
      for (const key of new Set([question, withOptions(question, options)])) {
        if (answers.has(key))
          return { ok: false, reason: `${place}: ${quoteValue(name)} has answered this question before` };
        answers.set(key, samples);
      }
    }
  }
  return { ok: true, models };
}

export type RecordedModels = Transport & {
  /** Tells before any call whether a reference can be called, or why not. */
  readonly prepare: (ref: string) => Reading<RecordedModel>;
};

/**
 * Models whose answers somebody has: `recorded/FILE#NAME`, and `recorded/FILE#NAME@2` for the second of several samples.
 * They answer without a delay and report no usage.
 */
export function createRecorded({ load }: { readonly load: LoadRecorded }): RecordedModels {
  const files = new Map<string, Reading<{ models: Recorded }>>();

  const readFile = (file: string): Reading<{ models: Recorded }> => {
    const cached = files.get(file);
    if (cached) return cached;
    const loaded = load(file);
    const read = loaded.ok ? readRecorded(loaded.lines) : loaded;
    files.set(file, read);
    return read;
  };

  const prepare = (ref: string): Reading<RecordedModel> => {
    const [, file, name = ""] = /^recorded\/([^#]+)#(.+)$/s.exec(ref) ?? [];
    if (file === undefined)
      return {
        ok: false,
        reason: `${quoteValue(ref)}: write recorded/FILE.jsonl#NAME, with a name from the file`,
      };
    const read = readFile(file);
    if (!read.ok) return read;
    const [, base = name, nth = "1"] = read.models.has(name)
      ? []
      : (/^(.+)@([1-9]\d{0,5})$/s.exec(name) ?? []);
    const answers = read.models.get(base);
    const names = [...read.models.keys()];
    if (!answers)
      return {
        ok: false,
        reason: `${file} has no answers of ${quoteValue(base)}; the nearest is ${findNearest(base, names)}`,
      };
    const sample = Number(nth);
    let most = 0;
    for (const { length } of answers.values()) most = Math.max(most, length);
    if (sample > most)
      return {
        ok: false,
        reason: `${file} has at most ${most} answers of ${base} to a question, so there is no @${sample}`,
      };
    return { ok: true, answers, sample };
  };

  const send = (request: ModelRequest, { onText }: SendContext): Promise<Attempt> => {
    const refuse = (message: string) => Promise.resolve(failedAttempt({ code: "refused", message }, "never"));
    const prepared = prepare(request.model);
    if (!prepared.ok) return refuse(prepared.reason);
    const { question, pieces, wantsJson } = readPrompt(request);
    if (wantsJson || pieces.some(({ kind }) => !MATERIAL.includes(kind)))
      return refuse("a recorded model answers questions only; let another one review, judge and synthesize");
    const text = prepared.answers.get(question)?.[prepared.sample - 1];
    if (text === undefined) return refuse("no answer of this model to this question is recorded");
    onText(text);
    const tokens = { in: null, out: null, cached: null, reasoning: null };
    return Promise.resolve({ ok: true, text, toolCalls: [], finish: "stop", usage: { tokens, usd: null } });
  };

  return { prepare, send };
}
