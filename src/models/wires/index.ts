import { anthropic } from "./anthropic.ts";
import { ollama } from "./ollama.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import type { Wire } from "./wire.ts";

/** The wires by the name that a provider's row or a configured endpoint gives. */
export const wires = { openai: openaiCompatible, anthropic, ollama } as const satisfies {
  readonly [name: string]: Wire;
};
export type WireName = keyof typeof wires;
