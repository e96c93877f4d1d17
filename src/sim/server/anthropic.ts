import * as z from "zod";
import { Json, type Message } from "../../kernel/index.ts";
import { createReader, jsonReply, ModelName, type OutgoingReply, type ServerWire } from "./wires.ts";

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  content: z.unknown().optional(),
});
const Content = z.union([z.string(), z.array(Block)]);

const Body = z.looseObject({
  model: ModelName,
  system: Content.optional(),
  messages: z.array(z.looseObject({ role: z.enum(["user", "assistant"]), content: Content })).min(1),
  max_tokens: z.int().positive(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
  output_config: z
    .looseObject({ format: z.looseObject({ type: z.string(), schema: Json.optional() }).optional() })
    .optional(),
});

/** The text of a content, that of tool results included. */
function readText(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = z.array(Block).safeParse(content);
  return blocks.success
    ? blocks.data.map(({ text, content: inner }) => text ?? readText(inner)).join("")
    : "";
}

const frame = (value: { readonly type: string }): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

const finishes: { readonly [F in OutgoingReply["finish"]]: string } = {
  stop: "end_turn",
  length: "max_tokens",
};

const kinds: { readonly [status: number]: string } = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

const message = (reply: OutgoingReply, rest: object): object => ({
  id: reply.id,
  type: "message",
  role: "assistant",
  model: reply.model,
  stop_sequence: null,
  ...rest,
});

/** Messages from the server's side (Anthropic API reference, "Create a Message", "Streaming Messages"). */
export const anthropic: ServerWire = {
  overloaded: 529,
  streamType: "text/event-stream",
  read: createReader(Body, (body) => {
    const { system, output_config: config } = body;
    const schema = config?.format?.schema;
    const turns = body.messages.map(({ role, content }): Message => ({ role, text: readText(content) }));
    return {
      model: body.model,
      messages: system === undefined ? turns : [{ role: "system", text: readText(system) }, ...turns],
      maxOutputTokens: body.max_tokens,
      temperature: body.temperature,
      reply: schema === undefined ? undefined : jsonReply(schema),
      stream: body.stream === true,
      usage: true,
    };
  }),
  whole: (reply) =>
    JSON.stringify(
      message(reply, {
        content: [{ type: "text", text: reply.text }],
        stop_reason: finishes[reply.finish],
        usage: { input_tokens: reply.tokensIn, output_tokens: reply.tokensOut },
      }),
    ),
  opening: (reply) => {
    const started = message(reply, {
      content: [],
      stop_reason: null,
      usage: { input_tokens: reply.tokensIn, output_tokens: 0 },
    });
    const block = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
    return frame({ type: "message_start", ...{ message: started } }) + frame(block) + frame({ type: "ping" });
  },
  piece: (_, text) =>
    frame({ type: "content_block_delta", ...{ index: 0, delta: { type: "text_delta", text } } }),
  closing: (reply) => {
    const delta = { stop_reason: finishes[reply.finish], stop_sequence: null };
    const end = { type: "message_delta", delta, usage: { output_tokens: reply.tokensOut } };
    return (
      frame({ type: "content_block_stop", ...{ index: 0 } }) + frame(end) + frame({ type: "message_stop" })
    );
  },
  error: (status, text) =>
    JSON.stringify({ type: "error", error: { type: kinds[status] ?? "api_error", message: text } }),
};
