import * as z from "zod";
import { openai as chat } from "./openai.ts";

export type EmbeddingOrder = { readonly model: string; readonly texts: readonly string[] };

export type EmbeddingOrderReading =
  { readonly ok: true; readonly order: EmbeddingOrder } | { readonly ok: false; readonly reason: string };

/** Vectors as they go out, in the order of the texts. */
export type OutgoingVectors = {
  readonly model: string;
  readonly vectors: readonly (readonly number[])[];
  readonly tokensIn: number;
};

/** How one API for embeddings is spoken from the server's side. */
export type EmbeddingServerWire = {
  readonly read: (body: unknown) => EmbeddingOrderReading;
  readonly whole: (reply: OutgoingVectors) => string;
  readonly error: (status: number, message: string) => string;
};

/** What OpenAI takes in one request. */
const mostTexts = 2_048;
const model = z.string().min(1).max(1_000);

const reader =
  (text: z.ZodString) =>
  (given: unknown): EmbeddingOrderReading => {
    const Body = z.looseObject({ model, input: z.union([text, z.array(text).min(1).max(mostTexts)]) });
    const body = Body.safeParse(given);
    if (!body.success) return { ok: false, reason: z.prettifyError(body.error).slice(0, 500) };
    return { ok: true, order: { model: body.data.model, texts: [body.data.input].flat() } };
  };

/** Embeddings from the server's side (OpenAI API reference, "Create embeddings"); an empty text is refused, as there. */
export const openaiEmbeddings: EmbeddingServerWire = {
  read: reader(z.string().min(1)),
  whole: (reply) =>
    JSON.stringify({
      object: "list",
      data: reply.vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
      model: reply.model,
      usage: { prompt_tokens: reply.tokensIn, total_tokens: reply.tokensIn },
    }),
  error: chat.error,
};

/** Embeddings from the server's side (Ollama's API documentation, "Generate Embeddings"). */
export const ollamaEmbeddings: EmbeddingServerWire = {
  read: reader(z.string()),
  whole: (reply) =>
    JSON.stringify({ model: reply.model, embeddings: reply.vectors, prompt_eval_count: reply.tokensIn }),
  error: (_, message) => JSON.stringify({ error: message }),
};
