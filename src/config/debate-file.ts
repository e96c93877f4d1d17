import { dirname } from "node:path";
import * as z from "zod";
import type { ModelRef, ParticipantId } from "../kernel/index.ts";
import { agentFields, enabledAgents, line, MOST_AGENTS, refOf, refuseTwice } from "./agent-entry.ts";
import { foreignFile } from "./foreign-file.ts";
import { absolute, type Place } from "./paths.ts";
import { roleName } from "./roles.ts";
import { readYaml, type YamlFile } from "./yaml.ts";

// The form of Dialectic's configuration files (version 0.7), and what Parley adds to it: `topology`, `proposals`, and
// `semanticThreshold`, `embeddingModel` and `scope` of a summarization.

const count = z.int().positive();
const path = line(1_000);

const summarization = {
  enabled: z.boolean(),
  /** From so many characters (UTF-16 units) on. */
  threshold: count,
  /** In characters. */
  maxLength: count,
  /** Which methods there are is for the debate to say. */
  method: line(60),
  /** Cosine, 0 to 1. */
  semanticThreshold: z.number().min(0).max(1),
  embeddingModel: line(300),
  scope: z.enum(["own", "all"]),
};

/** What a file says of it, for everybody or for one agent. */
const WrittenSummarization = z.strictObject({ ...summarization, promptPath: path }).partial();

/** What holds for one agent, when everything is said. */
export const Summarization = z.strictObject({
  enabled: summarization.enabled.default(true),
  threshold: summarization.threshold.default(5_000),
  maxLength: summarization.maxLength.default(2_500),
  method: summarization.method.default("length-based"),
  semanticThreshold: summarization.semanticThreshold.default(0.8),
  embeddingModel: summarization.embeddingModel.optional(),
  scope: summarization.scope.default("own"),
});
export type Summarization = z.infer<typeof Summarization>;

/** 0 to 2; null leaves it to the provider. */
const temperature = z.number().min(0).max(2).nullable();
export const AGENT_TEMPERATURE = 0.5;

const agentKeys = {
  ...agentFields,
  role: line(50).transform(roleName),
  systemPromptPath: path.optional(),
  summaryPromptPath: path.optional(),
  clarificationPromptPath: path.optional(),
  summarization: WrittenSummarization.default({}),
  tools: z
    .array(z.strictObject({ name: line(60) }))
    .max(20, "more than 20 tools")
    .default([]),
  /** Calls of tools for one reply. */
  toolCallLimit: count.max(100, "more than 100").optional(),
};

const Agent = z.strictObject({ ...agentKeys, temperature: temperature.default(AGENT_TEMPERATURE) });

/** The judge of those who name none; also what a judge is that a file says less of. */
export const BUILT_IN_JUDGE = {
  id: "judge-main",
  name: "Technical Judge",
  role: "generalist",
  temperature: 0.3,
} as const;

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
  agents: z.array(Agent).max(MOST_AGENTS, `more than ${MOST_AGENTS} agents`),
  judge: Judge.optional(),
  debate: WrittenRules.prefault({}),
});

/** Files to look for a text in, the preferred first, as they are written; none: the built-in text. */
export type PromptPaths = {
  readonly instructions: readonly string[];
  readonly clarification: readonly string[];
  readonly summary: readonly string[];
};

/** An agent or the judge, before its role is looked up. */
export type DebateAgent = {
  readonly id: ParticipantId;
  readonly name: string;
  readonly role: string;
  readonly model: ModelRef;
  /** 0 to 2; null leaves it to the provider. */
  readonly temperature: number | null;
  /** The agent's own over the debate's over what is usual, field by field. */
  readonly summarization: Summarization;
  readonly promptPaths: PromptPaths;
  /** By name, each once; which there are is for the debate to say. */
  readonly tools: readonly string[];
  readonly toolCallLimit: number | undefined;
};

export type DebateConfig = {
  /** Where relative paths of prompts count from. */
  readonly folder: string;
  readonly agents: readonly DebateAgent[];
  readonly judge: DebateAgent;
  readonly debate: DebateRules;
  readonly warnings: readonly string[];
};

const FORM =
  "a debate has agents, each with an id, a name, a role, a model and its provider, and may have a judge and debate";

/**
 * A debate's configuration, in JSON or YAML. Agents that are not enabled are left out; without a judge the built-in one
 * judges.
 * @throws Fault `configuration` for a file that cannot be read, a value that is not valid, no agents, or an id that two have
 */
export function readDebateFile(written: string, place: Place): DebateConfig {
  const file = readYaml(absolute(written, place), "debate configuration");
  const { data, warnings } = foreignFile(file, DebateFile, FORM);
  const { summarization: common, synthesisMethod: _, orchestratorType, trace, ...debate } = data.debate;
  const agents = enabledAgents(file, data.agents).map((agent) =>
    debateAgent({ ...agent, model: refOf(agent) }, common),
  );
  const [first] = agents;
  if (!first) throw new RangeError("enabledAgents returned none");
  const { judge, notes } = judgeOf({ file, judge: data.judge, common, first });
  if (agents.some(({ id }) => id === judge.id)) throw refuseTwice(file, ["judge", "id"], judge.id);
  const idle = Object.entries({ orchestratorType, trace }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${file.place(["debate", key], "key")}: ${key} has no effect here`],
  );
  return {
    folder: dirname(file.path),
    agents,
    judge,
    debate,
    warnings: [...warnings, ...notes, ...idle],
  };
}

type WrittenAgent = Omit<z.infer<typeof Agent>, "model" | "provider" | "enabled">;
type Common = z.infer<typeof WrittenSummarization>;

function judgeOf({
  file,
  judge,
  common,
  first,
}: {
  readonly file: YamlFile;
  readonly judge: z.infer<typeof Judge> | undefined;
  readonly common: Common;
  readonly first: DebateAgent;
}): { readonly judge: DebateAgent; readonly notes: readonly string[] } {
  if (judge?.enabled === true) {
    const { model, provider } = judge;
    const ref = model === undefined || provider === undefined ? first.model : refOf({ model, provider });
    return { judge: debateAgent({ ...judge, model: ref }, common), notes: [] };
  }
  const built = debateAgent({ ...Judge.parse({}), model: first.model }, common);
  const what = judge ? "the judge is not enabled" : "there is no judge";
  const note = `${file.place(["judge"], "key")}: ${what}; a generalist judges, with the model ${first.model}`;
  return { judge: built, notes: [note] };
}

/** One who takes part, as the file and the debate's own summarization say it. */
function debateAgent(
  { id, name, role, model, temperature: degrees, ...own }: WrittenAgent & { readonly model: ModelRef },
  common: Common,
): DebateAgent {
  const { promptPath: ownPath, ...ownSummarization } = own.summarization;
  const { promptPath: commonPath, ...commonSummarization } = common;
  return {
    id,
    name,
    role,
    model,
    temperature: degrees,
    summarization: Summarization.parse({ ...commonSummarization, ...ownSummarization }),
    promptPaths: {
      instructions: given(own.systemPromptPath),
      clarification: given(own.clarificationPromptPath),
      summary: given(own.summaryPromptPath, ownPath, commonPath),
    },
    tools: [...new Set(own.tools.map((tool) => tool.name))],
    toolCallLimit: own.toolCallLimit,
  };
}

const given = (...paths: readonly (string | undefined)[]): readonly string[] =>
  paths.filter((one) => one !== undefined);
