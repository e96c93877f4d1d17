import * as z from "zod";
import { openai } from "./openai.ts";
import { createReader, ModelName, type WireReading } from "./wire.ts";

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
