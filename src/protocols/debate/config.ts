import type * as z from "zod";
import type { ModelRef, ParticipantId } from "../../kernel/index.ts";
import type { DebateSettings, Summarization } from "./settings.ts";

/** A text of an agent's own, with where it came from; otherwise the one that Parley ships. */
export type PromptText =
  { readonly source: "built-in" } | { readonly source: "file"; readonly path: string; readonly text: string };

/**
 * What one who takes part is told: `instructions` instead of the role's, `clarification` after what is built in, `summary`
 * instead of what is built in.
 */
export type AgentPrompts = {
  readonly [K in "instructions" | "clarification" | "summary"]: PromptText;
};

/** An agent or the judge, before its role is looked up. */
export type AgentConfig = {
  readonly id: ParticipantId;
  readonly name: string;
  readonly role: string;
  readonly model: ModelRef;
  /** 0 to 2; null leaves it to the provider. */
  readonly temperature: number | null;
  readonly summarization: Summarization;
  readonly prompts: AgentPrompts;
  /** By name, each once; unknown ones are warned of. */
  readonly tools: readonly string[];
  readonly toolCallLimit: number | undefined;
};

/** A debate as somebody configured it: who takes part, and what differs from the protocol's defaults. */
export type DebateConfig = {
  readonly agents: readonly AgentConfig[];
  readonly judge: AgentConfig;
  readonly rules: Partial<
    Pick<
      z.input<typeof DebateSettings>,
      | "rounds"
      | "termination"
      | "proposals"
      | "topology"
      | "clarifications"
      | "includeFullHistory"
      | "callTimeoutMs"
    >
  >;
  /** What could not be used as it was written, in words. */
  readonly warnings: readonly string[];
};

export const AGENT_TEMPERATURE = 0.5;

/** The judge where none is configured. */
export const BUILT_IN_JUDGE = {
  id: "judge-main",
  name: "Technical Judge",
  role: "generalist",
  temperature: 0.3,
} as const;

export const BUILT_IN_PROMPTS: AgentPrompts = {
  instructions: { source: "built-in" },
  clarification: { source: "built-in" },
  summary: { source: "built-in" },
};

/**
 * Who criticises whom, in seat order. Of n agents: `full` n(n − 1) pairs; `ring` n, each the next one; `star`
 * 2(n − 1), the first agent and each of the others each other.
 */
export function pairCritics<T>(
  topology: DebateSettings["topology"],
  seated: readonly T[],
): readonly { readonly critic: T; readonly target: T }[] {
  const pairs = seated.flatMap((critic, from) =>
    seated.flatMap((target, to) => (from === to ? [] : [{ critic, target, from, to }])),
  );
  switch (topology) {
    case "full":
      return pairs;
    case "ring":
      return pairs.filter(({ from, to }) => to === (from + 1) % seated.length);
    case "star":
      return pairs.filter(({ from, to }) => from === 0 || to === 0);
  }
}
