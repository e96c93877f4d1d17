import * as z from "zod";
import { Json } from "../../kernel/index.ts";
import {
  createReader,
  jsonReply,
  MAX_TOKENS,
  ModelName,
  readMessage,
  type OutgoingReply,
  type ServerWire,
} from "./wire.ts";

const Part = z.looseObject({ type: z.string().optional(), text: z.string().optional() });
const Content = z.union([z.string(), z.array(Part)]).nullish();

const Format = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    json_schema: z.looseObject({ name: z.string().optional(), schema: Json.optional() }),
  }),
]);

const Body = z.looseObject({
  model: ModelName,
  messages: z
    .array(z.looseObject({ role: z.string(), content: Content, tool_call_id: z.string().optional() }))
    .min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  response_format: Format.nullish(),
});

const readText = (content: z.infer<typeof Content>): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");

function readFormat(format: z.infer<typeof Format> | null | undefined) {
  if (format?.type === "json_object") return jsonReply();
  return format?.type === "json_schema"
    ? jsonReply(format.json_schema.schema, format.json_schema.name)
    : undefined;
}

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

const chunk = ({ id, model }: OutgoingReply, choices: unknown[], rest: object = {}): string =>
  frame({ id, object: "chat.completion.chunk", created: 0, model, choices, ...rest });

const delta = (reply: OutgoingReply, content: object, finish_reason: string | null = null): string =>
  chunk(reply, [{ index: 0, delta: content, finish_reason }]);

const usage = ({ tokensIn, tokensOut }: OutgoingReply): object => ({
  usage: { prompt_tokens: tokensIn, completion_tokens: tokensOut, total_tokens: tokensIn + tokensOut },
});

const errorKinds: { readonly [status: number]: string } = {
  401: "authentication_error",
  429: "rate_limit_exceeded",
};

/** Chat completions from the server's side (OpenAI API reference, "Create chat completion"). */
export const openai: ServerWire = {
  overloaded: 503,
  streamType: "text/event-stream",
  read: createReader(Body, (body) => ({
    model: body.model,
    messages: body.messages.map((one) => readMessage(one.role, readText(one.content), one.tool_call_id)),
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? MAX_TOKENS,
    temperature: body.temperature ?? undefined,
    reply: readFormat(body.response_format),
    stream: body.stream === true,
    usage: body.stream_options?.include_usage === true,
  })),
  whole: (reply) => {
    const message = { role: "assistant", content: reply.text };
    const choices = [{ index: 0, message, finish_reason: reply.finish }];
    const { id, model } = reply;
    return JSON.stringify({ id, object: "chat.completion", created: 0, model, choices, ...usage(reply) });
  },
  opening: (reply) => delta(reply, { role: "assistant", content: "" }),
  piece: (reply, content) => delta(reply, { content }),
  closing: (reply, order) =>
    `${delta(reply, {}, reply.finish)}${order.usage ? chunk(reply, [], usage(reply)) : ""}data: [DONE]\n\n`,
  error: (status, message) => {
    const kind = errorKinds[status] ?? (status < 500 ? "invalid_request_error" : "server_error");
    return JSON.stringify({ error: { message, type: kind, param: null, code: kind } });
  },
};
