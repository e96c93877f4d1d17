import * as z from "zod";
import { Json, type Message } from "../../kernel/index.ts";
import {
  createReader,
  jsonReply,
  MAX_TOKENS,
  ModelName,
  openai,
  type OutgoingReply,
  type ServerWire,
} from "./wires.ts";

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]);

const Item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: Content.optional(),
  call_id: z.string().optional(),
  output: Content.optional(),
});

const Body = z.looseObject({
  model: ModelName,
  input: z.union([
    z.string(),
    z.array(Item).refine((items) => items.flatMap(readItem).length > 0, "there is no message to answer"),
  ]),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  stream: z.boolean().nullish(),
  text: z
    .looseObject({
      format: z
        .looseObject({ type: z.string(), name: z.string().optional(), schema: Json.optional() })
        .optional(),
    })
    .nullish(),
});

function readText(content: z.infer<typeof Content> = ""): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

function readItem({
  type = "message",
  role,
  content,
  call_id: id = "",
  output,
}: z.infer<typeof Item>): Message[] {
  if (type === "function_call_output") return [{ role: "tool", id, text: readText(output) }];
  if (type !== "message") return [];
  const text = readText(content);
  if (role === "system" || role === "developer") return [{ role: "system", text }];
  return [{ role: role === "assistant" ? role : "user", text }];
}

const frame = (value: { readonly type: string }): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

const item = { output_index: 0, content_index: 0 };

const response = ({ id, model }: OutgoingReply, rest: object): object => ({
  ...{ id, object: "response", created_at: 0, model, error: null, incomplete_details: null },
  ...rest,
});

const message = ({ id }: OutgoingReply, status: string, texts: readonly string[]): object => ({
  ...{ type: "message", id: `${id}-0`, role: "assistant", status },
  content: texts.map((text) => ({ type: "output_text", text, annotations: [] })),
});

const endEvent = (reply: OutgoingReply): object => {
  const { text, finish, tokensIn, tokensOut } = reply;
  return response(reply, {
    status: finish === "length" ? "incomplete" : "completed",
    ...(finish === "length" && { incomplete_details: { reason: "max_output_tokens" } }),
    output: [message(reply, "completed", [text])],
    usage: {
      input_tokens: tokensIn,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: tokensOut,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: tokensIn + tokensOut,
    },
  });
};

/** The Responses API from the server's side (OpenAI API reference, "Create a model response"). */
export const responses: ServerWire = {
  overloaded: 503,
  streamType: "text/event-stream",
  read: createReader(Body, (body) => {
    const turns =
      typeof body.input === "string"
        ? [{ role: "user" as const, text: body.input }]
        : body.input.flatMap(readItem);
    const format = body.text?.format;
    return {
      model: body.model,
      messages: body.instructions ? [{ role: "system", text: body.instructions }, ...turns] : turns,
      maxOutputTokens: body.max_output_tokens ?? MAX_TOKENS,
      temperature: body.temperature ?? undefined,
      reply:
        format === undefined || format.type === "text" ? undefined : jsonReply(format.schema, format.name),
      stream: body.stream === true,
      usage: true,
    };
  }),
  whole: (reply) => JSON.stringify(endEvent(reply)),
  opening: (reply) => {
    const created = response(reply, { status: "in_progress", output: [] });
    // Codex takes no text but that of an item.
    const added = { output_index: 0, item: message(reply, "in_progress", []) };
    return (
      frame({ type: "response.created", ...{ response: created } }) +
      frame({ type: "response.output_item.added", ...added })
    );
  },
  piece: (_, delta) => frame({ type: "response.output_text.delta", ...{ ...item, delta } }),
  closing: (reply) =>
    frame({
      type: "response.output_item.done",
      ...{ output_index: 0, item: message(reply, "completed", [reply.text]) },
    }) +
    frame({
      type: reply.finish === "length" ? "response.incomplete" : "response.completed",
      ...{ response: endEvent(reply) },
    }),
  error: openai.error,
};
