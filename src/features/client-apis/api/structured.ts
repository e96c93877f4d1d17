import { soloProtocol } from "../../../app/registry.ts";
import * as z from "zod";
import { formRequest, MAX_FORMS } from "../../../app/forget.ts";
import { loadResult } from "../../../app/result.ts";
import { isEvent, type DeliberationId, type Entry } from "../../../kernel/index.ts";
import { idOfRequest } from "../../../engine/index.ts";
import { jsonObjects } from "../../../replies/json-objects.ts";
import { answersIn } from "../../../views/answer-event.ts";
import type { Result } from "../../../views/result.ts";
import { awaitEnd } from "../../../server/opening.ts";
import { Refused } from "../../../server/problem.ts";
import type { RouteCall, Services } from "../../../server/route.ts";

// An answer in a client's form is one more step of who wrote it: a deliberation of its own on the journal, named by the first, so that a
// repeat and another server find what it gave. What does not fit is asked for once more, and then refused.

export type ApiCall = Services &
  Pick<RouteCall<unknown, unknown, unknown>, "request" | "response" | "signal" | "caller">;

/** An answer in the form that was asked for, and what it took. */
export type Formed = { readonly text: string; readonly results: readonly Result[] };

type Unformed = {
  readonly id: DeliberationId;
  readonly entries: readonly Entry[];
  readonly text: string;
  readonly schema: Readonly<Record<string, unknown>>;
};

/** Has an answer written as JSON that fits a schema. @throws Refused 422 with the prose where it does not fit twice */
export async function writeInForm(call: ApiCall, { id, entries, text, schema }: Unformed): Promise<Formed> {
  const { parley, caller, drives, signal } = call;
  const { principal } = caller;
  const model = writerOf(entries, text);
  const fits = readSchema(schema);
  // Its instructions may have asked for the form already.
  const bare = text.trim().replace(/^```(?:json)?[ \t]*\n([^]*)\n```$/i, "$1");
  const value = tryJson(bare);
  if (value !== undefined && fits(value) === undefined) return { text: bare, results: [] };
  const results: Result[] = [];
  let wrong = "";
  for (let nth = 1; nth <= MAX_FORMS; nth += 1) {
    const request = formRequest(id, nth);
    const known = idOfRequest(principal.organization, request);
    const { store, protocols } = parley.context({}, { principal });
    if ((await store.read(known)).length === 0)
      await parley.open(
        {
          protocol: (await soloProtocol(protocols))?.name,
          models: [model],
          request,
          temperature: 0,
          reactions: false,
          ...{ memory: false, memoryTools: false, respondentB: false },
          question: questionFor(schema, wrong),
          context: [{ name: "answer", text }],
          labels: { "form-of": id },
        },
        { principal },
      );
    drives.add(known, principal);
    const over = await awaitEnd(call, { id: known, principal, ms: Infinity, signal });
    const result = await loadResult(protocols, over.entries);
    await drives.ended(known); // until then it cannot be forgotten with the answer
    if (!over.isOver || !result)
      throw new Refused({ status: 503, code: "interrupted", detail: "the server is stopping" });
    results.push(result);
    const read = readForm(result.answer ?? "", fits);
    if (read.ok) return { text: read.text, results };
    wrong = read.why;
  }
  throw new Refused({
    ...{ status: 422, code: "response_format_unmet" },
    detail: `the answer could not be written in the form that was asked for: ${wrong}`,
    next: `its prose is at deliberation ${id}`,
  });
}

const questionFor = (schema: Readonly<Record<string, unknown>>, wrong: string): string =>
  [
    "Write the attached answer as one JSON value that fits the JSON Schema below. Reply with the JSON alone.",
    ...(wrong === "" ? [] : [`An earlier try did not fit: ${wrong}`]),
    `JSON Schema:\n${JSON.stringify(schema)}`,
  ].join("\n\n");

/** The model of whoever wrote the answer: the chair's, of an answer that a chair wrote. */
function writerOf(entries: readonly Entry[], text: string): string {
  const opening = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  const by = [...answersIn(entries).values()].findLast(({ data }) => data.text === text)?.data.by;
  const writer = opening?.participants.find(({ id }) => id === by) ?? opening?.participants[0];
  return writer?.model ?? "sim/ada";
}

type Fits = (value: unknown) => string | undefined;

/** Reads a client's schema. @throws Refused 400 for one that is none, or has what is not supported */
export function readSchema(
  schema: Readonly<Record<string, unknown>>,
  { param = "response_format", of = param }: { readonly param?: string; readonly of?: string } = {},
): Fits {
  try {
    const made = z.fromJSONSchema(schema);
    return (value) => {
      const read = made.safeParse(value);
      if (read.success) return undefined;
      const [issue] = read.error.issues;
      return `${issue?.path.join(".") || "the value"}: ${issue?.message ?? "it does not fit"}`;
    };
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 300) : "it cannot be read";
    const detail = `${of}: the schema cannot be used: ${why}`;
    throw new Refused({ status: 400, code: "invalid_schema", detail, errors: [{ pointer: param, detail }] });
  }
}

function readForm(
  reply: string,
  fits: Fits,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string } {
  const whole = tryJson(reply.trim());
  const candidates =
    whole === undefined
      ? jsonObjects(reply).map(({ start, end }) => reply.slice(start, end))
      : [reply.trim()];
  let why = "there is no JSON in the reply";
  for (const text of candidates) {
    const value = tryJson(text);
    if (value === undefined) continue;
    const wrong = fits(value);
    if (wrong === undefined) return { ok: true, text };
    why = wrong;
  }
  return { ok: false, why };
}

export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
