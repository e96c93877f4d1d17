import * as z from "zod";
import { Json, type Message } from "../../kernel/index.ts";
import { usualTokens, type Order, type Outgoing, type ServerWire } from "./wire.ts";

const Part = z.looseObject({ type: z.string().optional(), text: z.string().optional() });
const Content = z.union([z.string(), z.array(Part)]).nullish();

const Body = z.looseObject({
  model: z.string().min(1).max(1_000),
  messages: z
    .array(z.looseObject({ role: z.string(), content: Content, tool_call_id: z.string().optional() }))
    .min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  response_format: z
    .discriminatedUnion("type", [
      z.looseObject({ type: z.literal("text") }),
      z.looseObject({ type: z.literal("json_object") }),
      z.looseObject({
        type: z.literal("json_schema"),
        json_schema: z.looseObject({ name: z.string().optional(), schema: Json.optional() }),
      }),
    ])
    .nullish(),
});
type Body = z.infer<typeof Body>;

const textIn = (content: z.infer<typeof Content>): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");

function messageOf({ role, content, tool_call_id: id }: Body["messages"][number]): Message {
  const text = textIn(content);
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", text };
    case "assistant":
      return { role: "assistant", text };
    case "tool":
      return { role: "tool", id: id ?? "", text };
    default:
      return { role: "user", text };
  }
}

const replyOf = (format: Body["response_format"]): Order["reply"] => {
  if (format?.type === "json_object") return { name: "reply", schema: { type: "object" } };
  if (format?.type !== "json_schema") return undefined;
  const { name = "reply", schema = { type: "object" } } = format.json_schema;
  return { name: name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "reply", schema };
};

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

const chunk = ({ id, model }: Outgoing, choices: unknown[], rest: object = {}): string =>
  frame({ id, object: "chat.completion.chunk", created: 0, model, choices, ...rest });

const usage = ({ tokensIn, tokensOut }: Outgoing): object => ({
  usage: { prompt_tokens: tokensIn, completion_tokens: tokensOut, total_tokens: tokensIn + tokensOut },
});

const kindOf = (status: number): string =>
  status === 401
    ? "authentication_error"
    : status === 429
      ? "rate_limit_exceeded"
      : status < 500
        ? "invalid_request_error"
        : "server_error";

/** Chat completions from the server's side (OpenAI API reference, "Create chat completion"). */
export const openai: ServerWire = {
  overloaded: 503,
  streamType: "text/event-stream",
  read: (given) => {
    const body = Body.safeParse(given);
    if (!body.success) return { ok: false, reason: z.prettifyError(body.error).slice(0, 500) };
    const {
      model,
      messages,
      stream,
      stream_options: options,
      temperature,
      response_format: format,
    } = body.data;
    return {
      ok: true,
      order: {
        model,
        messages: messages.map(messageOf),
        maxOutputTokens: body.data.max_completion_tokens ?? body.data.max_tokens ?? usualTokens,
        temperature: temperature ?? undefined,
        reply: replyOf(format),
        stream: stream === true,
        usage: options?.include_usage === true,
      },
    };
  },
  whole: (reply) =>
    JSON.stringify({
      id: reply.id,
      object: "chat.completion",
      created: 0,
      model: reply.model,
      choices: [
        { index: 0, message: { role: "assistant", content: reply.text }, finish_reason: reply.finish },
      ],
      ...usage(reply),
    }),
  opening: (reply) =>
    chunk(reply, [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]),
  piece: (reply, content) => chunk(reply, [{ index: 0, delta: { content }, finish_reason: null }]),
  closing: (reply, order) =>
    chunk(reply, [{ index: 0, delta: {}, finish_reason: reply.finish }]) +
    (order.usage ? chunk(reply, [], usage(reply)) : "") +
    "data: [DONE]\n\n",
  error: (status, message) =>
    JSON.stringify({ error: { message, type: kindOf(status), param: null, code: kindOf(status) } }),
};
