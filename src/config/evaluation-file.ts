import { dirname } from "node:path";
import * as z from "zod";
import type { ModelRef, ParticipantId } from "../kernel/index.ts";
import { agentFields, enabledAgents, line, MOST_AGENTS, refOf } from "./agent-entry.ts";
import { foreignFile } from "./foreign-file.ts";
import { absolute, type Place } from "./paths.ts";
import { readPrompt, type PromptText } from "./prompt-file.ts";
import { fileName } from "./text-file.ts";
import { readYaml } from "./yaml.ts";

// The form of Dialectic's files for its evaluators (version 0.7).

const EvaluationFile = z.strictObject({
  agents: z
    .array(
      z.strictObject({
        ...agentFields,
        provider: agentFields.provider.default("openai"),
        systemPromptPath: line(1_000).optional(),
        userPromptPath: line(1_000).optional(),
        /** Milliseconds. */
        timeout: z.int().positive().optional(),
      }),
    )
    .max(MOST_AGENTS, `more than ${MOST_AGENTS} agents`),
});

/** Where an evaluator's own user prompt has the solution that it is to evaluate. */
const SOLUTION = "{final_solution}";

export type Evaluator = {
  readonly id: ParticipantId;
  readonly name: string;
  readonly model: ModelRef;
  /** Of its call, in milliseconds. */
  readonly timeoutMs: number | undefined;
  /** `user` names `{problem}`, `{clarifications}`, `{final_solution}` and `{requirements_info}`; whoever renders it fills them. */
  readonly prompts: { readonly system: PromptText; readonly user: PromptText };
};

export type EvaluationConfig = {
  readonly agents: readonly Evaluator[];
  readonly warnings: readonly string[];
};

const FORM = "an evaluation has agents, each with an id, a name and a model";

/**
 * Who evaluates a debate, in JSON or YAML; agents that are not enabled are left out. A user prompt that does not name
 * `{final_solution}` is used, with a warning.
 * @throws Fault `configuration` for a file that cannot be read, a value that is not valid, no agents, or an id that two have
 */
export function readEvaluationFile(written: string, place: Place): EvaluationConfig {
  const file = readYaml(absolute(written, place), "evaluation configuration");
  const { data, warnings: unknownKeys } = foreignFile(file, EvaluationFile, FORM);
  const warnings = new Set(unknownKeys);
  const read = (path: string | undefined, kind: string): PromptText => {
    const here = { cwd: dirname(file.path), env: place.env };
    const reading = readPrompt(path === undefined ? [] : [path], { kind, place: here });
    for (const warning of reading.warnings) warnings.add(warning);
    return reading.prompt;
  };
  const agents = enabledAgents(file, data.agents).map((agent): Evaluator => {
    const { id, name, timeout } = agent;
    const system = read(agent.systemPromptPath, "system prompt");
    const user = read(agent.userPromptPath, "user prompt");
    if (user.source === "file" && !user.text.includes(SOLUTION)) {
      const what = `the user prompt ${fileName(user.path)} does not name ${SOLUTION}`;
      warnings.add(`${what}, so whoever reads it is not shown what to evaluate`);
    }
    return { id, name, model: refOf(agent), timeoutMs: timeout, prompts: { system, user } };
  });
  return { agents, warnings: [...warnings] };
}
