import * as z from "zod";
import { parseJson, toText } from "../../../models/loose.ts";
import { beginStream, withPatience } from "../../../server/patience.ts";
import type { HttpRefusal, HttpReply } from "../../../server/problem.ts";
import { route, type ApiSurface } from "../../../server/route.ts";
import { wholeText } from "./chat.ts";
import { apiErrorOf, refuse } from "./errors.ts";
import { COMMON_FIELDS, EffortName, formOf, FormSchema, Limit, readFields, settingsOf } from "./fields.ts";
import { refuseField, type ReadRequest } from "./fields.ts";
import { piecesOf, tellReply } from "./following.ts";
import { chooseModel } from "./models.ts";
import { Content, fieldsIn, type SentFields } from "./parts.ts";
import { countTokens, isToldLive, openRequest, outcomeOf, turnName } from "./run.ts";
import type { ApiOutcome, ApiTurn } from "./run.ts";
import type { ApiCall } from "./structured.ts";
import { readTools, withoutUsed } from "./tools.ts";
import { Message, readMessages, type SentMessage } from "./turns.ts";

// Anthropic's Messages API: what it says is read as the same conversation that OpenAI's clients send, and answered by the same runs. Stages
// are a block of thinking where its client wants thinking.

const { user: _user, safety_identifier: _id, store: _store, metadata: _metadata, ...usual } = COMMON_FIELDS;
const Honoured = z.strictObject({
  ...usual,
  messages: z
    .array(z.looseObject({ role: z.enum(["user", "assistant", "system"]), content: Content }))
    .min(1)
    .max(10_000),
  max_tokens: Limit.optional(),
  system: Content.optional(),
  stop_sequences: z.array(z.string()).max(16).optional(),
  metadata: z.looseObject({ user_id: z.string().max(512).nullish() }).optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
  output_config: z
    .looseObject({
      effort: EffortName.nullish(),
      format: z.looseObject({ type: z.literal("json_schema"), schema: FormSchema }).nullish(),
    })
    .optional(),
});

type ClientMessage = z.infer<typeof Honoured>["messages"][number];

/** A picture or a document as OpenAI's parts have it. */
function filePart(block: SentFields): SentFields {
  const { type, url, data, media_type: mediaType, file_id } = fieldsIn(block["source"]);
  const base64 = type === "text" ? Buffer.from(toText(data)).toString("base64") : toText(data);
  const named = type === "text" ? "text/plain" : toText(mediaType);
  const sent = toText(url) || `data:${named};base64,${base64}`;
  if (block["type"] === "image") return { type: "image_url", image_url: sent, file_id };
  return { type: "input_file", file_data: sent, filename: block["title"], file_id };
}

/** Blocks as OpenAI's parts, without what was thought and what stands beside a message; of an assistant's, what is no words either. */
function partsIn(content: Content, isAssistant = false): readonly SentFields[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.flatMap((block) => {
    if (block.type === "image" || block.type === "document") return [filePart(block)];
    const isApart = /^(?:redacted_)?thinking$|^tool_(?:use|result)$/.test(block.type);
    return isApart || (isAssistant && block.type !== "text") ? [] : [block];
  });
}

/** A message as OpenAI's clients send it: what tools gave comes before what is said with it. */
function toMessages({ role, content }: ClientMessage): SentMessage[] {
  const blocks = typeof content === "string" ? [] : content;
  const results = blocks.filter(({ type }) => type === "tool_result");
  const calls = blocks.filter(({ type }) => type === "tool_use");
  const said = partsIn(content, role === "assistant");
  const read = (one: object): SentMessage => Message.parse(one);
  return [
    ...results.map((one) =>
      read({
        ...{ role: "tool", tool_call_id: one["tool_use_id"] },
        content: partsIn(Content.catch("").parse(one["content"] ?? "")),
      }),
    ),
    ...(said.length === 0 && calls.length === 0
      ? []
      : [
          read({
            ...{ role, content: said, ...(results.length > 0 && { beside: true }) },
            ...(calls.length === 0
              ? {}
              : {
                  tool_calls: calls.map(({ id, name, input }) => ({
                    ...{ id, type: "function" },
                    function: { name, arguments: JSON.stringify(input ?? {}) },
                  })),
                }),
          }),
        ]),
  ];
}

/** The tools and the choice among them as OpenAI's clients send them. */
function asFunctions(body: SentFields): SentFields {
  const choice = fieldsIn(body["tool_choice"]);
  const tools = [body["tools"] ?? []].flat().map(fieldsIn);
  const own = tools.filter(({ type }) => type === undefined || type === "custom");
  return {
    tools: own.map(({ name, description, input_schema: parameters }) => ({
      ...{ type: "function", name, description, parameters },
    })),
    tool_choice: choice["type"] === "tool" ? { type: "function", name: choice["name"] } : choice["type"],
    parallel_tool_calls: choice["disable_parallel_tool_use"] !== true,
  };
}

type ReadMessage = ReadRequest & { readonly stream: boolean; readonly wantsThinking: boolean };

async function readMessage(call: ApiCall, body: unknown): Promise<ReadMessage> {
  // A thread's later requests have its newest messages alone.
  const refused = { thread: refuseField("threads are not kept here; send all messages") };
  const { given, ignored } = readFields(body, { honoured: Honoured, refused });
  const tools = readTools(asFunctions(fieldsIn(body)));
  const chosen = await chooseModel(call, given.model);
  const instructions = given.system === undefined ? [] : [{ role: "system" as const, content: given.system }];
  const messages = [...instructions, ...given.messages].flatMap(toMessages);
  const { system, history, question, files } = readMessages(messages);
  const { settings, ignored: unused } = settingsOf(
    chosen,
    { ...given, metadata: undefined, user: given.metadata?.user_id ?? undefined },
    { system, effort: given.output_config?.effort ?? undefined, maxTokens: given.max_tokens },
  );
  const format = given.output_config?.format ?? undefined;
  return {
    model: chosen.id,
    start: { ...settings, question, ...(history.length > 0 ? { history } : {}) },
    ...{ files, store: true, stages: given.parley?.stages !== false },
    stop: given.stop_sequences ?? [],
    format: formOf(tools.forced, format),
    ...{ offer: tools.offer, messages },
    ignored: [
      ...withoutUsed(ignored, tools),
      ...unused.map((name) => (name === "reasoning_effort" ? "output_config.effort" : name)),
    ],
    stream: given.stream === true,
    wantsThinking: given.thinking !== undefined && given.thinking.type !== "disabled",
  };
}

const STOPS = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use", function_call: "tool_use" };

const usageOf = (usage: ApiOutcome["usage"]) => ({
  ...{ input_tokens: usage?.in ?? 0, output_tokens: usage?.out ?? 0 },
  ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: usage?.cached ?? 0 },
});

const head = (turn: ApiTurn, model: string) => ({
  ...{ id: `msg_${turnName(turn)}`, type: "message", role: "assistant", model },
  ...{ stop_sequence: null },
});

/** A call of a tool; what a model wrote that is no object is left out, since this API has no other. */
const toolBlock = ({ id, name, arguments: input }: ApiOutcome["calls"][number]) => ({
  ...{ type: "tool_use", id: `toolu_${id}`, name },
  input: fieldsIn(parseJson(input)),
});

function messageOf(
  outcome: ApiOutcome,
  { model, wantsThinking }: Pick<ReadMessage, "model" | "wantsThinking">,
) {
  const { calls, stages, usage, finish, parley } = outcome;
  const thinking = { type: "thinking", thinking: stages.join("\n"), signature: "" };
  return {
    ...head(outcome, model),
    content: [
      ...(wantsThinking && stages.length > 0 ? [thinking] : []),
      ...(outcome.text === "" && calls.length > 0 ? [] : [{ type: "text", text: wholeText(outcome) }]),
      ...calls.map(toolBlock),
    ],
    ...{ stop_reason: STOPS[finish], usage: usageOf(usage), parley },
  };
}

async function streamMessage(
  call: ApiCall,
  turn: ApiTurn,
  read: ReadMessage & { readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const { model, format, stop, wantsThinking, headers } = read;
  const stream = beginStream(call, headers);
  const send = (type: string, fields: object) => stream.event(type, { type, ...fields });
  let index = -1;
  let open: "thinking" | "text" | "tool_use" | undefined;
  const close = (): void => {
    if (open !== undefined) send("content_block_stop", { index });
    open = undefined;
  };
  const begin = (type: "thinking" | "text" | "tool_use", block: object): void => {
    if (open === type && type !== "tool_use") return;
    close();
    index += 1;
    open = type;
    send("content_block_start", { index, content_block: { type, ...block } });
  };
  const give = (text: string): void => {
    begin("text", { text: "" });
    send("content_block_delta", { index, delta: { type: "text_delta", text } });
  };
  const message = { ...head(turn, model), content: [], stop_reason: null, usage: usageOf(undefined) };
  send("message_start", { message });
  await tellReply(call, {
    ...{ turn, stream },
    stage(line) {
      if (!wantsThinking) return;
      begin("thinking", { thinking: "", signature: "" });
      send("content_block_delta", { index, delta: { type: "thinking_delta", thinking: `${line}\n` } });
    },
    text: isToldLive({ format, stop }) ? give : undefined,
    outcome({ calls, finish, usage, parley }, rest) {
      for (const piece of rest) give(piece);
      for (const one of calls) {
        const block = toolBlock(one);
        begin("tool_use", { ...block, input: {} });
        for (const piece of piecesOf(JSON.stringify(block.input)))
          send("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: piece } });
      }
      close();
      const delta = { stop_reason: STOPS[finish], stop_sequence: null };
      send("message_delta", { delta, usage: usageOf(usage), parley });
      send("message_stop", {});
    },
    failed: (refusal) => send("error", errorBody(refusal)),
  });
}

const ERRORS: { readonly [status: number]: string } = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
};

const errorBody = (refusal: HttpRefusal) => ({
  ...{ type: "error", request_id: refusal.instance },
  error: {
    type: ERRORS[refusal.status] ?? (refusal.status >= 500 ? "api_error" : "invalid_request_error"),
    message: apiErrorOf(refusal).message,
    // Anthropic's SDK then sends the whole conversation.
    ...(refusal.errors?.[0]?.pointer === "thread" && {
      details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
    }),
  },
});

function refuseMessage(refusal: HttpRefusal): HttpReply {
  const { status, headers = {} } = refuse(refusal);
  return { status, headers, body: errorBody({ ...refusal, status }) };
}

/** Claude Code asks with `?beta=true`. */
const AnyQuery = z.looseObject({});

/** Anthropic's API, as far as its clients need it to ask. */
export const anthropicApi: ApiSurface = {
  prefix: "v1/messages",
  refuse: refuseMessage,
  routes: [
    route("post", "", {
      ...{ name: "createMessage", tag: "Anthropic", needs: "write", body: z.unknown(), attaches: true },
      query: AnyQuery,
      summary: "Put a conversation's last message before models",
      replies: { 200: z.unknown() },
      async handle(call) {
        const read = await readMessage(call, call.body);
        const turn = await openRequest(call, read, { body: call.body });
        const headers = { "x-parley-deliberation": turn.id };
        if (read.stream) {
          await streamMessage(call, turn, { ...read, headers });
          return undefined;
        }
        return withPatience(call, headers, async () => {
          const outcome = await outcomeOf(call, turn);
          return { status: 200, headers, body: messageOf(outcome, read) };
        });
      },
    }),
    route("post", "/count_tokens", {
      ...{ name: "countMessageTokens", tag: "Anthropic", needs: "read", body: z.unknown(), attaches: true },
      query: AnyQuery,
      summary: "Estimate the tokens of a conversation, without asking anybody",
      replies: { 200: z.unknown() },
      async handle(call) {
        const { start } = await readMessage(call, call.body);
        return { status: 200, body: { input_tokens: countTokens(call, start) } };
      },
    }),
  ],
};
