import type { Endpoint } from "./endpoint.ts";
import { countOf, itemsOf, looseOf } from "./loose.ts";
import { wires } from "./wires/index.ts";

/** How vectors are asked for. Every wire takes `{model, input}`, the input a list of texts. */
export type EmbeddingWire = {
  /** Where requests go, from an endpoint's base URL. */
  url(base: string): URL;
  /** What stands for vectors in a reply, in the order of the texts and not yet checked; null where that cannot be told. */
  read(reply: unknown): readonly unknown[] | null;
};

const beside = (base: string, path: string, leave: RegExp): URL => {
  const url = new URL(base);
  url.pathname = url.pathname.replace(leave, "") + path;
  return url;
};

/** `POST /embeddings` as OpenAI defines it and many servers speak it. Items carry the index of their text, in any order. */
const openaiCompatible: EmbeddingWire = {
  url: (base) => beside(base, "/embeddings", /\/$/),
  read: (reply) => {
    const items = itemsOf(looseOf(reply)["data"]);
    const placed = new Map<number, unknown>();
    for (const [position, item] of items.entries()) {
      const { index, embedding } = looseOf(item);
      const place = index === undefined ? position : countOf(index);
      if (place === null || place >= items.length || placed.has(place)) return null;
      placed.set(place, embedding);
    }
    return items.map((_, place) => placed.get(place));
  },
};

/** Ollama's own `POST /api/embed`, which also cuts what is too long for the model. */
const ollama: EmbeddingWire = {
  url: (base) => beside(base, "/api/embed", /\/$/),
  read: (reply) => itemsOf(looseOf(reply)["embeddings"]),
};

/** Providers that are known to have no embedding models. Of others their answer tells. */
export const withoutEmbeddings: ReadonlySet<string> = new Set(["anthropic", "groq", "deepseek"]);

/** The wire over which an endpoint gives vectors, or null where it has none to give. */
export const embeddingWireOf = ({ wire }: Endpoint): EmbeddingWire | null => {
  if (wire === wires.ollama) return ollama;
  return wire === wires.openai ? openaiCompatible : null;
};
