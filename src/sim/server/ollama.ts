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

const Body = z.looseObject({
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

const line = ({ model }: OutgoingReply, content: string, rest: object): string =>
  `${JSON.stringify({ model, created_at: CREATED_AT, message: { role: "assistant", content }, ...rest })}\n`;

const end = ({ finish, tokensIn, tokensOut }: OutgoingReply): object => ({
  done: true,
  done_reason: finish,
  prompt_eval_count: tokensIn,
  eval_count: tokensOut,
});

/** Chats from the server's side (Ollama's API documentation, "Generate a chat completion"): streamed unless told otherwise. */
export const ollama: ServerWire = {
  overloaded: 503,
  streamType: "application/x-ndjson",
  read: createReader(Body, ({ model, messages, stream, format, options }) => {
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
  whole: (reply) => line(reply, reply.text, end(reply)).trimEnd(),
  opening: () => "",
  piece: (reply, text) => line(reply, text, { done: false }),
  closing: (reply) => line(reply, "", end(reply)),
  error: (status, message, model) =>
    JSON.stringify({
      error: status === 404 && model !== undefined ? `model '${model}' not found; ${message}` : message,
    }),
};
