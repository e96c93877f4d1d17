import { existsSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { readPrompt } from "../../../../config/input-files.ts";
import { toAbsolute, type FileContext } from "../../../../config/paths.ts";
import { refuse } from "../../../../config/text-file.ts";
import { quoteValue as shown, findNearest } from "../../../../text/words.ts";
import { loadRoles, roleName } from "../../../../config/personas.ts";
import { readYaml } from "../../../../config/yaml.ts";
import type { ModelRef } from "../../../../kernel/index.ts";
import {
  AGENT_TEMPERATURE,
  type AgentConfig,
  BUILT_IN_JUDGE,
  type PromptText,
  type WrittenDebate,
} from "../../protocol/debate/seats.ts";
import { Summarization } from "../../protocol/debate/settings.ts";
import {
  agentFields,
  enabledAgents,
  explainNoAgents,
  foreignFile,
  line,
  MAX_AGENTS,
  refOf,
  refuseTwice,
  requireTrustInAgents,
} from "./agent-file.ts";

// The format of Dialectic's configuration files (version 0.7). Parley adds `topology`, `proposals`, and a summarization's
// `semanticThreshold`, `embeddingModel` and `scope`.

const count = z.int().positive();
const path = line(1_000);

/** Where Dialectic looks for its configuration. */
export const DEBATE_CONFIG = "debate-config.json";

/** For all agents, or for one; lengths are in UTF-16 units. */
const WrittenSummarization = z
  .strictObject({
    enabled: z.boolean(),
    threshold: count,
    maxLength: count,
    method: line(60),
    /** Cosine, 0 to 1. */
    semanticThreshold: z.number().min(0).max(1),
    embeddingModel: line(300),
    scope: z.enum(["own", "all"]),
    promptPath: path,
  })
  .partial();

/** 0 to 2; null is the provider's default. */
const temperature = z.number().min(0).max(2).nullable();

const agentKeys = {
  ...agentFields,
  role: line(50).transform(roleName),
  systemPromptPath: path.optional(),
  summaryPromptPath: path.optional(),
  clarificationPromptPath: path.optional(),
  summarization: WrittenSummarization.default({}),
  tools: z
    .array(z.strictObject({ name: line(200) }))
    .max(20, "more than 20 tools")
    .default([]),
  /** Calls of tools for one reply. */
  toolCallLimit: count.max(100, "more than 100").optional(),
};

const Agent = z.strictObject({ ...agentKeys, temperature: temperature.default(AGENT_TEMPERATURE) });

const Judge = z
  .strictObject({
    ...agentKeys,
    id: agentKeys.id.prefault(BUILT_IN_JUDGE.id),
    name: agentKeys.name.default(BUILT_IN_JUDGE.name),
    role: agentKeys.role.default(BUILT_IN_JUDGE.role),
    /** By default the first agent's. */
    model: agentKeys.model.optional(),
    provider: agentKeys.provider.optional(),
    temperature: temperature.default(BUILT_IN_JUDGE.temperature),
  })
  .refine(({ model, provider }) => (model === undefined) === (provider === undefined), {
    error: "a model and its provider are given together, or neither",
    path: ["model"],
  });

/** How a debate goes. */
export const DebateRules = z.strictObject({
  /** At most. */
  rounds: count.max(20, "more than 20 rounds").default(3),
  terminationCondition: z
    .strictObject({
      type: z.enum(["fixed", "convergence", "quality"]),
      /** 0 to 100. */
      threshold: z.number().min(0).max(100).default(90),
    })
    .default({ type: "fixed", threshold: 90 }),
  includeFullHistory: z.boolean().default(true),
  /** Milliseconds. */
  timeoutPerRound: count.optional(),
  interactiveClarifications: z.boolean().default(false),
  /** Questions of one agent in one iteration. */
  clarificationsMaxPerAgent: count.max(20, "more than 20").default(5),
  clarificationsMaxIterations: count.max(10, "more than 10").default(3),
  topology: z.enum(["full", "ring", "star"]).default("full"),
  /** From round 2 on: an agent's refinement of the round before stands as its proposal, or it is asked anew. */
  proposals: z.enum(["carried", "fresh"]).default("carried"),
});
export type DebateRules = z.infer<typeof DebateRules>;

const WrittenRules = DebateRules.extend({
  summarization: WrittenSummarization.default({}),
  synthesisMethod: z.literal("judge", "only judge exists, and the judge writes the synthesis").optional(),
  /** What these two choose between in another program has no counterpart here. */
  orchestratorType: z.unknown().optional(),
  trace: z.unknown().optional(),
});

const DebateFile = z.strictObject({
  agents: z
    .array(Agent)
    .max(MAX_AGENTS, `more than ${MAX_AGENTS} agents`)
    .nullish()
    .transform((written) => written ?? []),
  judge: Judge.optional(),
  debate: WrittenRules.prefault({}),
});

/** Files to look for a text in, the preferred first, as they are written; none: the built-in text. */
export type PromptPaths = {
  readonly instructions: readonly string[];
  readonly clarification: readonly string[];
  readonly summary: readonly string[];
};

/** An agent or the judge as a file has it: its prompts are still names of files. */
export type AgentEntry = Omit<AgentConfig, "prompts"> & { readonly promptPaths: PromptPaths };

/** A debate's file, read and checked. */
export type DebateFileConfig = {
  /** Where relative paths of prompts count from. */
  readonly folder: string;
  readonly agents: readonly AgentEntry[];
  /** Undefined where it has no model of its own, and there is no agent whose model it could take. */
  readonly judge: AgentEntry | undefined;
  /** What the built-in agents and judge take over where the file has none. */
  readonly common: Pick<AgentEntry, "summarization" | "promptPaths">;
  readonly debate: DebateRules;
  readonly warnings: readonly string[];
};

const FORM =
  "a debate has agents, each with an id, a name, a role, a model and its provider, and may have a judge and debate";

/**
 * A debate's configuration, in JSON or YAML. Agents that are not enabled are left out; without a judge the built-in one
 * judges, without agents the built-in ones debate, and an unknown role is the architect's (of the judge, the generalist's):
 * each with a warning, as in Dialectic. `isFound` where nobody named the file: it was in the folder.
 * @throws Fault `configuration` for a file that cannot be read, a value that is not valid, or an id that two have
 */
export function readDebateFile(
  written: string,
  place: FileContext,
  { isFound = false }: { readonly isFound?: boolean } = {},
): DebateFileConfig {
  const file = readYaml(toAbsolute(written, place), "debate configuration");
  const { data, warnings } = foreignFile(file, DebateFile, FORM);
  requireTrustInAgents(file, place, { isFound });
  const { summarization: common, synthesisMethod: _, orchestratorType, trace, ...debate } = data.debate;
  const notes: string[] = [];
  const roles = loadRoles(place);
  const knownRole = (role: string, fallback: string, at: readonly PropertyKey[]): string => {
    if (roles.has(role)) return role;
    const nearest = findNearest(role, [...roles.keys()]);
    const what = `there is no role ${shown(role)}, and ${fallback} stands in for it`;
    notes.push(`${file.place([...at, "role"], "value")}: ${what}; the nearest is ${nearest}`);
    return fallback;
  };
  const withRoles = data.agents.map((agent, index) =>
    agent.enabled ? { ...agent, role: knownRole(agent.role, "architect", ["agents", index]) } : agent,
  );
  const agents = enabledAgents(file, withRoles).map((agent) =>
    debateAgent({ ...agent, model: refOf(agent) }, common),
  );
  const nobody = explainNoAgents(data.agents);
  if (nobody) notes.push(`${file.place(["agents"], "key")}: ${nobody.why}; the built-in agents debate`);
  const judged = data.judge?.enabled === true ? data.judge : Judge.parse({});
  const { model, provider } = judged;
  const ref = model === undefined || provider === undefined ? agents[0]?.model : refOf({ model, provider });
  const role = judged === data.judge ? knownRole(judged.role, BUILT_IN_JUDGE.role, ["judge"]) : judged.role;
  const judge = ref === undefined ? undefined : debateAgent({ ...judged, role, model: ref }, common);
  if (judged !== data.judge || judge === undefined) {
    const off = data.judge?.enabled === true ? "the judge has no model" : "the judge is not enabled";
    const who = ref === undefined ? "" : `, with the model ${ref}`;
    notes.push(
      `${file.place(["judge"], "key")}: ${data.judge ? off : "there is no judge"}; a generalist judges${who}`,
    );
  }
  if (judge && agents.some(({ id }) => id === judge.id)) throw refuseTwice(file, ["judge", "id"], judge.id);
  const idle = Object.entries({ orchestratorType, trace }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${file.place(["debate", key], "key")}: ${key} has no effect here`],
  );
  return {
    folder: dirname(file.path),
    agents,
    judge,
    common: commonParts(common),
    debate,
    warnings: [...warnings, ...notes, ...idle],
  };
}
type Common = z.infer<typeof WrittenSummarization>;

/** What the debate's own summarization says to everybody. */
function commonParts({ promptPath, ...written }: Common): DebateFileConfig["common"] {
  const summary = promptPath === undefined ? [] : [promptPath];
  return {
    summarization: Summarization.parse(written),
    promptPaths: { instructions: [], clarification: [], summary },
  };
}

/** An agent or the judge, with what the debate's own summarization adds. */
function debateAgent(
  {
    systemPromptPath,
    summaryPromptPath,
    clarificationPromptPath,
    summarization,
    tools,
    toolCallLimit,
    ...agent
  }: Omit<z.infer<typeof Agent>, "model" | "provider" | "enabled"> & { readonly model: ModelRef },
  common: Common,
): AgentEntry {
  const { promptPath, ...merged } = { ...common, ...summarization };
  const paths = (...written: readonly (string | undefined)[]) => written.filter((one) => one !== undefined);
  return {
    id: agent.id,
    name: agent.name,
    role: agent.role,
    model: agent.model,
    temperature: agent.temperature,
    summarization: Summarization.parse(merged),
    promptPaths: {
      instructions: paths(systemPromptPath),
      clarification: paths(clarificationPromptPath),
      summary: paths(summaryPromptPath, summarization.promptPath, common.promptPath),
    },
    tools: [...new Set(tools.map((tool) => tool.name))],
    toolCallLimit,
  };
}

/** A debate's file as the protocol takes it: with the texts of its prompt files, and its rules in the protocol's words. */
export function debateConfig(
  { folder, agents, judge, common, debate, warnings }: DebateFileConfig,
  { env }: Pick<FileContext, "env">,
): WrittenDebate {
  const said = new Set<string>(); // each once, since many may name one file
  const read = (paths: readonly string[], kind: string): PromptText => {
    const reading = readPrompt(paths, { kind, place: { cwd: folder, env } });
    for (const warning of reading.warnings) said.add(warning);
    return reading.prompt;
  };
  const withTexts = <A extends DebateFileConfig["common"]>({ promptPaths, ...agent }: A) => ({
    ...agent,
    prompts: {
      instructions: read(promptPaths.instructions, "system prompt"),
      clarification: read(promptPaths.clarification, "clarification prompt"),
      summary: read(promptPaths.summary, "summary prompt"),
    },
  });
  return {
    agents: agents.map(withTexts),
    judge: judge && withTexts(judge),
    common: withTexts(common),
    rules: rulesIn(debate),
    warnings: [...warnings, ...said],
  };
}

function rulesIn(rules: DebateRules): WrittenDebate["rules"] {
  const { type, threshold } = rules.terminationCondition;
  const phaseMs = phaseTimeout(rules.timeoutPerRound);
  return {
    rounds: rules.rounds,
    termination:
      type === "quality"
        ? { type, threshold }
        : type === "convergence"
          ? { type, similarity: shareOf(threshold) }
          : { type },
    proposals: rules.proposals,
    topology: rules.topology,
    clarifications: {
      enabled: rules.interactiveClarifications,
      perAgent: rules.clarificationsMaxPerAgent,
      rounds: rules.clarificationsMaxIterations,
    },
    includeFullHistory: rules.includeFullHistory,
    ...(phaseMs === undefined ? {} : { callTimeoutMs: phaseMs }),
  };
}

/** A file's threshold is in hundredths, whatever it is of; up to 1 it can only be meant as the share itself. */
const shareOf = (threshold: number): number => (threshold <= 1 ? threshold : threshold / 100);

/** A round's time among its three phases: a call may take as long as its phase. */
const phaseTimeout = (roundMs: number | undefined): number | undefined =>
  roundMs === undefined ? undefined : Math.max(1, Math.floor(roundMs / 3));

/**
 * The same debate with only the agents of these roles, in the file's order.
 * @throws Fault `configuration` for a role that no agent has, or none at all
 */
export function withRoles<C extends { readonly agents: readonly { readonly role: string }[] }>(
  config: C,
  roles: readonly string[],
): C {
  const wanted = new Set(roles.map(roleName));
  const there = [...new Set(config.agents.map(({ role }) => role))];
  const next = `there are agents of the roles ${there.join(", ")}`;
  const missing = [...wanted].find((role) => !there.includes(role));
  if (missing !== undefined)
    throw refuse(
      `no agent has the role ${shown(missing)}`,
      `the nearest is ${findNearest(missing, there)}; ${next}`,
    );
  if (wanted.size === 0) throw refuse("no role is named", next);
  return { ...config, agents: config.agents.filter(({ role }) => wanted.has(role)) };
}

/** Reads what the usual configuration of a folder names that takes effect only where it is trusted, or `file`. */
export function readTrusted(reading: FileContext, file?: string): void {
  if (file !== undefined)
    return requireTrustInAgents(readYaml(file, "configuration"), reading, { isFound: true });
  const usual = toAbsolute(DEBATE_CONFIG, reading);
  if (existsSync(usual)) readDebateFile(usual, reading, { isFound: true });
}
