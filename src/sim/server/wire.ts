import * as z from "zod";
import type { Json, Message, ReplySchema } from "../../kernel/index.ts";

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
export type OutgoingReply = {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly finish: "stop" | "length";
  readonly tokensIn: number;
  readonly tokensOut: number;
};

/** How one API is spoken from the server's side. Events of a stream come whole, with all that frames them. */
export type ServerWire = {
  /** The content type of a stream. */
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
export function readMessage(role: string, text: string, id: string | undefined): Message {
  if (role === "system" || role === "developer") return { role: "system", text };
  if (role === "assistant") return { role, text };
  return role === "tool" ? { role, id: id ?? "", text } : { role: "user", text };
}

/** The form of a reply in JSON. */
export const jsonReply = (schema: Json = { type: "object" }, name = "reply"): ReplySchema => ({
  name: name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "reply",
  schema,
});
