import type { DebateAgent, DebateConfig, PromptPaths } from "./debate-file.ts";
import type { Place } from "./paths.ts";
import { readPrompt, type PromptText } from "./prompt-file.ts";

/**
 * What one who takes part is told: `instructions` stand in place of the role's, `clarification` after what is built in,
 * `summary` in place of what is built in.
 */
export type DebatePrompts = { readonly [K in keyof PromptPaths]: PromptText };

export type PromptTexts = {
  /** By id, the judge among them. */
  readonly prompts: ReadonlyMap<string, DebatePrompts>;
  /** Each once, since many may name one file. */
  readonly warnings: readonly string[];
};

/** The texts that a configuration's prompt files give, each with where it comes from; see `readPrompt`. */
export function promptTexts(
  { folder, agents, judge }: Pick<DebateConfig, "folder" | "agents" | "judge">,
  { env }: Pick<Place, "env">,
): PromptTexts {
  const warnings = new Set<string>();
  const read = (paths: readonly string[], kind: string): PromptText => {
    const reading = readPrompt(paths, { kind, place: { cwd: folder, env } });
    for (const warning of reading.warnings) warnings.add(warning);
    return reading.prompt;
  };
  const promptsOf = ({ promptPaths }: DebateAgent): DebatePrompts => ({
    instructions: read(promptPaths.instructions, "system prompt"),
    clarification: read(promptPaths.clarification, "clarification prompt"),
    summary: read(promptPaths.summary, "summary prompt"),
  });
  const prompts = new Map([...agents, judge].map((one) => [one.id, promptsOf(one)]));
  return { prompts, warnings: [...warnings] };
}
