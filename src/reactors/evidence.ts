import { callOf, isEvent, type Entry, type Event } from "../kernel/index.ts";
import type { ToolEvidence } from "../prompts/index.ts";

/** An answer that is judged by itself. */
type Answered = Event<"answer-given" | "synthesis-given">;

/** What tools an answer rests on, as far as the journal tells. */
export type Evidence = {
  /** The names of all that were called, each once, in the order of their first call. */
  readonly tools: readonly string[];
  readonly results: readonly ToolEvidence[];
  /** How many calls have no result on the journal. */
  readonly missing: number;
};

/**
 * The tools that its speaker called before it gave an answer, and what they gave. A participant of the same name that
 * speaks elsewhere, as a second respondent does in a reaction, is another one.
 */
export function evidenceOf(history: readonly Entry[], answer: Answered): Evidence {
  const { by } = answer.data;
  const speaker = speakerIn(answer);
  const own = history.filter((entry) => entry.seq < answer.seq && speakerIn(entry) === speaker);
  const results = own.flatMap((entry): ToolEvidence[] => {
    if (!isEvent(entry, "tool-called") || entry.data.by !== by) return [];
    const { tool, arguments: given, result } = entry.data;
    return [{ tool, arguments: given, result }];
  });
  const asked = [...own, answer].flatMap((entry) => {
    const call = "by" in entry.data && entry.data.by === by ? callOf(entry) : undefined;
    return call?.ok ? (call.toolCalls ?? []).map(({ name }) => name) : [];
  });
  const tools = [...new Set([...asked, ...results.map(({ tool }) => tool)])];
  const times = (names: readonly string[], name: string) => names.filter((one) => one === name).length;
  const given = results.map(({ tool }) => tool);
  const missing = tools.reduce((sum, name) => sum + Math.max(0, times(asked, name) - times(given, name)), 0);
  return { tools, results, missing };
}

/** By whom an entry was recorded: by the protocol, here or at a fork's parent, by one reaction, or by somebody else. */
const speakerIn = ({ origin }: Entry): string => {
  if (origin.by === "reactor") return `reactor/${origin.reactor}/${origin.event}`;
  return origin.by === "adopted" ? "protocol" : origin.by;
};
