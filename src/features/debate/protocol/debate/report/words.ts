import type { DebateRecord, DebateRound } from "../view/record.ts";
import { oneLine } from "../../../../../reports/printable.ts";
import { formatDuration, formatNumber, formatUsd } from "../../../../../text/format.ts";
import { formatFamily } from "../../../../../reports/words.ts";

/** The first line of the problem, without the mark of a markdown heading. */
export function titleOf({ problem }: DebateRecord): string {
  const first = problem.trimStart().split(/[\r\n]/, 1)[0] ?? "";
  return oneLine(first, 160).replace(/^#{1,6} /, "") || "A debate";
}

/** Gives an id's name, as `namesOf` does. */
export type AgentNameOf = (id: string) => string;

/** Agents and judge, whom a debate names by id. */
export const peopleIn = ({ agents, judge }: DebateRecord): DebateRecord["agents"] =>
  judge ? [...agents, judge] : agents;

const STATUS_WORDS: ReadonlyMap<string, string> = new Map([
  ["open", "open (not finished)"],
  ["waiting", "waiting for answers to its questions"],
]);

/** How it stands, when it was, and where it is from. */
export function statusRows(record: DebateRecord): (readonly [label: string, text: string])[] {
  const { status, source, startedAt, endedAt, id } = record;
  const tookMs = endedAt === null ? Number.NaN : Date.parse(endedAt) - Date.parse(startedAt);
  const took = tookMs >= 0 ? `; it took ${formatDuration(tookMs)}` : "";
  return [
    ["Status", STATUS_WORDS.get(status) ?? status],
    [
      "Time",
      `began ${timeWords(startedAt)}${endedAt === null ? "" : `, ended ${timeWords(endedAt)}`}${took}`,
    ],
    ["Id", id],
    ["Source", source === "parley" ? `run ${id}` : "a result file of Dialectic"],
  ];
}

/** `2026-01-02 03:04:05 UTC`; what is no time as it is. */
function timeWords(at: string): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? at : `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export const AGENT_HEADS = ["Name", "Role", "Model", "Family", "Temperature", "Id"];

export const agentRows = (agents: DebateRecord["agents"]): string[][] =>
  agents.map(({ name, role, model, family, temperature, id }) => [
    name,
    role ?? NOT_RECORDED,
    modelWords(model),
    formatFamily(family),
    temperature === null ? "not set" : String(temperature),
    id,
  ]);

const NOT_RECORDED = "not recorded";

/** Simulated models say so wherever a model is named. */
const modelWords = (model: string | null): string =>
  model === null ? "model not recorded" : model.startsWith("sim/") ? `${model} (simulated)` : model;

type Timing = Pick<DebateRound["refinements"][number], "model" | "tokens" | "usd" | "latencyMs">;

/** What a text took, and of which model. */
export const takenWords = ({ model, tokens, usd, latencyMs }: Timing): string =>
  [
    modelWords(model),
    tokens === null ? "tokens unknown" : `${formatNumber(tokens)} tokens`,
    latencyMs === null ? "time unknown" : formatDuration(latencyMs),
    usd === null ? "cost unknown" : formatUsd(usd),
  ].join(", ");
