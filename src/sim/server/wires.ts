import * as z from "zod";
import { Json, type Message, type ReplySchema } from "../../kernel/index.ts";
import type { SimReply } from "../reply.ts";

/** A request as a wire brought it, not yet known to be answerable. */
export type ChatOrder = {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  readonly temperature: number | undefined;
  readonly reply: ReplySchema | undefined;
  readonly stream: boolean;
  /** Whether a stream ends with the tokens that were used. */
  readonly usage: boolean;
};

export type WireReading<O> =
  { readonly ok: true; readonly order: O } | { readonly ok: false; readonly reason: string };

/** A reply as it is sent: nothing in it depends on time or chance. */
export type OutgoingReply = Omit<Extract<SimReply, { ok: true }>, "ok"> & {
  readonly id: string;
  readonly model: string;
};

/** How one API is spoken from the server's side. Events of a stream come whole, with all that frames them. */
export type ServerWire = {
  readonly streamType: string;
  readonly read: (body: unknown) => WireReading<ChatOrder>;
  readonly whole: (reply: OutgoingReply) => string;
  readonly opening: (reply: OutgoingReply) => string;
  readonly piece: (reply: OutgoingReply, text: string) => string;
  readonly closing: (reply: OutgoingReply, order: ChatOrder) => string;
  /** `model` is what the request named, where it was read. */
  readonly error: (status: number, message: string, model?: string) => string;
  /** The status with which this API answers when it is overloaded. */
  readonly overloaded: number;
};

/** The longest reply when a request names no bound. */
export const MAX_TOKENS = 4_096;

/** Reads a body by its schema, and says what is wrong with one that does not fit. */
export const createReader =
  <S extends z.ZodType, O>(schema: S, createOrder: (body: z.infer<S>) => O) =>
  (input: unknown): WireReading<O> => {
    const body = schema.safeParse(input);
    return body.success
      ? { ok: true, order: createOrder(body.data) }
      : { ok: false, reason: z.prettifyError(body.error).slice(0, 500) };
  };

export const ModelName = z.string().min(1).max(1_000);

/** A message of a chat, in the roles that OpenAI and Ollama share. */
function readMessage(role: string, text: string, id: string | undefined): Message {
  if (role === "system" || role === "developer") return { role: "system", text };
  if (role === "assistant") return { role, text };
  return role === "tool" ? { role, id: id ?? "", text } : { role: "user", text };
}

export const jsonReply = (schema: Json = { type: "object" }, name = "reply"): ReplySchema => ({
  name: name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "reply",
  schema,
});

const ContentPart = z.looseObject({ type: z.string().optional(), text: z.string().optional() });
const Content = z.union([z.string(), z.array(ContentPart)]).nullish();

const Format = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    json_schema: z.looseObject({ name: z.string().optional(), schema: Json.optional() }),
  }),
]);

const OpenAiBody = z.looseObject({
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

const readOpenAiText = (content: z.infer<typeof Content>): string =>
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
  read: createReader(OpenAiBody, (body) => ({
    model: body.model,
    messages: body.messages.map((one) =>
      readMessage(one.role, readOpenAiText(one.content), one.tool_call_id),
    ),
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

const OllamaBody = z.looseObject({
  model: ModelName,
  messages: z
    .array(
      z.looseObject({ role: z.string(), content: z.string().nullish(), tool_name: z.string().optional() }),
    )
    .min(1),
  stream: z.boolean().nullish(),
  format: z.union([z.enum(["json", ""]), z.record(z.string(), Json)]).nullish(),
  options: z
    .looseObject({
      temperature: z.number().min(0).max(2).nullish(),
      /** Below 1 is without a bound. */
      num_predict: z.int().nullish(),
      /** Read and without effect: no simulated prompt is cut. */
      num_ctx: z.int().positive().nullish(),
    })
    .nullish(),
});

/** Ollama's name for a model without a tag. */
export const LATEST_TAG = ":latest";

/** `ada:latest?skill=1` is `ada?skill=1`. */
const withoutTag = (model: string): string => {
  const [name = "", ...query] = model.split("?");
  return [name.endsWith(LATEST_TAG) ? name.slice(0, -LATEST_TAG.length) : name, ...query].join("?");
};

/** No clock is read for it: what is sent depends on the request alone. */
const CREATED_AT = "1970-01-01T00:00:00Z";

const formatLine = ({ model }: OutgoingReply, content: string, rest: object): string =>
  `${JSON.stringify({ model, created_at: CREATED_AT, message: { role: "assistant", content }, ...rest })}\n`;

const createEnd = ({ finish, tokensIn, tokensOut }: OutgoingReply): object => ({
  done: true,
  done_reason: finish,
  prompt_eval_count: tokensIn,
  eval_count: tokensOut,
});

/** Chats from the server's side (Ollama's API documentation, "Generate a chat completion"): streamed unless told otherwise. */
export const ollama: ServerWire = {
  overloaded: 503,
  streamType: "application/x-ndjson",
  read: createReader(OllamaBody, ({ model, messages, stream, format, options }) => {
    const maxTokens = options?.num_predict ?? 0;
    return {
      model: withoutTag(model),
      messages: messages.map((one) => readMessage(one.role, one.content ?? "", one.tool_name)),
      maxOutputTokens: maxTokens > 0 ? maxTokens : MAX_TOKENS,
      temperature: options?.temperature ?? undefined,
      reply: format ? jsonReply(format === "json" ? undefined : format) : undefined,
      stream: stream !== false,
      usage: true,
    };
  }),
  whole: (reply) => formatLine(reply, reply.text, createEnd(reply)).trimEnd(),
  opening: () => "",
  piece: (reply, text) => formatLine(reply, text, { done: false }),
  closing: (reply) => formatLine(reply, "", createEnd(reply)),
  error: (status, message, model) =>
    JSON.stringify({
      error: status === 404 && model !== undefined ? `model '${model}' not found; ${message}` : message,
    }),
};

export type EmbeddingOrder = { readonly model: string; readonly texts: readonly string[] };

/** Vectors as they are sent, in the order of the texts. */
type OutgoingVectors = {
  readonly model: string;
  readonly vectors: readonly (readonly number[])[];
  readonly tokensIn: number;
};

/** How one API for embeddings is spoken from the server's side. */
export type EmbeddingServerWire = {
  readonly read: (body: unknown) => WireReading<EmbeddingOrder>;
  readonly whole: (reply: OutgoingVectors) => string;
  readonly error: (status: number, message: string) => string;
};

/** What OpenAI takes in one request. */
const MAX_TEXTS = 2_048;

const createEmbeddingReader = (text: z.ZodString): EmbeddingServerWire["read"] =>
  createReader(
    z.looseObject({ model: ModelName, input: z.union([text, z.array(text).min(1).max(MAX_TEXTS)]) }),
    ({ model, input }) => ({ model, texts: [input].flat() }),
  );

/** Embeddings from the server's side (OpenAI API reference, "Create embeddings"); an empty text is refused, as there. */
export const openaiEmbeddings: EmbeddingServerWire = {
  read: createEmbeddingReader(z.string().min(1)),
  whole: ({ model, vectors, tokensIn }) => {
    const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
    const usage = { prompt_tokens: tokensIn, total_tokens: tokensIn };
    return JSON.stringify({ object: "list", data, model, usage });
  },
  error: openai.error,
};

/** Embeddings from the server's side (Ollama's API documentation, "Generate Embeddings"). */
export const ollamaEmbeddings: EmbeddingServerWire = {
  read: createEmbeddingReader(z.string()),
  whole: ({ model, vectors, tokensIn }) =>
    JSON.stringify({ model, embeddings: vectors, prompt_eval_count: tokensIn }),
  error: (_, message) => JSON.stringify({ error: message }),
};
