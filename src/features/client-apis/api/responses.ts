import * as z from "zod";
import { DeliberationId, isEvent, type Entry, type Json } from "../../../kernel/index.ts";
import { isClosed } from "../../../views/result.ts";
import { beginStream, withPatience } from "../../../server/patience.ts";
import { toText } from "../../../models/loose.ts";
import { Refused } from "../../../server/problem.ts";
import { readAll } from "../../../server/results.ts";
import { route, whole, type ApiRoute } from "../../../server/route.ts";
import { badField } from "./errors.ts";
import {
  COMMON_FIELDS,
  EffortName,
  formOf,
  FormSchema,
  Limit,
  readFields,
  refuseField,
  SAMPLING_NAMES,
  settingsOf,
  USUAL_FORMS,
  type ReadRequest,
} from "./fields.ts";
import { followReply } from "./following.ts";
import { chooseModel } from "./models.ts";
import { countReplied, countTurns } from "./continuing.ts";
import {
  countTokens,
  echoOf,
  isToldLive,
  openRequest,
  outcomeOf,
  readOutcome,
  turnName,
  type ApiTurn,
} from "./run.ts";
import {
  finishedEvents,
  PREFIX,
  responseOf,
  tellResponse,
  unfinishedEvents,
  type SendEvents,
} from "./response-events.ts";
import { fieldsIn } from "./parts.ts";
import type { ApiCall } from "./structured.ts";
import { readTools, withoutUsed } from "./tools.ts";
import { inputMessages, Item, readMessages, type SentConversation, type SentMessage } from "./turns.ts";

// A response is a deliberation: `resp_` and its id. Nothing is kept beside the journal.

const TextFormat = z.discriminatedUnion("type", [
  ...USUAL_FORMS,
  z.looseObject({ type: z.literal("json_schema"), schema: FormSchema }),
]);

const Name = z.string().nullish();

/** What changes nothing here, and is repeated as it came: every response says these. */
const Repeated = z.strictObject({
  top_logprobs: z.literal(0),
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
    .looseObject({ effort: EffortName.nullish(), summary: Name, generate_summary: Name })
    .optional(),
  max_output_tokens: Limit.optional(),
  text: z.looseObject({ format: TextFormat.optional(), verbosity: Name }).optional(),
  background: z.boolean().optional(),
});

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
  ...(["safety_identifier", ...SAMPLING_NAMES, ...REPEATED] as const),
];

async function readResponse(
  call: ApiCall,
  body: unknown,
): Promise<ReadRequest & { readonly echo: Record<string, Json> }> {
  const { given, ignored } = readFields(body, TABLE);
  const tools = readTools(body);
  const chosen = await chooseModel(call, given.model);
  const previous = given.previous_response_id;
  const going = previous === undefined ? {} : { previous: turnOf(previous).id };
  const { messages: sent, unread } = inputMessages(await withItems(call, given.input));
  const { messages, system, history, question, files } = readTalk(sent, previous !== undefined);
  const { settings, ignored: unused } = settingsOf(chosen, given, {
    system: [given.instructions ?? "", system].filter(Boolean).join("\n\n"),
    ...{ effort: given.reasoning?.effort ?? undefined, maxTokens: given.max_output_tokens },
  });
  const format = given.text?.format;
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
    start: { ...{ ...settings, question }, ...(history.length > 0 ? { history } : {}), ...going },
    ...{ stop: [], store, files, stages: given.parley?.stages !== false },
    ...{ format: formOf(tools.forced, format), offer: tools.offer, messages, ...going },
    ignored: [
      ...withoutUsed(
        [...ignored, ...REPEATED.filter((name) => name !== "truncation" && given[name] !== undefined)],
        tools,
      ),
      ...[...unread, ...unused.map((name) => (name === "reasoning_effort" ? "reasoning.effort" : name))],
    ],
    echo: {
      ...Object.fromEntries(
        ECHOED.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
      ),
      background: given.background === true,
      effort: given.reasoning?.effort ?? null,
      text: Json_(format ?? { type: "text" }),
      ...(tools.offer || tools.forced ? toolEcho(body) : {}),
    },
  };
}

/** An input with the items that it names by their ids, as they were sent. @throws Refused, Fault for those of no response of its client */
async function withItems(call: ApiCall, input: z.infer<typeof Honoured>["input"]) {
  if (typeof input === "string") return input;
  // Each response is read once, however many of its items are named.
  const outputs = new Map<string, readonly z.infer<typeof Item>[]>();
  const read = [];
  for (const item of input) {
    const named = item.type === "item_reference" ? toText(item["id"]) : "";
    const [, name = ""] = /^[a-z]+_([^_]+(?:_\d+)?)/.exec(named) ?? [];
    if (name !== "" && !outputs.has(name))
      outputs.set(name, Item.array().parse((await present(call, turnOf(`${PREFIX}${name}`))).output));
    read.push(outputs.get(name)?.find(({ id }) => id === named) ?? item);
  }
  return read;
}

/** More of a request's tools is not repeated in its responses. */
const MAX_ECHO = 100_000;

/** What Open Responses demands of each function. */
const UNSAID = { description: null, parameters: null, strict: null };

function toolEcho(body: unknown): Record<string, Json> {
  const { tools, tool_choice: choice = "auto" } = fieldsIn(body);
  const all = [tools ?? []].flat().map(fieldsIn);
  const said = all.map((one) => (one["type"] === "function" ? { ...UNSAID, ...one } : one));
  const echo = { tools: Json_(said), tool_choice: Json_(choice) };
  return JSON.stringify(echo).length > MAX_ECHO ? {} : echo;
}

/** The conversation of an input. One that goes on with a response may hold what its tools gave, and no question. */
function readTalk(
  sent: readonly (SentMessage | undefined)[],
  isGoingOn: boolean,
): SentConversation & { readonly messages: readonly SentMessage[] } {
  const messages = sent.filter((one) => one !== undefined);
  if (!isGoingOn || !messages.some(({ role }) => role === "tool"))
    return { ...readMessages(sent, "input"), messages };
  const marked = messages.map((one) => (one.role === "user" ? { ...one, beside: true } : one));
  return { system: "", history: [], question: "(what tools gave)", files: [], messages: marked };
}

/** What was read as JSON is JSON. */
const Json_ = (value: unknown): Json => value as Json;

/** The reply behind a response. @throws Refused 404 */
function turnOf(response: string): ApiTurn {
  const [, name, nth = "1"] = /^resp_(.+?)(?:_(\d{1,6}))?$/.exec(response.slice(0, 200)) ?? [];
  const id = DeliberationId.safeParse(name).data;
  if (id !== undefined && Number(nth) > 0) return { id, nth: Number(nth) };
  throw noResponse(response);
}

function noResponse(response: string): Refused {
  const detail = `there is no response ${JSON.stringify(response.slice(0, 60))}`;
  return new Refused({ status: 404, code: "response_not_found", detail });
}

const OfResponse = z.strictObject({ id: z.string() });

export const responseRoutes: readonly ApiRoute[] = [
  route("post", "responses", {
    ...{ name: "createResponse", tag: "OpenAI", needs: "write", body: z.unknown(), attaches: true },
    summary: "Put an input before models",
    replies: { 200: z.unknown() },
    async handle(call) {
      const { echo, ...read } = await readResponse(call, call.body);
      const turn = await openRequest(call, read, { body: call.body, more: echo });
      const headers = {
        "x-parley-deliberation": turn.id,
        location: `${call.publicUrl}v1/responses/${PREFIX}${turnName(turn)}`,
      };
      if ((call.body as { stream?: unknown }).stream === true) {
        await streamResponse(call, turn, { after: -1, headers });
        return undefined;
      }
      if (echo["background"] === true) return { status: 200, headers, body: await present(call, turn) };
      return withPatience(call, headers, async () => {
        await outcomeOf(call, turn).catch(onlyRefusals);
        return { status: 200, headers, body: await present(call, turn) };
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
      starting_after: whole(0, 2_000_000_000).optional(),
      include_obfuscation: z.string().optional(),
      "include[]": z.union([z.string(), z.array(z.string())]).optional(),
    }),
    replies: { 200: z.unknown() },
    async handle(call) {
      const turn = turnOf(call.params.id);
      const { stream, starting_after: after = -1 } = call.query;
      if (stream !== "true") return { status: 200, body: await present(call, turn) };
      await readOwn(call, turn);
      await streamResponse(call, turn, { after, headers: {} });
      return undefined;
    },
  }),
  route("delete", "responses/{id}", {
    ...{ name: "deleteResponse", tag: "OpenAI", needs: "write", params: OfResponse },
    summary: "Forget a response that has ended",
    replies: { 200: z.unknown() },
    async handle(call) {
      const { id } = await ownTurn(call);
      await call.drives.forget(id, call.caller.principal);
      return { status: 200, body: { id: call.params.id, object: "response", deleted: true } };
    },
  }),
  route("post", "responses/{id}/cancel", {
    ...{ name: "cancelResponse", tag: "OpenAI", needs: "write", params: OfResponse },
    summary: "Cancel a response",
    replies: { 200: z.unknown() },
    async handle(call) {
      const turn = await ownTurn(call);
      await call.parley.cancel(turn.id, { principal: call.caller.principal });
      return { status: 200, body: await present(call, turn) };
    },
  }),
  route("get", "responses/{id}/input_items", {
    ...{ name: "listInputItems", tag: "OpenAI", needs: "read", params: OfResponse },
    summary: "List what a response was asked",
    query: z.looseObject({}),
    replies: { 200: z.unknown() },
    async handle(call) {
      const turn = turnOf(call.params.id);
      const entries = await readOwn(call, turn);
      const question = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data.question ?? "";
      const content = [{ type: "input_text", text: question }];
      const item = {
        ...{ id: `msg_${turnName(turn)}_in`, type: "message", role: "user" },
        ...{ status: "completed", content },
      };
      const ends = { first_id: item.id, last_id: item.id, has_more: false };
      return { status: 200, body: { object: "list", data: [item], ...ends } };
    },
  }),
];

const onlyRefusals = (error: unknown): void => {
  if (error instanceof Refused && error.refusal.code !== "interrupted") return;
  throw error;
};

/** The reply of a response. @throws Refused, Fault where it is not the caller's, or there is none */
async function ownTurn(call: ApiCall & { readonly params: z.infer<typeof OfResponse> }): Promise<ApiTurn> {
  const turn = turnOf(call.params.id);
  await readOwn(call, turn);
  return turn;
}

/** The record of a response's run. @throws Refused 404 for a reply that nothing has led to */
async function readOwn({ parley, caller }: ApiCall, turn: ApiTurn): Promise<readonly Entry[]> {
  const { entries } = await readAll(parley, caller.principal, turn.id);
  if (turn.nth > 1 && countReplied(entries) < turn.nth - 1) throw noResponse(`${PREFIX}${turnName(turn)}`);
  return entries;
}

/** A response as it stands. */
async function present(call: ApiCall, turn: ApiTurn) {
  const entries = await readOwn(call, turn);
  if (!isClosed(entries) && countTurns(entries) < turn.nth) {
    const status = call.drives.place(turn.id) > 0 ? "queued" : "in_progress";
    return responseOf(entries, { turn, status, output: [] });
  }
  try {
    const outcome = await readOutcome(call, turn, entries);
    return finishedEvents(entries, outcome);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return unfinishedEvents(entries, turn, error);
  }
}

/** Sends the events of a response after one, until its end. */
async function streamResponse(
  call: ApiCall,
  turn: ApiTurn,
  { after, headers }: { readonly after: number; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const stream = beginStream(call, headers);
  const send: SendEvents = (first, events) => {
    for (const [index, { type, ...rest }] of events.entries()) {
      const number = first + index;
      if (number > after) stream.event(type, { type, sequence_number: number, ...rest });
    }
  };
  const telling = tellResponse(turn, { send, after });
  const begun = await readOwn(call, turn);
  telling.beginning(begun);
  const isLive = isToldLive(echoOf(begun) ?? { format: null, stop: [] });
  const following = followReply(call, turn, {
    stage: telling.stage,
    text: isLive ? telling.text : undefined,
  });
  try {
    const ended = await outcomeOf(call, turn).then(
      (outcome) => ({ outcome }),
      (error: unknown) => ({ error }),
    );
    await following.end();
    if ("error" in ended) {
      onlyRefusals(ended.error);
      telling.failing(await readOwn(call, turn), ended.error as Refused);
    } else telling.ending(await readOwn(call, turn), ended.outcome);
    stream.end();
  } catch {
    // A client that is told nothing comes back with `starting_after`.
    call.response.destroy();
  } finally {
    await following.end();
  }
}
