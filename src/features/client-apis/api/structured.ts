import { readSchema, writeInForm, type FormedAnswer, type FormSchema } from "../../../app/form.ts";
import { loadResult } from "../../../app/result.ts";
import type { DeliberationId, Entry } from "../../../kernel/index.ts";
import { awaitEnd } from "../../../server/opening.ts";
import { Refused } from "../../../server/problem.ts";
import type { RouteCall, Services } from "../../../server/route.ts";

export type ApiCall = Services &
  Pick<RouteCall<unknown, unknown, unknown>, "request" | "response" | "signal" | "caller">;

/** An answer in the form that was asked for, and what it took. */
export type Formed = Extract<FormedAnswer, { readonly ok: true }>;

type ClientForm = {
  readonly id: DeliberationId;
  readonly entries: readonly Entry[];
  readonly text: string;
  readonly schema: FormSchema;
};

/** Has an answer written as JSON that fits a client's schema. @throws Refused 422 with the prose where it does not fit twice */
export async function formForClient(
  call: ApiCall,
  { id, entries, text, schema }: ClientForm,
): Promise<Formed> {
  const { parley, caller, drives, signal } = call;
  const { principal } = caller;
  const { protocols } = parley.context({}, { principal });
  const drive = async (known: DeliberationId) => {
    drives.add(known, principal);
    const over = await awaitEnd(call, { id: known, principal, ms: Infinity, signal });
    const result = await loadResult(protocols, over.entries);
    await drives.ended(known); // until then it cannot be forgotten with the answer
    if (over.isOver && result) return result;
    throw new Refused({ status: 503, code: "interrupted", detail: "the server is stopping" });
  };
  const forming = { parley, call: { principal }, prefix: "api/form/" as const, drive };
  const formed = await writeInForm(forming, { entries, text, schema, fits: checkSchema(schema) });
  if (formed.ok) return formed;
  throw new Refused({
    ...{ status: 422, code: "response_format_unmet" },
    detail: `the answer could not be written in the form that was asked for: ${formed.why}`,
    next: `its prose is at deliberation ${id}`,
  });
}

/** Reads a client's schema. @throws Refused 400 for one that is none, or has what is not supported */
export function checkSchema(
  schema: FormSchema,
  { param = "response_format", of = param }: { readonly param?: string; readonly of?: string } = {},
) {
  const read = readSchema(schema);
  if (read.ok) return read.fits;
  const detail = `${of}: the schema cannot be used: ${read.why}`;
  throw new Refused({ status: 400, code: "invalid_schema", detail, errors: [{ pointer: param, detail }] });
}
