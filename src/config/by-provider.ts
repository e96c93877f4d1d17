import * as z from "zod";

/** `32`, or `openai=32,ollama=1` where it stands as text. */
function readByProvider(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (/^\s*\d+\s*$/.test(value)) return Number(value);
  const pairs = value.split(",").map((one) => /^\s*([^=:\s]+)\s*[=:]\s*(\d+)\s*$/.exec(one));
  return pairs.includes(null)
    ? value
    : Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", Number(pair?.[2])]));
}

const ProviderName = z.string().regex(/^[a-z0-9][a-z0-9._/-]{0,99}$/i);

/** A count for each provider, or one for those that are named: `openai`, `compatible/lab`. */
export const byProvider = (example: string) =>
  z
    .preprocess(
      readByProvider,
      z.union([z.int().positive(), z.record(ProviderName, z.int().positive()).readonly()]),
    )
    .meta({ expects: "an integer above 0, or one by provider", example });
