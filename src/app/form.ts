import { runInNewContext } from "node:vm";
import { Validator, type Schema } from "@cfworker/json-schema";
import draft07 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" };
import { idOfRequest } from "../engine/index.ts";
import { isEvent, parseJson, personOf, refusal } from "../kernel/index.ts";
import type { DeliberationId, Entry, Json } from "../kernel/index.ts";
import { jsonObjects } from "../replies/json-objects.ts";
import { toOneLine } from "../text/words.ts";
import { answersIn } from "../views/answer-event.ts";
import type { Result } from "../views/result.ts";
import { remainingBudget, usageIn } from "./budget.ts";
import { formRequest } from "./forget.ts";
import { findOpening, type FormPrefix } from "./lookup.ts";
import { capsOf } from "./opening.ts";
import type { Parley, PrincipalOptions } from "./parley.ts";
import { soloProtocol } from "./registry.ts";
import type { RunOptions } from "./run.ts";

// An answer in a caller's form is one more step of who wrote it: a deliberation of its own on the journal, named by the first, so that a
// repeat and another server find what it gave. What does not fit is asked for once more, and then refused. Both are within the limits of
// the first.

/** How often at most an answer is written in a form. */
const MAX_FORMS = 2;
/** How long a value is checked by a schema. */
const MAX_CHECK_MS = 500;

export type FormSchema = Readonly<Record<string, unknown>>;

/** An answer in a form, or why there is none; `results`: those of the runs that wrote it, none where the answer had the form already. */
export type FormedAnswer =
  | { readonly ok: true; readonly value: Json; readonly text: string; readonly results: readonly Result[] }
  | { readonly ok: false; readonly why: string; readonly results: readonly Result[] };

type Forming = {
  readonly parley: Pick<Parley, "context" | "open">;
  readonly call: PrincipalOptions;
  readonly prefix: FormPrefix;
  /** Drives an opened run to its end; undefined where it was stopped before. */
  readonly drive: (id: DeliberationId) => Promise<Result | undefined>;
};

type Unformed = {
  readonly entries: readonly Entry[];
  readonly text: string;
  readonly schema: FormSchema;
  readonly fits: Fits;
};

/** Has an answer written as JSON that fits a schema. @throws Fault as `open` does */
export async function writeInForm(
  { parley, call, prefix, drive }: Forming,
  { entries, text, schema, fits }: Unformed,
): Promise<FormedAnswer> {
  const [{ deliberation: id }] = entries as readonly [Entry]; // An answer has an opening.
  // Its instructions may have asked for the form already.
  const bare = withoutFence(text);
  const ready = parseJson(bare) as Json | undefined; // as all that is parsed
  if (ready !== undefined && fits(ready) === undefined)
    return { ok: true, value: ready, text: bare, results: [] };
  const { store, protocols } = parley.context({}, { ...call, needs: "read" });
  const opened = async (one: DeliberationId) => findOpening(await store.read(one), one).data;
  const results: Result[] = [];
  let left = remainingBudget(findOpening(entries, id).data.budget, usageIn(entries));
  let wrong = "";
  for (let nth = 1, tries = 0; tries < MAX_FORMS; nth += 1) {
    const request = formRequest(prefix, id, nth);
    const known = idOfRequest(store.organization, request);
    if ((await store.read(known)).length === 0) {
      if ([left.usd, left.tokens, left.calls].includes(0))
        return { ok: false, why: wrong || "the run's limits leave nothing for it", results };
      const start = {
        ...{ ...capsOf(left), request, temperature: 0, reactions: false },
        ...{ memory: false, memoryTools: false, respondentB: false },
        protocol: (await soloProtocol(protocols))?.name,
        models: [writerOf(entries, text)],
        question: questionFor(schema, wrong),
        context: [{ name: "answer", text }],
        labels: { "form-of": id },
      };
      // Of two at once, the other one was first, perhaps with another form.
      await parley.open(start, call).catch((error: unknown) =>
        opened(known).catch(() => {
          throw error;
        }),
      );
    }
    if (!(await opened(known)).question.endsWith(schemaText(schema))) continue;
    tries += 1;
    const result = await drive(known);
    if (!result) return { ok: false, why: "it was interrupted", results };
    results.push(result);
    left = remainingBudget(left, usageIn(await store.read(known)));
    const read = readForm(result, fits);
    if (read.ok) return { ...read, results };
    wrong = read.why;
  }
  return { ok: false, why: wrong, results };
}

/** The answer of a run that has ended, in a form. @throws Fault `configuration` for a schema that cannot be used, and for a run without an answer */
export async function formAnswer(
  parley: Parley,
  { id: given, schema }: { readonly id: string; readonly schema: FormSchema },
  call: RunOptions & PrincipalOptions = {},
): Promise<FormedAnswer> {
  const { id, answer } = await parley.result(given, call);
  const read = readSchema(schema);
  if (!read.ok) throw refusal(`the schema cannot be used: ${read.why}`, "give a JSON Schema");
  if (answer === null) throw refusal(`${id} has no answer`, `look at ${id}`);
  const drive = async (one: string): Promise<Result | undefined> => {
    const { status, result } = await (await parley.resume(one, call)).outcome();
    return (status !== "interrupted" && result) || undefined;
  };
  const unformed = { entries: await parley.read(id, call), text: answer, schema, fits: read.fits };
  return writeInForm({ parley, call, prefix: "form/", drive }, unformed);
}

const schemaText = (schema: FormSchema): string => `JSON Schema:\n${JSON.stringify(schema)}`;

const questionFor = (schema: FormSchema, wrong: string): string =>
  [
    "Write the attached answer as one JSON value that fits the JSON Schema below. Reply with the JSON alone.",
    ...(wrong === "" ? [] : [`An earlier try did not fit: ${wrong}`]),
    schemaText(schema),
  ].join("\n\n");

/** The model of whoever wrote the answer: the chair's, of an answer that a chair wrote. */
function writerOf(entries: readonly Entry[], text: string): string {
  const opening = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  const by = [...answersIn(entries).values()].findLast(({ data }) => data.text === text)?.data.by;
  const models = (opening?.participants ?? []).filter(({ model }) => personOf(model) === undefined);
  return (models.find(({ id }) => id === by) ?? models[0])?.model ?? "sim/ada";
}

/** Why a value does not fit; undefined where it does. */
type Fits = (value: unknown) => string | undefined;

/** Reads a JSON Schema; `why`: it is none, or has what is not supported. */
export function readSchema(
  schema: FormSchema,
): { readonly ok: true; readonly fits: Fits } | { readonly ok: false; readonly why: string } {
  const whyOf = (error: unknown) => toOneLine(error instanceof Error ? error.message : String(error), 300);
  try {
    const wrong = whyNot(new Validator(draft07 as Schema, "7"), schema);
    if (wrong !== undefined) return { ok: false, why: wrong };
    const validator = new Validator(schema, "2020-12");
    whyNot(validator, null); // What it refers to has to be there, and to come to an end.
    const fits: Fits = (value) => {
      try {
        return whyNot(validator, value);
      } catch (error) {
        return `it cannot be checked: ${whyOf(error)}`;
      }
    };
    return { ok: true, fits };
  } catch (error) {
    return { ok: false, why: whyOf(error) };
  }
}

/** Where a value does not fit, and why. @throws Error where that is not found out in time: a pattern can be matched for years */
function whyNot(validator: Validator, value: unknown): string | undefined {
  const run = () => validator.validate(value).errors.at(-1);
  const wrong = runInNewContext("run()", { run }, { timeout: MAX_CHECK_MS }) as ReturnType<typeof run>;
  return wrong && `${wrong.instanceLocation.slice(2).replaceAll("/", ".") || "the value"}: ${wrong.error}`;
}

function readForm(
  { status, answer, degraded }: Result,
  fits: Fits,
):
  | { readonly ok: true; readonly value: Json; readonly text: string }
  | { readonly ok: false; readonly why: string } {
  if (answer === null) return { ok: false, why: `${status}: ${degraded[0]?.why ?? "there is no reply"}` };
  const reply = withoutFence(answer);
  const parts = parseJson(reply) === undefined ? jsonObjects(reply) : [{ start: 0, end: reply.length }];
  let why = "there is no JSON in the reply";
  for (const { start, end } of parts) {
    const text = reply.slice(start, end);
    const value = parseJson(text) as Json | undefined; // as above
    if (value === undefined) continue;
    const wrong = fits(value);
    if (wrong === undefined) return { ok: true, value, text };
    why = wrong;
  }
  return { ok: false, why };
}

const withoutFence = (text: string): string =>
  text.trim().replace(/^```(?:json)?[ \t]*\n([^]*)\n```$/i, "$1");
