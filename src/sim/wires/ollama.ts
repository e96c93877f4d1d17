import * as z from "zod";
import { Json, type Message } from "../../kernel/index.ts";
import { usualTokens, type Order, type Outgoing, type ServerWire } from "./wire.ts";

const Body = z.looseObject({
  model: z.string().min(1).max(1_000),
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
type Body = z.infer<typeof Body>;

function messageOf({ role, content, tool_name: name }: Body["messages"][number]): Message {
  const text = content ?? "";
  switch (role) {
    case "system":
    case "assistant":
      return { role, text };
    case "tool":
      return { role: "tool", id: name ?? "", text };
    default:
      return { role: "user", text };
  }
}

const replyOf = (format: Body["format"]): Order["reply"] => {
  if (format === undefined || format === null || format === "") return undefined;
  return { name: "reply", schema: format === "json" ? { type: "object" } : format };
};

/** Ollama's name for a model without a tag. */
export const latest = ":latest";

/** `ada:latest?skill=1` is `ada?skill=1`. */
const withoutTag = (model: string): string => {
  const [name = "", ...query] = model.split("?");
  return [name.endsWith(latest) ? name.slice(0, -latest.length) : name, ...query].join("?");
};

/** No clock is read for it: what is sent depends on the request alone. */
const created = "1970-01-01T00:00:00Z";

const line = ({ model }: Outgoing, content: string, rest: object): string =>
  `${JSON.stringify({ model, created_at: created, message: { role: "assistant", content }, ...rest })}\n`;

const end = ({ finish, tokensIn, tokensOut }: Outgoing): object => ({
  done: true,
  done_reason: finish,
  prompt_eval_count: tokensIn,
  eval_count: tokensOut,
});

/** Chats from the server's side (Ollama's API documentation, "Generate a chat completion"): streamed unless told otherwise. */
export const ollama: ServerWire = {
  overloaded: 503,
  streamType: "application/x-ndjson",
  read: (given) => {
    const body = Body.safeParse(given);
    if (!body.success) return { ok: false, reason: z.prettifyError(body.error).slice(0, 500) };
    const { model, messages, stream, format, options } = body.data;
    const longest = options?.num_predict ?? 0;
    return {
      ok: true,
      order: {
        model: withoutTag(model),
        messages: messages.map(messageOf),
        maxOutputTokens: longest > 0 ? longest : usualTokens,
        temperature: options?.temperature ?? undefined,
        reply: replyOf(format),
        stream: stream !== false,
        usage: true,
      },
    };
  },
  whole: (reply) => line(reply, reply.text, end(reply)).trimEnd(),
  opening: () => "",
  piece: (reply, text) => line(reply, text, { done: false }),
  closing: (reply) => line(reply, "", end(reply)),
  error: (status, message, model) =>
    JSON.stringify({
      error: status === 404 && model !== undefined ? `model '${model}' not found; ${message}` : message,
    }),
};
