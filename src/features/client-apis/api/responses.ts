import * as z from "zod";
import { DeliberationId, isEvent, type Entry, type Json } from "../../../kernel/index.ts";
import { isClosed } from "../../../views/result.ts";
import { beginStream, withPatience } from "../../../server/patience.ts";
import { Refused } from "../../../server/problem.ts";
import { readAll } from "../../../server/results.ts";
import { route, whole, type ApiRoute } from "../../../server/route.ts";
import { tellStages } from "./chat.ts";
import { badField } from "./errors.ts";
import {
  COMMON_FIELDS,
  EffortName,
  formOf,
  FormSchema,
  Limit,
  readFields,
  settingsOf,
  USUAL_FORMS,
  type ReadRequest,
} from "./fields.ts";
import { forcedTool, withoutForcing } from "./forced-tool.ts";
import { chooseModel } from "./models.ts";
import { countTokens, openRequest, outcomeOf, readOutcome } from "./run.ts";
import {
  beginning,
  ending,
  failing,
  finishedEvents,
  PREFIX,
  responseOf,
  stageEvents,
  unfinishedEvents,
  type ResponseEvent,
} from "./response-events.ts";
import type { ApiCall } from "./structured.ts";
import { Item, readInput } from "./turns.ts";

// A response is a deliberation: `resp_` and its id. Nothing is kept beside the journal.

const TextFormat = z.discriminatedUnion("type", [
  ...USUAL_FORMS,
  z.looseObject({ type: z.literal("json_schema"), schema: FormSchema }),
]);

/** What changes nothing here, and is repeated as it came: every response says these. */
const Repeated = z.strictObject({
  ...{ top_p: z.number().min(0).max(1), top_logprobs: z.literal(0) },
  ...{ presence_penalty: z.number().min(-2).max(2), frequency_penalty: z.number().min(-2).max(2) },
  ...{ max_tool_calls: z.int().positive(), parallel_tool_calls: z.boolean() },
  ...{ service_tier: z.string().max(50), prompt_cache_key: z.string().max(512) },
  truncation: z.enum(["auto", "disabled"]),
});

const Honoured = z.strictObject({
  ...COMMON_FIELDS,
  ...Repeated.partial().shape,
  input: z.union([z.string(), z.array(Item).min(1).max(10_000)]),
  instructions: z.string().optional(),
  previous_response_id: z.string().max(100).optional(),
  reasoning: z
    .looseObject({
      effort: EffortName.nullish(),
      summary: z.string().nullish(),
      generate_summary: z.string().nullish(),
    })
    .optional(),
  max_output_tokens: Limit.optional(),
  text: z.looseObject({ format: TextFormat.optional(), verbosity: z.string().nullish() }).optional(),
  background: z.boolean().optional(),
});

const refuseField = (why: string) => (value: unknown) =>
  value === null || value === undefined ? undefined : why;

const TABLE = {
  honoured: Honoured,
  refused: {
    conversation: refuseField("conversations are continued by previous_response_id"),
    prompt: refuseField("prompts are not kept here; send the text"),
  },
};

// A schema has the names of its fields.
const REPEATED = Object.keys(Repeated.shape) as readonly (keyof typeof Repeated.shape)[];

/** What a response repeats of its request as it came. */
const ECHOED = [
  ...(["instructions", "metadata", "max_output_tokens", "temperature", "previous_response_id"] as const),
  ...(["safety_identifier", ...REPEATED] as const),
];

async function readResponse(
  call: ApiCall,
  body: unknown,
): Promise<ReadRequest & { readonly echo: Record<string, Json> }> {
  const { given, ignored } = readFields(body, TABLE);
  const forced = forcedTool(body);
  const chosen = await chooseModel(call, given.model);
  const { system, history, question, files, ignored: unread } = readInput(given.input);
  const { settings, ignored: unused } = settingsOf(chosen, given, {
    system: [given.instructions ?? "", system].filter(Boolean).join("\n\n"),
    ...{ effort: given.reasoning?.effort ?? undefined, maxTokens: given.max_output_tokens },
  });
  const format = given.text?.format;
  const previous = given.previous_response_id;
  if (previous !== undefined && history.length > 0)
    throw badField(
      "previous_response_id",
      "earlier turns are given twice: in input, and by previous_response_id",
    );
  const store = given.store !== false;
  if (given.background === true && !store)
    throw badField("background", "background: what is not stored cannot be asked for later");
  return {
    model: chosen.id,
    start: {
      ...{ ...settings, question },
      ...(history.length > 0 ? { history } : {}),
      ...(previous === undefined ? {} : { previous: idOf(previous) }),
    },
    ...{ stop: [], store, files, stages: given.parley?.stages !== false },
    format: formOf(forced, format),
    ignored: [
      ...[...withoutForcing(ignored, forced), ...unread],
      ...REPEATED.filter((name) => name !== "truncation" && given[name] !== undefined),
      ...unused.map((name) => (name === "reasoning_effort" ? "reasoning.effort" : name)),
    ],
    echo: {
      ...Object.fromEntries(
        ECHOED.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
      ),
      background: given.background === true,
      effort: given.reasoning?.effort ?? null,
      text: Json_(format ?? { type: "text" }),
    },
  };
}

/** What was read as JSON is JSON. */
const Json_ = (value: unknown): Json => value as Json;

/** The deliberation behind a response. @throws Refused 404 */
function idOf(response: string): DeliberationId {
  const id = DeliberationId.safeParse(response.slice(PREFIX.length)).data;
  if (id !== undefined && response.startsWith(PREFIX)) return id;
  const detail = `there is no response ${JSON.stringify(response.slice(0, 60))}`;
  throw new Refused({ status: 404, code: "response_not_found", detail });
}

const OfResponse = z.strictObject({ id: z.string() });

export const responseRoutes: readonly ApiRoute[] = [
  route("post", "responses", {
    ...{ name: "createResponse", tag: "OpenAI", needs: "write", body: z.unknown(), attaches: true },
    summary: "Put an input before models",
    replies: { 200: z.unknown() },
    async handle(call) {
      const { echo, ...read } = await readResponse(call, call.body);
      const id = await openRequest(call, read, { body: call.body, more: echo });
      const headers = {
        "x-parley-deliberation": id,
        location: `${call.publicUrl}v1/responses/${PREFIX}${id}`,
      };
      if ((call.body as { stream?: unknown }).stream === true) {
        await streamResponse(call, id, { after: -1, headers });
        return undefined;
      }
      if (echo["background"] === true) return { status: 200, headers, body: await present(call, id) };
      return withPatience(call, headers, async () => {
        await outcomeOf(call, id).catch(onlyRefusals);
        return { status: 200, headers, body: await present(call, id) };
      });
    },
  }),
  route("post", "responses/input_tokens", {
    ...{ name: "countInputTokens", tag: "OpenAI", needs: "read", body: z.unknown(), attaches: true },
    summary: "Estimate the tokens of an input, without asking anybody",
    replies: { 200: z.unknown() },
    async handle(call) {
      const { start } = await readResponse(call, call.body);
      return {
        status: 200,
        body: { object: "response.input_tokens", input_tokens: countTokens(call, start) },
      };
    },
  }),
  route("get", "responses/{id}", {
    ...{ name: "getResponse", tag: "OpenAI", needs: "read", params: OfResponse },
    summary: "Get a response, or follow its events",
    query: z.strictObject({
      stream: z.enum(["true", "false"]).optional(),
      starting_after: whole(0, 1_000_000_000).optional(),
      include_obfuscation: z.string().optional(),
      "include[]": z.union([z.string(), z.array(z.string())]).optional(),
    }),
    replies: { 200: z.unknown() },
    async handle(call) {
      const id = idOf(call.params.id);
      const { stream, starting_after: after = -1 } = call.query;
      if (stream !== "true") return { status: 200, body: await present(call, id) };
      await readOwn(call, id);
      await streamResponse(call, id, { after, headers: {} });
      return undefined;
    },
  }),
  route("delete", "responses/{id}", {
    ...{ name: "deleteResponse", tag: "OpenAI", needs: "write", params: OfResponse },
    summary: "Forget a response that has ended",
    replies: { 200: z.unknown() },
    async handle(call) {
      const id = await ownId(call);
      await call.drives.forget(id, call.caller.principal);
      return { status: 200, body: { id: call.params.id, object: "response", deleted: true } };
    },
  }),
  route("post", "responses/{id}/cancel", {
    ...{ name: "cancelResponse", tag: "OpenAI", needs: "write", params: OfResponse },
    summary: "Cancel a response",
    replies: { 200: z.unknown() },
    async handle(call) {
      const id = await ownId(call);
      await call.parley.cancel(id, { principal: call.caller.principal });
      return { status: 200, body: await present(call, id) };
    },
  }),
  route("get", "responses/{id}/input_items", {
    ...{ name: "listInputItems", tag: "OpenAI", needs: "read", params: OfResponse },
    summary: "List what a response was asked",
    query: z.looseObject({}),
    replies: { 200: z.unknown() },
    async handle(call) {
      const id = idOf(call.params.id);
      const entries = await readOwn(call, id);
      const question = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data.question ?? "";
      const content = [{ type: "input_text", text: question }];
      const item = { id: `msg_${id}_in`, type: "message", role: "user", status: "completed", content };
      const ends = { first_id: item.id, last_id: item.id, has_more: false };
      return { status: 200, body: { object: "list", data: [item], ...ends } };
    },
  }),
];

const onlyRefusals = (error: unknown): void => {
  if (error instanceof Refused && error.refusal.code !== "interrupted") return;
  throw error;
};

/** The run of a response. @throws Refused, Fault where it is not the caller's, or there is none */
async function ownId(
  call: ApiCall & { readonly params: z.infer<typeof OfResponse> },
): Promise<DeliberationId> {
  const id = idOf(call.params.id);
  await readOwn(call, id);
  return id;
}

async function readOwn({ parley, caller }: ApiCall, id: DeliberationId): Promise<readonly Entry[]> {
  return (await readAll(parley, caller.principal, id)).entries;
}

/** A response as it stands. */
async function present(call: ApiCall, id: DeliberationId) {
  const entries = await readOwn(call, id);
  if (!isClosed(entries)) {
    const status = call.drives.place(id) > 0 ? "queued" : "in_progress";
    return responseOf(entries, { id, status, output: [] });
  }
  try {
    const outcome = await readOutcome(call, id, entries);
    return finishedEvents(entries, outcome);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return unfinishedEvents(entries, id, error);
  }
}

/** Sends the events of a response after one, until its end. */
async function streamResponse(
  call: ApiCall,
  id: DeliberationId,
  { after, headers }: { readonly after: number; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const stream = beginStream(call, headers);
  let number = 0;
  const send = (events: readonly ResponseEvent[]) => {
    for (const { type, ...rest } of events) {
      if (number > after) stream.event(type, { type, sequence_number: number, ...rest });
      number += 1;
    }
  };
  send(beginning(await readOwn(call, id), id));
  let stages = 0;
  const telling = tellStages(call, id, (line) => {
    send(stageEvents(id, line, stages));
    stages += 1;
  });
  try {
    const ended = await outcomeOf(call, id).then(
      (outcome) => ({ outcome }),
      (error: unknown) => ({ error }),
    );
    await telling.end();
    if ("error" in ended) {
      onlyRefusals(ended.error);
      send(failing(await readOwn(call, id), id, ended.error as Refused));
    } else send(ending(await readOwn(call, id), ended.outcome));
    stream.end();
  } catch {
    // A client that is told nothing comes back with `starting_after`.
    call.response.destroy();
  } finally {
    await telling.end();
  }
}
