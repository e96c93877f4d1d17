import { ParticipantId, type ModelRef, type ToolSpec, refusal } from "../../../../kernel/index.ts";
import { CONTEXT_SEARCH } from "../../../../text/context-search.ts";
import type { Note, OpeningContext, OpeningPart } from "../../../../engine/opening-part.ts";
import {
  AGENT_TEMPERATURE,
  BUILT_IN_JUDGE,
  BUILT_IN_PROMPTS,
  debateSeats,
  withModels,
  type AgentConfig,
  type DebateConfig,
  type DebateSeats,
  type WrittenDebate,
} from "./seats.ts";
import { uniqueSpecs } from "../../../../protocols/phases/tools.ts";
import type { RoundRequest } from "../../../../contract/rounds.ts";
import { DEBATE_TOOLS, Summarization } from "./settings.ts";
import {
  findSummaryMethod,
  summaryMethods,
  type SummaryMethod,
} from "../../../../protocols/phases/summaries/index.ts";

export type DebateRequest = Omit<RoundRequest, "config"> & {
  /** Who takes part and under which rules; by default an agent to each role, with the panel's models dealt out to them. */
  readonly config?: DebateConfig | WrittenDebate | undefined;
};

/** The roles of a debate for which none are named. */
const DEFAULT_ROLES: readonly string[] = ["architect", "performance", "kiss"];

/** Seats the agents and the judge. @throws Fault `configuration`, `authentication` */
export async function openDebate(
  request: DebateRequest,
  context: OpeningContext,
  methods: readonly SummaryMethod[] = summaryMethods,
): Promise<OpeningPart> {
  const { config: bare, notes } = request.config
    ? await completeDebate(request.config, request, context)
    : await builtInDebate(request, context);
  const unmapped = withSharedTools(bare, context);
  const config = request.mapModels === undefined ? unmapped : withModels(unmapped, request.mapModels);
  const everybody = [...config.agents, config.judge];
  for (const { summarization } of everybody) findSummaryMethod(summarization.method, methods);
  const wanted = config.agents.flatMap((agent) => agent.tools.filter((name) => !DEBATE_TOOLS.includes(name)));
  const named = wanted.length === 0 ? undefined : await context.namedTools([...new Set(wanted)]);
  const seats = await debateSeats(context, config, named);
  const tools = chooseTools(seats, context.fileTools, [...(named?.specs.values() ?? [])].flat());
  return {
    settings: settings(request, context, { config, seats, tools }),
    participants: seats.participants,
    templates: seats.templates,
    answering: seats.participants.filter(({ seat }) => seat === "judge").map(({ model }) => model),
    notes: [
      ...notes,
      ...[...config.warnings, ...seats.warnings].map((text): Note => ({ code: "warning", text })),
      ...tools.notes,
      ...(await embeddingNotes(context, everybody)),
      ...(config.agents.length === 1 ? [{ code: "single-agent" } as const] : []),
      ...(request.verbose === true ? everybody.map(participantNote) : []),
    ],
  };
}

/** The same debate with what settings allow to everybody. */
const withSharedTools = (config: DebateConfig, { searchTools, settings }: OpeningContext): DebateConfig => ({
  ...config,
  agents: config.agents.map((agent) => ({
    ...agent,
    tools: [...new Set([...agent.tools, ...settings.tools, ...searchTools(agent.model)])],
    toolCallLimit: agent.toolCallLimit ?? settings.toolCallLimit,
  })),
});

/** The same debate with the built-in agents where it has none, and the built-in judge where it has none. */
export async function completeDebate(
  config: DebateConfig | WrittenDebate,
  request: Pick<DebateRequest, "agents">,
  context: OpeningContext,
): Promise<{ readonly config: DebateConfig; readonly notes: readonly Note[] }> {
  const { judge } = config;
  if (config.agents.length > 0 && judge) return { config: { ...config, judge }, notes: [] };
  const { config: builtIn, notes } = await builtInDebate(request, context);
  const common = "common" in config ? config.common : {};
  const agents =
    config.agents.length > 0 ? config.agents : builtIn.agents.map((agent) => ({ ...agent, ...common }));
  return { config: { ...config, agents, judge: judge ?? { ...builtIn.judge, ...common } }, notes };
}

/** An agent to each role; a role that is named twice is two agents. The first agent's model judges where none is configured. */
export async function builtInDebate(
  { agents: roles = DEFAULT_ROLES }: Pick<DebateRequest, "agents">,
  context: OpeningContext,
): Promise<{ readonly config: DebateConfig; readonly notes: readonly Note[] }> {
  const panel = await context.panel();
  const turns = new Map<string, number>();
  const shared = context.fileTools ? DEBATE_TOOLS : [];
  const agents = roles.map((role, index): AgentConfig => {
    const { id, name, model, temperature, tools = [] } = context.role(role);
    const turn = (turns.get(id) ?? 0) + 1;
    turns.set(id, turn);
    return {
      ...agentDefaults(model ?? dealModel(panel.members, index)),
      id: ParticipantId.parse(turn === 1 ? `agent-${id}` : `agent-${id}-${turn}`),
      name: turn === 1 ? name : `${name} ${turn}`,
      role: id,
      temperature: temperature ?? AGENT_TEMPERATURE,
      tools: [...shared, ...tools],
    };
  });
  const [first] = agents;
  if (!first) {
    const next = `name at least one role, such as ${DEFAULT_ROLES.join(", ")}`;
    throw refusal("there are no agents", next);
  }
  const { id, ...judge } = BUILT_IN_JUDGE;
  const chairs = context.settings.chair.length > 0 ? panel.chairs : [];
  const model = panel.synthesizers[0] ?? chairs[0] ?? first.model;
  return {
    config: {
      agents,
      judge: { ...agentDefaults(model), ...judge, id: ParticipantId.parse(id) },
      rules: {},
      warnings: [],
    },
    notes: panel.notes,
  };
}

const agentDefaults = (model: ModelRef) => ({
  model,
  summarization: Summarization.parse({}),
  prompts: BUILT_IN_PROMPTS,
  tools: [],
  toolCallLimit: undefined,
});

function dealModel(models: readonly ModelRef[], index: number): ModelRef {
  const model = models[index % models.length];
  if (model !== undefined) return model;
  throw refusal(
    "there is no model for the agents",
    "name one as provider/model, for example openai/gpt-6.1-terra",
  );
}

/** Why passages are compared by their words although a way to summarize wants an embedding model. */
async function embeddingNotes(
  context: OpeningContext,
  everybody: readonly AgentConfig[],
): Promise<readonly Note[]> {
  const wanting = everybody.filter(
    ({ summarization: { enabled, method } }) => enabled && (method === "semantic" || method === "retrieval"),
  );
  const problems = await Promise.all(
    wanting.map(({ summarization }) => context.embeddingProblem(summarization.embeddingModel)),
  );
  return [...new Set(problems)].flatMap((reason) =>
    reason === undefined ? [] : [{ code: "embedding-unavailable", reason } as const],
  );
}

/** The agents' tools with what they are told of them; file tools only where a folder was handed over. */
function chooseTools(
  { tools }: DebateSeats,
  fileTools: OpeningContext["fileTools"],
  named: readonly ToolSpec[],
) {
  const files = fileTools?.specs ?? [];
  const all: readonly ToolSpec[] = uniqueSpecs([CONTEXT_SEARCH, ...files, ...named]);
  const exists = (name: string) => all.some((spec) => spec.name === name);
  const wanted = new Set<string>(Object.values(tools).flatMap(({ names }) => names));
  const missing = [...wanted].filter((name) => !exists(name));
  const unused = fileTools !== null && !files.some(({ name }) => wanted.has(name));
  return {
    byAgent: Object.fromEntries(
      Object.entries(tools)
        .map(([id, own]) => [id, { ...own, names: own.names.filter(exists) }] as const)
        .filter(([, { names }]) => names.length > 0),
    ),
    specs: all.filter(({ name }) => wanted.has(name)),
    folder: fileTools?.folder,
    notes: [
      ...missing.map((tool): Note => ({ code: "tool-without-folder", tool })),
      ...(unused ? [{ code: "folder-unused" } as const] : []),
    ],
  };
}

type ChosenParts = {
  readonly config: DebateConfig;
  readonly seats: DebateSeats;
  readonly tools: ReturnType<typeof chooseTools>;
};

function settings(
  request: DebateRequest,
  { settings: shared }: OpeningContext,
  { config: { rules }, seats, tools }: ChosenParts,
): OpeningPart["settings"] {
  const { draftTokens, reviewTokens, synthesisTokens, quorum, patienceMs, callTimeoutMs } = shared;
  const { until, clarify, rounds, proposals, topology } = request;
  return {
    ...rules,
    critiquesForJudge: rules.includeFullHistory ?? true,
    endsEarly: true,
    ...definedOnly({ rounds, proposals, topology, callTimeoutMs }),
    ...(until === undefined || rules.termination?.type === until ? {} : { termination: { type: until } }),
    ...(clarify === undefined ? {} : { clarifications: { ...rules.clarifications, enabled: clarify } }),
    roles: seats.roles,
    promptSources: seats.promptSources,
    summarizationOf: seats.summarizationOf,
    tools: tools.byAgent,
    toolSpecs: tools.specs,
    contextFolder: tools.folder,
    maxOutputTokens: {
      proposal: draftTokens,
      refinement: draftTokens,
      critique: reviewTokens,
      synthesis: synthesisTokens,
    },
    quorum,
    patienceMs,
  };
}

const definedOnly = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

function participantNote({ id, name, role, model, temperature, ...one }: AgentConfig): Note {
  const { instructions } = one.prompts;
  const { enabled, method, threshold } = one.summarization;
  return {
    code: "participant",
    name,
    id,
    role,
    model,
    temperature,
    instructions: instructions.source === "file" ? instructions.path : null,
    summary: enabled ? { method, threshold } : null,
  };
}
