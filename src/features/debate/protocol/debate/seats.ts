import type * as z from "zod";
import type { NamedTools, OpeningContext, SeatedParticipant } from "../../../../engine/opening-part.ts";
import { askedBy, Fault, ModelRef, type ParticipantId } from "../../../../kernel/index.ts";
import { findNearest, quoteValue, toOneLine } from "../../../../text/words.ts";
import { DEBATE_TOOLS, type DebateSettings, type Summarization } from "./settings.ts";

/** A text of an agent's own and its source, or the one that Parley ships. */
export type PromptText =
  { readonly source: "built-in" } | { readonly source: "file"; readonly path: string; readonly text: string };

/** `instructions` and `summary` take the place of the built-in texts; `clarification` is added to the built-in one. */
export type AgentPrompts = { readonly [K in "instructions" | "clarification" | "summary"]: PromptText };

/** An agent or the judge, before its role is looked up. */
export type AgentConfig = {
  readonly id: ParticipantId;
  readonly name: string;
  readonly role: string;
  readonly model: ModelRef;
  /** From 0 to 2; null is the provider's default. */
  readonly temperature: number | null;
  readonly summarization: Summarization;
  readonly prompts: AgentPrompts;
  /** Names, each once; an unknown one gets a warning. */
  readonly tools: readonly string[];
  readonly toolCallLimit: number | undefined;
};

/** A configured debate: its participants, and what differs from the protocol's defaults. */
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
  /** In words, the parts of the configuration that could not be used. */
  readonly warnings: readonly string[];
};

/** A debate as a file has it, which may lack agents or a judge. */
export type WrittenDebate = Omit<DebateConfig, "judge"> & {
  readonly judge: AgentConfig | undefined;
  /** What built-in agents and a built-in judge take over from it. */
  readonly common: Pick<AgentConfig, "summarization" | "prompts">;
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

/** The part of a debate's opening that its participants make up. */
export type DebateSeats = {
  /** The agents in the configuration's order, then the judge. */
  readonly participants: readonly SeatedParticipant[];
  /** By participant. */
  readonly roles: Readonly<Record<string, string>>;
  /** The participants' own texts, to be pinned as templates: `summary-prompt/<id>`, `clarification/<id>`. */
  readonly templates: Readonly<Record<string, string>>;
  readonly promptSources: DebateSettings["promptSources"];
  readonly summarizationOf: DebateSettings["summarizationOf"];
  readonly tools: Readonly<Record<string, { readonly names: readonly string[]; readonly limit?: number }>>;
  readonly warnings: readonly string[];
};

/**
 * Seats a configuration's agents and judge, with their roles' instructions or those of their own.
 * @throws Fault `configuration` for an unknown role; as `model` does for a model
 */
export async function debateSeats(
  context: OpeningContext,
  config: DebateConfig,
  named: NamedTools = { specs: new Map(), known: [] },
): Promise<DebateSeats> {
  const all = [...config.agents, config.judge];
  const byId = <T>(entry: (one: AgentConfig) => T): Record<ParticipantId, T> =>
    Object.fromEntries(all.map((one) => [one.id, entry(one)]));
  const tools = config.agents.map((agent) => ({ agent, ...knownTools(agent, named) }));
  return {
    participants: await Promise.all([
      ...config.agents.map((agent) => seat(context, agent, "agent")),
      seat(context, config.judge, "judge"),
    ]),
    roles: byId(({ role }) => role),
    templates: Object.fromEntries(all.flatMap(ownTexts)),
    promptSources: byId(({ prompts }) =>
      Object.fromEntries(Object.entries(prompts).map(([kind, prompt]) => [kind, describeSource(prompt)])),
    ),
    summarizationOf: byId(({ summarization }) => summarization),
    tools: Object.fromEntries(
      tools
        .filter(({ names }) => names.length > 0)
        .map(({ agent: { id, toolCallLimit: limit }, names }) => [
          id,
          { names, ...(limit === undefined ? {} : { limit }) },
        ]),
    ),
    warnings: [
      ...tools.flatMap(({ unknown }) => unknown),
      ...(config.judge.tools.length > 0
        ? ["The judge has no tools here; it works from what was said in the debate"]
        : []),
    ],
  };
}

async function seat(
  context: OpeningContext,
  one: AgentConfig,
  name: "agent" | "judge",
): Promise<SeatedParticipant> {
  const { instructions } = one.prompts;
  const role = context.role(one.role);
  const model = await context.model(one.model);
  return {
    id: one.id,
    seat: name,
    persona: {
      name: one.name,
      instructions: instructions.source === "file" ? instructions.text : role.instructions,
    },
    ...askedBy(model, role),
    family: context.family(model),
    ...(one.temperature === null ? {} : { temperature: one.temperature }),
  };
}

const ownTexts = ({ id, prompts }: AgentConfig): (readonly [name: string, text: string])[] =>
  (["summary", "clarification"] as const).flatMap((kind) => {
    const prompt = prompts[kind];
    const name = kind === "summary" ? "summary-prompt" : kind;
    return prompt.source === "file" ? [[`${name}/${id}`, prompt.text] as const] : [];
  });

const describeSource = (prompt: PromptText) =>
  prompt.source === "file" ? { source: "file", path: prompt.path } : { source: "built-in" };

/** The tools that exist, as models are told of them, and a warning for each that does not. */
function knownTools({ id, tools }: AgentConfig, { specs, known }: NamedTools) {
  const read = tools.map((tool) => ({
    tool,
    names: DEBATE_TOOLS.includes(tool) ? [tool] : specs.get(tool)?.map(({ name }) => name),
  }));
  const all = [...DEBATE_TOOLS, ...known];
  return {
    names: [...new Set(read.flatMap(({ names = [] }) => names))],
    unknown: read.flatMap(({ tool, names }) =>
      names === undefined
        ? [`No tool ${tool}; ${id} goes without it (nearest: ${findNearest(tool, all)})`]
        : [],
    ),
  };
}

const FORMS = "write models to be dealt out (sim/ada,sim/bo) or replacements (openai/gpt-4=sim/ada)";
const MAX_ENTRIES = 100;

/**
 * The same seats with other models. A list of models is dealt out, one to a seat in order, going round; pairs
 * `FROM=TO` replace the models that they name and leave the others. Parameters of a model that is replaced are
 * part of its name, but a pair cannot name them: what has a `?` before its `=` is a model.
 * @throws Fault `configuration` for an entry that is no model, both kinds at once, or a `FROM` that no seat has
 */
export function mapModels<S extends { readonly model: ModelRef }>(
  seats: readonly S[],
  written: string,
): readonly S[] {
  const entries = written.split(",", MAX_ENTRIES + 1).map((entry) => entry.trim());
  if (entries.length > MAX_ENTRIES) throw refusal(`more than ${MAX_ENTRIES} models`, FORMS);
  const read = entries.map(readEntry);
  const pairs = read.flatMap(([from, to]) => (from === undefined ? [] : [[from, to] as const]));
  if (pairs.length === 0)
    return seats.map((seat, index) => ({ ...seat, model: read[index % read.length]?.[1] ?? seat.model }));
  if (pairs.length < read.length) throw refusal("models to be dealt out stand among replacements", FORMS);
  const used: readonly string[] = [...new Set(seats.map(({ model }) => model))];
  const by = new Map<string, ModelRef>();
  for (const [from, to] of pairs) {
    if (by.has(from)) throw refusal(`${quoteValue(from)} is replaced twice`, "remove one of them");
    if (!used.includes(from))
      throw refusal(
        `nobody is to speak with ${quoteValue(from)}`,
        `the nearest is ${findNearest(from, used) ?? "none"}; there are ${used.join(", ")}`,
      );
    by.set(from, to);
  }
  return seats.map((seat) => ({ ...seat, model: by.get(seat.model) ?? seat.model }));
}

function readEntry(entry: string): readonly [from: ModelRef | undefined, to: ModelRef] {
  const [, from, to] = /^([^=?]*)=(.*)$/.exec(entry) ?? [];
  if (from === undefined || to === undefined) return [undefined, readModelRef(entry)];
  return [readModelRef(from.trim()), readModelRef(to.trim())];
}

function readModelRef(text: string): ModelRef {
  const read = ModelRef.safeParse(text);
  if (read.success) return read.data;
  throw refusal(`${quoteValue(text)} is no model; a model is written provider/model`, FORMS);
}

const refusal = (why: string, next: string) =>
  new Fault("configuration", { why: toOneLine(why, 600), next: toOneLine(next, 300) });

/**
 * The same configuration with other models; see `mapModels`. The judge's seat comes after the agents', which keep their order.
 * @throws Fault `configuration` as `mapModels` does
 */
export function withModels(config: DebateConfig, written: string): DebateConfig {
  const { agents, judge } = config;
  const seats = mapModels([...agents, judge], written);
  return { ...config, agents: seats.slice(0, -1), judge: seats.at(-1) ?? judge };
}
