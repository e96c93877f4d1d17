import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { builtInDebate, readDebateFile, withModels, withRoles, type DebateConfig } from "../config/index.ts";
import type { Asked } from "../engine/index.ts";
import { CONTEXT_SEARCH } from "../judging/index.ts";
import { Fault, OrganizationId, type ToolSpec } from "../kernel/index.ts";
import { debate, summaryMethodOf, ToolName, type DebateSettings } from "../protocols/debate/index.ts";
import { createFileTools } from "../tools/index.ts";
import { budgetOf, refuseUnknownPrices, settingsOf, templatesOf } from "./convene.ts";
import { debateSeats, type DebateSeats } from "./debate-seats.ts";
import { findPanel } from "./panel.ts";
import type { Parley } from "./parley.ts";
import { reactionPlan } from "./reaction-plan.ts";

/** A problem, and what of its debate the command line says. */
export type Debating = {
  readonly problem: string;
  /** A configuration file; by default `debate-config.json` of the folder, where there is one. */
  readonly config?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  /** See `withModels`. */
  readonly mapModels?: string | undefined;
  readonly rounds?: number | undefined;
  readonly clarify?: boolean | undefined;
  /** What file tools see. */
  readonly contextFolder?: string | undefined;
  readonly topology?: DebateSettings["topology"] | undefined;
  readonly proposals?: DebateSettings["proposals"] | undefined;
  readonly until?: DebateSettings["termination"]["type"] | undefined;
  /** Whether the notes say who takes part. */
  readonly verbose?: boolean | undefined;
};

/** Where Dialectic looks for its configuration. */
const USUAL_FILE = "debate-config.json";

/** A debate on this problem, as it will be opened, and what its owner should know before it starts. @throws Fault `configuration`, `authentication`, `budget` */
export async function conveneDebate(
  parley: Parley,
  given: Debating,
): Promise<{ asked: Asked; notes: readonly string[] }> {
  const { settings, world } = parley;
  const { config, notes } = await configOf(parley, given);
  for (const { summarization } of [...config.agents, config.judge]) summaryMethodOf(summarization.method);
  const seats = debateSeats(parley, config);
  const folder = given.contextFolder === undefined ? undefined : resolve(parley.cwd, given.contextFolder);
  const tools = await toolsOf(seats, folder);
  const budget = budgetOf(settings);
  const plan = reactionPlan(parley, {
    answering: seats.participants.filter(({ seat }) => seat === "judge").map(({ model }) => model),
  });
  if (budget.usd !== undefined)
    refuseUnknownPrices(parley, [...seats.participants, ...plan.models.map((model) => ({ model }))]);
  const who = given.verbose === true ? whoLines(config, seats) : [];
  return {
    notes: [
      ...notes,
      ...config.warnings,
      ...seats.warnings,
      ...tools.notes,
      ...embeddingNotes(parley, config),
      ...(config.agents.length === 1
        ? ["there is one agent, whom nobody criticises: it proposes, and the judge writes"]
        : []),
      ...who,
      ...plan.notes,
    ],
    asked: {
      question: given.problem,
      context: [],
      protocol: { name: debate.name, version: debate.version },
      settings: settingsOf(debate, debateSettings(parley, config, { given, seats, tools })),
      participants: seats.participants,
      templates: { ...templatesOf([...debate.templates, ...plan.templates], parley), ...seats.templates },
      reactions: plan.settings,
      seed: settings.seed ?? world.id(),
      budget,
      organization: OrganizationId.parse(settings.organization),
    },
  };
}

async function configOf(
  parley: Parley,
  { config: written, roles, mapModels, contextFolder }: Debating,
): Promise<{ config: DebateConfig; notes: readonly string[] }> {
  const usual = existsSync(join(parley.cwd, USUAL_FILE)) ? USUAL_FILE : undefined;
  const file = written ?? usual;
  if (file === undefined) {
    const panel = await findPanel(parley);
    const built = builtInDebate({ models: panel.members, ...(roles ? { roles } : {}) }, parley);
    const [judge] = [...panel.judges, ...(parley.settings.chair.length > 0 ? panel.chairs : [])];
    const judged = judge ? { ...built, judge: { ...built.judge, model: judge } } : built;
    const whole = contextFolder === undefined ? judged : withTools(judged);
    return { config: mapModels === undefined ? whole : withModels(whole, mapModels), notes: panel.notes };
  }
  const read = readDebateFile(file, parley);
  const some = roles ? withRoles(read, roles) : read;
  const notes = written === undefined ? [`The debate is as ${USUAL_FILE} says`] : [];
  return { config: mapModels === undefined ? some : withModels(some, mapModels), notes };
}

/** Agents that nobody configured look into the folder that was named for them, and through the debate. */
const withTools = (config: DebateConfig): DebateConfig => ({
  ...config,
  agents: config.agents.map((agent) => ({ ...agent, tools: ToolName.options })),
});

/** Why passages are compared by words although a way to summarise wants an embedding model. */
function embeddingNotes(parley: Parley, { agents, judge }: DebateConfig): readonly string[] {
  const wanting = [...agents, judge].filter(
    ({ summarization: { enabled, method } }) => enabled && (method === "semantic" || method === "retrieval"),
  );
  const why = wanting.map(({ summarization: { embeddingModel } }) => parley.embeddingProblem(embeddingModel));
  return [...new Set(why)].flatMap((problem) =>
    problem === undefined ? [] : [`${problem}; passages are compared by their words`],
  );
}

type Tools = {
  readonly of: DebateSeats["tools"];
  readonly specs: readonly ToolSpec[];
  readonly folder: string | undefined;
  readonly notes: readonly string[];
};

/** The agents' tools with what they are told of them; file tools only where there is a folder. */
async function toolsOf({ tools }: DebateSeats, folder: string | undefined): Promise<Tools> {
  const files = folder === undefined ? [] : (await createFileTools(folder)).specs;
  const all: readonly ToolSpec[] = [CONTEXT_SEARCH, ...files];
  const there = (name: string) => all.some((spec) => spec.name === name);
  const wanted = new Set<string>(Object.values(tools).flatMap(({ names }) => names));
  const without = [...wanted].filter((name) => !there(name));
  return {
    of: Object.fromEntries(
      Object.entries(tools)
        .map(([id, own]) => [id, { ...own, names: own.names.filter(there) }] as const)
        .filter(([, { names }]) => names.length > 0),
    ),
    specs: all.filter(({ name }) => wanted.has(name)),
    folder,
    notes: [
      ...without.map((name) => `${name} is left out: it sees no folder; name one with --context DIR`),
      ...(folder !== undefined && !files.some(({ name }) => wanted.has(name))
        ? ["--context is not looked at: no agent of the configuration has file_read or list_files"]
        : []),
    ],
  };
}

type Deciding = { readonly given: Debating; readonly seats: DebateSeats; readonly tools: Tools };

function debateSettings(
  { settings }: Parley,
  { debate: rules }: DebateConfig,
  { given, seats, tools }: Deciding,
): Record<string, unknown> {
  const { terminationCondition: until } = rules;
  const type = given.until ?? until.type;
  const { draftTokens, reviewTokens, synthesisTokens, quorum, patienceMs } = settings;
  return {
    rounds: given.rounds ?? rules.rounds,
    termination:
      type === "quality"
        ? { type, ...(until.type === type ? { threshold: until.threshold } : {}) }
        : type === "convergence"
          ? { type, ...(until.type === type ? { similarity: similarityOf(until.threshold) } : {}) }
          : { type },
    proposals: given.proposals ?? rules.proposals,
    topology: given.topology ?? rules.topology,
    clarifications: {
      enabled: given.clarify ?? rules.interactiveClarifications,
      perAgent: rules.clarificationsMaxPerAgent,
      rounds: rules.clarificationsMaxIterations,
    },
    roles: seats.roles,
    promptSources: seats.promptSources,
    summarizationOf: seats.summarizationOf,
    includeFullHistory: rules.includeFullHistory,
    tools: tools.of,
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
    callTimeoutMs: settings.callTimeoutMs ?? phaseOf(rules.timeoutPerRound),
  };
}

/** A file's threshold is in hundredths, whatever it is of; up to 1 it can only be meant as the share itself. */
const similarityOf = (threshold: number): number => (threshold <= 1 ? threshold : threshold / 100);

/** A round's time among its three phases: a call may take as long as its phase. */
const phaseOf = (roundMs: number | undefined): number | undefined =>
  roundMs === undefined ? undefined : Math.max(1, Math.floor(roundMs / 3));

/** Who takes part, and on whose instructions: a line each. */
const whoLines = (config: DebateConfig, { promptSources, summarizationOf }: DebateSeats): readonly string[] =>
  [...config.agents, config.judge].map(({ id, name, role, model, temperature }) => {
    const sources = promptSources[id];
    const told =
      sources?.instructions.source === "file" ? sources.instructions.path : "built-in instructions";
    const summary = summarizationOf[id];
    const reminded = summary?.enabled
      ? `${summary.method} from ${summary.threshold} characters`
      : "whole history";
    return `${name} (${id}): ${role}, ${model}, temperature ${temperature ?? "the provider's"}, ${told}, ${reminded}`;
  });

/** @throws Fault `configuration` for a problem of nothing */
export function problemOf(text: string): string {
  const problem = text.trim();
  if (problem !== "") return problem;
  throw new Fault("configuration", {
    why: "the problem is empty",
    next: 'state one: parley debate "Design a task queue", or -p FILE',
  });
}
