import * as z from "zod";
import { restAfter } from "../../../app/live-answer.ts";
import type { DeliberationId } from "../../../kernel/index.ts";
import { beginStream, withPatience } from "../../../server/patience.ts";
import { refusalOf, type HttpRefusal, type HttpReply } from "../../../server/problem.ts";
import { route, type ApiSurface } from "../../../server/route.ts";
import { liveText, piecesOf, tellStages, wholeText } from "./chat.ts";
import { apiErrorOf, refuse } from "./errors.ts";
import { COMMON_FIELDS, EffortName, formOf, FormSchema, Limit, readFields, settingsOf } from "./fields.ts";
import type { ReadRequest } from "./fields.ts";
import { forcedTool, withoutForcing } from "./forced-tool.ts";
import { chooseModel } from "./models.ts";
import { Content, fieldsIn, type SentFields } from "./parts.ts";
import { countTokens, openRequest, outcomeOf, type ApiOutcome, type ApiUsage } from "./run.ts";
import type { ApiCall } from "./structured.ts";
import { Message, readMessages } from "./turns.ts";

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
type SentMessage = z.infer<typeof Message>;

const toText = (value: unknown): string => (typeof value === "string" ? value : "");

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
            ...{ role, content: said },
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
    tools: own.map(({ name, input_schema: parameters }) => ({ type: "function", name, parameters })),
    tool_choice:
      choice["type"] === "any"
        ? "required"
        : choice["type"] === "tool"
          ? { type: "function", name: choice["name"] }
          : undefined,
  };
}

type ReadMessage = ReadRequest & { readonly stream: boolean; readonly wantsThinking: boolean };

async function readMessage(call: ApiCall, body: unknown): Promise<ReadMessage> {
  const { given, ignored } = readFields(body, { honoured: Honoured, refused: {} });
  const forced = forcedTool(asFunctions(fieldsIn(body)));
  const chosen = await chooseModel(call, given.model);
  const instructions = given.system === undefined ? [] : [{ role: "system" as const, content: given.system }];
  const { system, history, question, files } = readMessages(
    [...instructions, ...given.messages].flatMap(toMessages),
  );
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
    format: formOf(forced, format),
    ignored: [
      ...withoutForcing(ignored, forced),
      ...unused.map((name) => (name === "reasoning_effort" ? "output_config.effort" : name)),
    ],
    stream: given.stream === true,
    wantsThinking: given.thinking !== undefined && given.thinking.type !== "disabled",
  };
}

const STOPS = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use", function_call: "tool_use" };

const usageOf = (usage: ApiUsage | undefined) => ({
  ...{ input_tokens: usage?.in ?? 0, output_tokens: usage?.out ?? 0 },
  ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: usage?.cached ?? 0 },
});

const head = (id: DeliberationId, model: string) => ({
  ...{ id: `msg_${id}`, type: "message", role: "assistant", model },
  ...{ stop_sequence: null },
});

/** The call of a tool that the answer is. */
const toolBlock = ({ id, text }: ApiOutcome, name: string) => ({
  ...{ type: "tool_use", id: `toolu_${id}`, name },
  input: JSON.parse(text) as unknown,
});

function messageOf(
  outcome: ApiOutcome,
  { model, wantsThinking }: Pick<ReadMessage, "model" | "wantsThinking">,
) {
  const { id, tool, stages, usage, finish, parley } = outcome;
  const thinking = { type: "thinking", thinking: stages.join("\n"), signature: "" };
  return {
    ...head(id, model),
    content: [
      ...(wantsThinking && stages.length > 0 ? [thinking] : []),
      tool ? toolBlock(outcome, tool.name) : { type: "text", text: wholeText(outcome) },
    ],
    ...{ stop_reason: STOPS[finish], usage: usageOf(usage), parley },
  };
}

async function streamMessage(
  call: ApiCall,
  id: DeliberationId,
  {
    model,
    format,
    stop,
    wantsThinking,
    headers,
  }: ReadMessage & { readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const stream = beginStream(call, headers);
  const send = (type: string, fields: object) => stream.event(type, { type, ...fields });
  let index = -1;
  let open: "thinking" | "text" | "tool_use" | undefined;
  const close = (): void => {
    if (open !== undefined) send("content_block_stop", { index });
    open = undefined;
  };
  const begin = (type: "thinking" | "text" | "tool_use", block: object): void => {
    if (open === type) return;
    close();
    index += 1;
    open = type;
    send("content_block_start", { index, content_block: { type, ...block } });
  };
  const give = (text: string): void => {
    begin("text", { text: "" });
    send("content_block_delta", { index, delta: { type: "text_delta", text } });
  };
  const message = { ...head(id, model), content: [], stop_reason: null, usage: usageOf(undefined) };
  send("message_start", { message });
  const live = format === null && stop.length === 0 ? liveText(call, id, give) : undefined;
  const telling = tellStages(call, id, (line) => {
    if (!wantsThinking || (live?.sent() ?? "") !== "") return;
    begin("thinking", { thinking: "", signature: "" });
    send("content_block_delta", { index, delta: { type: "thinking_delta", thinking: `${line}\n` } });
  });
  try {
    const outcome = await outcomeOf(call, id);
    await telling.end();
    const sent = live?.end() ?? "";
    const { tool, text, degraded, finish, usage, parley } = outcome;
    if (tool) {
      begin("tool_use", { ...toolBlock(outcome, tool.name), input: {} });
      for (const piece of piecesOf(text))
        send("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: piece } });
    } else for (const piece of piecesOf(restAfter(sent, text, degraded))) give(piece);
    close();
    const delta = { stop_reason: STOPS[finish], stop_sequence: null };
    send("message_delta", { delta, usage: usageOf(usage), parley });
    send("message_stop", {});
    stream.end();
  } catch (error) {
    if (call.response.destroyed) return;
    const refusal = refusalOf(error);
    // A library that is told nothing sends the request again, and joins it.
    if (refusal.code === "interrupted") return void call.response.destroy();
    send("error", errorBody(refusal));
    stream.end();
  } finally {
    live?.end();
    await telling.end();
  }
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
        const id = await openRequest(call, read, { body: call.body });
        const headers = { "x-parley-deliberation": id };
        if (read.stream) {
          await streamMessage(call, id, { ...read, headers });
          return undefined;
        }
        return withPatience(call, headers, async () => {
          const outcome = await outcomeOf(call, id);
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
