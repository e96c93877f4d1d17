import { anthropic } from "./anthropic.ts";
import { ollama } from "./ollama.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { WireName } from "../../kernel/index.ts";
import type { Wire } from "./wire.ts";

/** The wires by the name that a provider's row or a configured endpoint gives. */
export const wires = {
  openai: openaiCompatible,
  responses: openaiResponses,
  anthropic,
  ollama,
} as const satisfies { readonly [name in WireName]: Wire };
