import { dirname } from "node:path";
import * as z from "zod";
import { explainIssue } from "../../../../config/explain.ts";
import { checkedFile } from "../../../../config/named-files.ts";
import { type PromptOrigin, readPrompt } from "../../../../config/input-files.ts";
import { toAbsolute, type FileContext } from "../../../../config/paths.ts";
import { displayPath, refuse } from "../../../../config/text-file.ts";
import { isHarmlessModel } from "../../../../config/project-settings.ts";
import { isOwnPath, requireTrust } from "../../../../config/trust.ts";
import { isMapping, readYaml, refuseSecrets, type YamlFile } from "../../../../config/yaml.ts";
import { ModelRef, ParticipantId } from "../../../../kernel/index.ts";
import { quoteValue } from "../../../../text/words.ts";

/** A file's data, and warnings for its owner. */
export type ForeignReading<T> = { readonly data: T; readonly warnings: readonly string[] };

const MAX_WARNINGS = 20;

/**
 * Reads a file in another program's format: a key that Parley does not know is ignored with a warning, since that program may
 * know it. @throws Fault `configuration` for a secret, and as `checkedFile` does for anything else that is wrong
 */
export function foreignFile<S extends z.ZodType>(
  file: YamlFile,
  schema: S,
  form: string,
): ForeignReading<z.output<S>> {
  refuseSecrets(file);
  const { error } = schema.safeParse(file.value);
  const unknown = (error?.issues ?? []).flatMap((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [],
  );
  const dropped = new Set(unknown.map(({ path, keys }) => JSON.stringify([...path, ...keys])));
  // A place is found by counting lines, which takes time.
  const warnings = unknown.slice(0, MAX_WARNINGS).map((issue) => {
    const { path, next } = explainIssue(schema, new z.ZodError([issue]));
    return `${file.place(path, "key")}: unknown key ${quoteValue(path.at(-1))} is ignored; ${next ?? ""}`;
  });
  const more = unknown.length - warnings.length;
  return {
    data: checkedFile({ ...file, value: withoutKeys(file.value, dropped) }, schema, form),
    warnings: more > 0 ? [...warnings, `${displayPath(file.path)}: ${more} more keys are ignored`] : warnings,
  };
}

/** A copy of the value without the keys at these paths, each as JSON. */
function withoutKeys(
  value: unknown,
  paths: ReadonlySet<string>,
  path: readonly (string | number)[] = [],
): unknown {
  if (Array.isArray(value)) return value.map((one, index) => withoutKeys(one, paths, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      const here = [...path, key];
      return paths.has(JSON.stringify(here)) ? [] : [[key, withoutKeys(one, paths, here)]];
    }),
  );
}

const PROMPT_PATH = /^(system|user|summary|clarification)?promptPath$/i;
/** As many rounds as a debate has that says nothing. */
const USUAL_ROUNDS = 3;

/**
 * Requires trust in a configuration whose prompts lie outside of its folder, links followed. Of one that was found, and that
 * nobody named, it is also required in its models, tools and more rounds than usual.
 * @throws Fault `untrusted`
 */
export function requireTrustInAgents(
  file: YamlFile,
  place: FileContext,
  { isFound }: { readonly isFound: boolean },
): void {
  const { agents, judge, debate } = isMapping(file.value) ? file.value : {};
  const entries = [agents, judge].flat().filter(isMapping);
  const named = entries.flatMap(({ enabled, provider = "openai", model, tools }) => {
    if (enabled === false) return [];
    const ref = `${String(provider)}/${String(model)}`;
    const names = [tools]
      .flat()
      .flatMap((tool) => (isMapping(tool) ? [`tool: ${String(tool["name"])}`] : []));
    return [...(model === undefined || isHarmlessModel(ref) ? [] : [`model: ${ref}`]), ...names];
  });
  const { rounds } = isMapping(debate) ? debate : {};
  const more = typeof rounds === "number" && rounds > USUAL_ROUNDS ? [`rounds: ${rounds}`] : [];
  const claims = [...foreignPrompts(file.value, { folder: dirname(file.path), env: place.env })];
  requireTrust(file, [...new Set([...claims, ...(isFound ? [...named, ...more] : [])])], place);
}

/** The prompt files that a configuration names, as it names them, which are not of its own folder. */
function foreignPrompts(
  value: unknown,
  own: { readonly folder: string; readonly env: FileContext["env"] },
): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === "string"
      ? PROMPT_PATH.test(key) && !isOwnPath(inner.trim(), own.folder, own.env)
        ? [`${key}: ${inner}`]
        : []
      : foreignPrompts(inner, own),
  );
}

/** One line of text; lengths are UTF-16 units. */
export const line = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength, `more than ${maxLength} characters`)
    .regex(/^\P{Cc}*$/u, "more than one line, or control characters");

/** Names of a phase's own steps, which an agent's id must not have. */
const RESERVED: ReadonlySet<string> = new Set(["roster", "admitted"]);

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

/** Agents have one letter as their label. */
export const MAX_AGENTS = 26;

/** The reference to a provider's model: `openrouter`, `anthropic/claude-sonnet-4.5` → `openrouter/anthropic/claude-sonnet-4.5`. */
export const refOf = ({ provider, model }: { readonly provider: string; readonly model: string }): ModelRef =>
  ModelRef.parse(`${provider}/${model}`);

/** Why nobody takes part, and what to do; undefined where somebody does. */
export function explainNoAgents(
  agents: readonly { readonly enabled: boolean }[],
): { readonly why: string; readonly next: string } | undefined {
  if (agents.length === 0)
    return {
      why: "there are no agents",
      next: "list at least one, with an id, a name, a model and its provider",
    };
  return agents.some(({ enabled }) => enabled)
    ? undefined
    : { why: "no agent is enabled", next: "set enabled: true for at least one" };
}

/** The agents that take part. @throws Fault `configuration` where two have one id */
export function enabledAgents<A extends { readonly id: string; readonly enabled: boolean }>(
  file: YamlFile,
  agents: readonly A[],
): readonly A[] {
  const enabled = agents.filter((agent) => agent.enabled);
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
  readonly prompts: { readonly system: PromptOrigin; readonly user: PromptOrigin };
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
  requireTrustInAgents(file, place, { isFound: false });
  const warnings = new Set(unknownKeys);
  const read = (path: string | undefined, kind: string): PromptOrigin => {
    const here = { cwd: dirname(file.path), env: place.env };
    const reading = readPrompt(path === undefined ? [] : [path], { kind, place: here });
    for (const warning of reading.warnings) warnings.add(warning);
    return reading.prompt;
  };
  const nobody = explainNoAgents(data.agents);
  if (nobody) throw refuse(`${file.place(["agents"], "key")}: ${nobody.why}`, nobody.next);
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
