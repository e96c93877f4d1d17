/** How many tokens a prompt and its reply may have together, by the beginning of a reference; from the providers' pages on 2025-11-30. */
const LENGTHS: readonly (readonly [start: string, tokens: number])[] = [
  ["openai/gpt-5", 400_000],
  ["openai/gpt-4.1", 1_047_576],
  ["openai/gpt-4o", 128_000],
  ["openai/o3", 200_000],
  ["openai/o4-mini", 200_000],
  ["anthropic/claude-", 200_000],
  ["google/gemini-", 1_048_576],
  ["mistral/mistral-", 131_072],
  ["mistral/codestral", 256_000],
  ["deepseek/deepseek-", 128_000],
  ["xai/grok-4-fast", 2_000_000],
  ["xai/grok-4", 256_000],
  ["xai/grok-3", 131_072],
  ["groq/llama-3.", 131_072],
  ["groq/openai/gpt-oss-", 131_072],
  ["together/meta-llama/Llama-3.3", 131_072],
];

/** null where it is not known. */
export const contextLength = (ref: string): number | null =>
  LENGTHS.find(([start]) => ref.startsWith(start))?.[1] ?? null;
