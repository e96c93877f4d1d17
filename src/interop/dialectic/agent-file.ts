import { dirname } from "node:path";
import * as z from "zod";
import { checkedFile } from "../../config/named-files.ts";
import { type PromptSource, readPrompt } from "../../config/input-files.ts";
import { toAbsolute, type FileContext } from "../../config/paths.ts";
import { refuse } from "../../config/text-file.ts";
import { quoteValue as shown } from "../../text/words.ts";
import { displayPath } from "../../config/text-file.ts";
import { readYaml, type YamlFile } from "../../config/yaml.ts";
import { ModelRef, ParticipantId } from "../../kernel/index.ts";
import { findNearest } from "../../text/words.ts";

/** What a file says, and what its owner should know of it. */
export type ForeignReading<T> = { readonly data: T; readonly warnings: readonly string[] };

const MAX_WARNINGS = 20;

/**
 * A file whose form another program laid down: a key that is not known here is left out with a warning, since that
 * program may know it. Anything else that is wrong is wrong.
 * @throws Fault `configuration` as `checkedFile` does
 */
export function foreignFile<S extends z.ZodType>(
  file: YamlFile,
  schema: S,
  form: string,
): ForeignReading<z.output<S>> {
  const unknown: UnknownKey[] = [];
  const value = known(file.value, { schema, path: [] }, unknown);
  const data = checkedFile({ ...file, value }, schema, form);
  // A place is found by counting lines, which takes time, and nobody reads a thousand warnings.
  const warnings = unknown.slice(0, MAX_WARNINGS).map(({ path, keys }) => {
    const key = path.at(-1);
    const hint = `the nearest is ${findNearest(String(key), keys)}`;
    return `${file.place(path, "key")}: there is no key ${shown(key)} here, and it is ignored; ${hint}`;
  });
  const more = unknown.length - warnings.length;
  return {
    data,
    warnings: more > 0 ? [...warnings, `${displayPath(file.path)}: ${more} more keys are ignored`] : warnings,
  };
}

type UnknownKey = { readonly path: readonly PropertyKey[]; readonly keys: readonly string[] };
type Spot = { readonly schema: unknown; readonly path: readonly PropertyKey[] };

/** The value without the keys that the schema does not know, at any depth; those are added to `unknown`. */
function known(value: unknown, { schema, path }: Spot, unknown: UnknownKey[]): unknown {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((one, index) => known(one, { schema: inner.element, path: [...path, index] }, unknown));
  }
  if (!(inner instanceof z.ZodObject) || typeof value !== "object" || value === null || Array.isArray(value))
    return value;
  const shape: Readonly<Record<string, unknown>> = inner.shape;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]: [string, unknown]) => {
      const at = [...path, key];
      if (Object.hasOwn(shape, key)) return [[key, known(one, { schema: shape[key], path: at }, unknown)]];
      unknown.push({ path: at, keys: Object.keys(shape) });
      return [];
    }),
  );
}

/** What stands behind the wrappers of a key that may be absent. */
const unwrapped = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
    ? unwrapped(schema.unwrap())
    : schema;

/** A line of text of at most so many UTF-16 units. */
export const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1, "nothing is written here")
    .max(most, `more than ${most} characters`)
    .regex(/^\P{Cc}*$/u, "more than one line, or control characters");

/** What a phase's own steps are called, beside its agents' under the same name. */
const RESERVED: ReadonlySet<string> = new Set(["roster", "admitted"]);

/** What every entry of an agent has, whatever it does: who it is, and which model speaks for it. */
export const agentFields = {
  id: z
    .string()
    .refine((id) => !RESERVED.has(id), "roster and admitted name steps; give it another id")
    .pipe(ParticipantId),
  name: line(80),
  /** As the provider names it. */
  model: line(300).regex(/^\S+$/, "a model's name has no spaces"),
  provider: z
    .string()
    .regex(/^[a-z0-9-]{1,60}$/, "a provider is one word, for example openai, openrouter or ollama"),
  enabled: z.boolean().default(true),
};

/** Agents to a file: as many as there are labels. */
export const MAX_AGENTS = 26;

/** The reference to a provider's model: `openrouter`, `anthropic/claude-sonnet-4.5` → `openrouter/anthropic/claude-sonnet-4.5`. */
export const refOf = ({ provider, model }: { readonly provider: string; readonly model: string }): ModelRef =>
  ModelRef.parse(`${provider}/${model}`);

/**
 * The agents that take part.
 * @throws Fault `configuration` where there is none, or two have one id
 */
export function enabledAgents<A extends { readonly id: string; readonly enabled: boolean }>(
  file: YamlFile,
  agents: readonly A[],
): readonly A[] {
  const enabled = agents.filter((agent) => agent.enabled);
  if (enabled.length === 0) {
    const [why, next] =
      agents.length === 0
        ? ["there are no agents", "list at least one, with an id, a name, a model and its provider"]
        : ["no agent is enabled", "set enabled: true for at least one"];
    throw refuse(`${file.place(["agents"], "key")}: ${why}`, next);
  }
  const seen = new Set<string>();
  for (const [index, agent] of agents.entries()) {
    if (!agent.enabled) continue;
    if (seen.has(agent.id)) throw refuseTwice(file, ["agents", index, "id"], agent.id);
    seen.add(agent.id);
  }
  return enabled;
}

export const refuseTwice = (file: YamlFile, path: readonly PropertyKey[], id: string) =>
  refuse(`${file.place(path, "value")}: ${id} is the id of another agent, too`, "rename one of them");

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
    .max(MAX_AGENTS, `more than ${MAX_AGENTS} agents`),
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
  readonly prompts: { readonly system: PromptSource; readonly user: PromptSource };
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
export function readEvaluationFile(written: string, place: FileContext): EvaluationConfig {
  const file = readYaml(toAbsolute(written, place), "evaluation configuration");
  const { data, warnings: unknownKeys } = foreignFile(file, EvaluationFile, FORM);
  const warnings = new Set(unknownKeys);
  const read = (path: string | undefined, kind: string): PromptSource => {
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
      const what = `the user prompt ${displayPath(user.path)} does not name ${SOLUTION}`;
      warnings.add(`${what}, so whoever reads it is not shown what to evaluate`);
    }
    return { id, name, model: refOf(agent), timeoutMs: timeout, prompts: { system, user } };
  });
  return { agents, warnings: [...warnings] };
}
