import * as z from "zod";
import type { ProtocolContext } from "../../engine/index.ts";
import type { OpeningContext } from "../../engine/opening-part.ts";
import {
  Fault,
  ParticipantId,
  ToolSpec,
  type Closing,
  type Json,
  type Participant,
} from "../../kernel/index.ts";
import { findNearest, quoteValue } from "../../text/words.ts";

/** The settings of protocols whose participants each have tools of their own. */
export const toolSettings = {
  /** By participant, the names of its tools among `toolSpecs`; `limit` counts the calls for one reply. */
  tools: z
    .record(
      ParticipantId,
      z.strictObject({ names: z.array(z.string()), limit: z.int().positive().max(100).default(10) }),
    )
    .default({}),
  /** The specifications of these tools, as pinned. */
  toolSpecs: z.array(ToolSpec).default([]),
};
export type ToolSettings = z.infer<z.ZodObject<typeof toolSettings>>;

/** Calls of tools for one answer, of members and respondents. */
export const MAX_TOOL_CALLS = 5;

/** What a participant may call, by the settings. */
export function toolsOf({ tools, toolSpecs }: ToolSettings, id: ParticipantId) {
  const own = Object.hasOwn(tools, id) ? tools[id] : undefined;
  return { specs: toolSpecs.filter(({ name }) => own?.names.includes(name)), limit: own?.limit ?? 0 };
}

/** The tools by which a participant searches the web. */
export const searchToolsOf = ({ search }: Pick<Participant, "search">): readonly string[] =>
  Array.isArray(search) ? search : [];

/** Each specification once, by its name. */
export const uniqueSpecs = (specs: readonly ToolSpec[]): readonly ToolSpec[] =>
  specs.filter(({ name }, index) => specs.findIndex((one) => one.name === name) === index);

/** What models are told of tools that settings name. @throws Fault `configuration` for a name that there is not */
export async function requireTools(
  context: Pick<OpeningContext, "namedTools">,
  names: readonly string[],
): Promise<readonly ToolSpec[]> {
  if (names.length === 0) return [];
  const { specs, known } = await context.namedTools(names);
  const missing = names.find((name) => !specs.has(name));
  if (missing === undefined) return uniqueSpecs([...specs.values()].flat());
  throw new Fault("configuration", {
    why: `there is no tool ${quoteValue(missing)}`,
    next: `did you mean ${findNearest(missing, known)}?`,
  });
}

export type ToolRequest = {
  readonly name: string;
  readonly input: Json;
  /** What the participant was told of its tools. */
  readonly specs: readonly ToolSpec[];
};

/** The result of a call of a tool that the process has, or why there is none. */
export async function useTool(
  { ports, opening }: Pick<ProtocolContext, "ports" | "opening">,
  { name, input, specs }: ToolRequest,
  signal: AbortSignal,
): Promise<Json> {
  const tools = await ports.tools?.(opening, specs);
  if (!tools) return { error: "there are no tools in this process" };
  const outcome = await tools.call(name, input, signal);
  if (outcome.ok) return outcome.result;
  return { error: outcome.reason, ...(outcome.lost ? { lost: true } : {}) };
}

/** A result that says that the tool could not be reached. */
const LostTool = z.strictObject({ error: z.string(), lost: z.literal(true) });

/** Why a tool could not be reached; undefined where it could. */
export const readToolLoss = (result: Json): string | undefined => LostTool.safeParse(result).data?.error;

/** A closing, as degraded where tools could not be reached. */
export const withLostTools = (closing: Closing, lost: number): Closing =>
  closing.outcome === "answered" && lost > 0 ? { ...closing, outcome: "answered-degraded" } : closing;
