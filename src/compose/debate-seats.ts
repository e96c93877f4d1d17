import { nearest, promptTexts, roleOf, type DebateAgent, type DebateConfig } from "../config/index.ts";
import type { Asked } from "../engine/index.ts";
import { familyOf, type ParticipantId } from "../kernel/index.ts";
import { ToolName, type DebateSettings } from "../protocols/debate/index.ts";
import { checkedRef } from "./panel.ts";
import type { Parley } from "./parley.ts";

type Seated = Asked["participants"][number];
type Prompts = ReturnType<typeof promptTexts>["prompts"];

/** What of a debate's opening belongs to those who take part in it. */
export type DebateSeats = {
  /** The agents in the file's order, then the judge. */
  readonly participants: readonly Seated[];
  /** By participant: what each argues for. */
  readonly roles: Readonly<Record<string, string>>;
  /** Texts of their own, to be pinned as templates: `summary/<id>`, `clarification/<id>`. */
  readonly templates: Readonly<Record<string, string>>;
  /** By participant, where each of its texts comes from. */
  readonly promptSources: Readonly<Record<string, PromptSources>>;
  readonly summarizationOf: DebateSettings["summarizationOf"];
  readonly tools: Readonly<Record<string, { readonly names: ToolName[]; readonly limit?: number }>>;
  readonly warnings: readonly string[];
};

type PromptSource = { readonly source: "built-in" } | { readonly source: "file"; readonly path: string };
type PromptSources = { readonly [K in "instructions" | "clarification" | "summary"]: PromptSource };

/**
 * Seats a configuration's agents and judge, with their roles' instructions or those of their own files.
 * @throws Fault `configuration` for an unknown role, or a role's file that is none; as `checkedRef` does for a model
 */
export function debateSeats(parley: Parley, config: DebateConfig): DebateSeats {
  const all = [...config.agents, config.judge];
  const { prompts, warnings } = promptTexts(config, parley);
  const byId = <T>(entry: (one: DebateAgent) => T): Record<ParticipantId, T> =>
    Object.fromEntries(all.map((one) => [one.id, entry(one)]));
  const tools = config.agents.map((agent) => ({ agent, ...toolsOf(agent) }));
  return {
    participants: [
      ...config.agents.map((agent) => seat(parley, { one: agent, name: "agent", prompts })),
      seat(parley, { one: config.judge, name: "judge", prompts }),
    ],
    roles: byId(({ role }) => role),
    templates: Object.fromEntries(all.flatMap(({ id }) => ownTexts(id, prompts))),
    promptSources: byId(({ id }) => sourcesOf(id, prompts)),
    summarizationOf: byId(({ summarization }) => summarization),
    tools: Object.fromEntries(
      tools.flatMap(({ agent, names }) => {
        const limit = agent.toolCallLimit;
        return names.length === 0
          ? []
          : [[agent.id, { names, ...(limit === undefined ? {} : { limit }) }] as const];
      }),
    ),
    warnings: [
      ...warnings,
      ...tools.flatMap(({ unknown }) => unknown),
      ...(config.judge.tools.length > 0 ? ["the judge has no tools here: it works from what was said"] : []),
    ],
  };
}

type Seating = { readonly one: DebateAgent; readonly name: "agent" | "judge"; readonly prompts: Prompts };

function seat(parley: Parley, { one, name, prompts }: Seating): Seated {
  const role = roleOf(parley, one.role);
  const own = prompts.get(one.id)?.instructions;
  const model = checkedRef(parley, one.model);
  return {
    id: one.id,
    seat: name,
    persona: {
      name: one.name,
      instructions: own?.source === "file" ? own.text : role.instructions,
    },
    model,
    family: familyOf(model, parley.settings.families),
    ...(one.temperature === null ? {} : { temperature: one.temperature }),
  };
}

const ownTexts = (id: string, prompts: Prompts): (readonly [name: string, text: string])[] =>
  (["summary", "clarification"] as const).flatMap((kind) => {
    const prompt = prompts.get(id)?.[kind];
    return prompt?.source === "file" ? [[`${kind}/${id}`, prompt.text] as const] : [];
  });

function sourcesOf(id: string, prompts: Prompts): PromptSources {
  const source = (kind: keyof PromptSources): PromptSource => {
    const prompt = prompts.get(id)?.[kind];
    return prompt?.source === "file" ? { source: "file", path: prompt.path } : { source: "built-in" };
  };
  return {
    instructions: source("instructions"),
    clarification: source("clarification"),
    summary: source("summary"),
  };
}

/** The tools that there are, and a warning for each that there is not. */
function toolsOf({ id, tools }: DebateAgent): {
  readonly names: ToolName[];
  readonly unknown: readonly string[];
} {
  const read = tools.map((tool) => ({ tool, name: ToolName.safeParse(tool).data }));
  return {
    names: read.flatMap(({ name }) => name ?? []),
    unknown: read.flatMap(({ tool, name }) =>
      name === undefined
        ? [
            `there is no tool ${tool}, and ${id} goes without; the nearest is ${nearest(tool, ToolName.options)}`,
          ]
        : [],
    ),
  };
}
