import * as z from "zod";
import {
  isEvent,
  type DeliberationId,
  type Entry,
  type Event,
  type EventId,
  type Json,
  type Respondent,
} from "../kernel/index.ts";
import { withoutBanner } from "./simulated.ts";

type Answered = Event<"answer-given"> | Event<"synthesis-given">;

/** What a message of LoCAL2's bus says beyond the event that it stands for. What the entries do not tell is null. */
export type BusJournal = {
  readonly question: (of: Entry) => string | null;
  /** The first deliberation of the conversation. */
  readonly session: (of: Entry) => string | null;
  readonly user: (of: Entry) => string | null;
  /** The names of the material that was given with the question. */
  readonly attachments: (of: Entry) => string[];
  /** An answer, or a synthesis, by its event. */
  readonly answer: (id: EventId) => Answered | undefined;
  /** The respondent whose answer is shown, of this deliberation. */
  readonly shown: (of: Entry) => Event<"answer-given"> | undefined;
  /** What the participant had called before it answered, in order. */
  readonly tools: (answer: Event<"answer-given">) => Json[];
  /** What it was given from memory, if it was given any. */
  readonly recalled: (answer: Event<"answer-given">) => Event<"engrams-recalled"> | undefined;
  readonly model: (answer: Event<"answer-given">) => string | null;
};

/** Whether it is an answer to a person's question, and not a member's draft. */
export const isResponse = (entry: Entry): entry is Event<"answer-given"> =>
  isEvent(entry, "answer-given") && entry.data.kind === "response";

/** Where nobody compares, the one respondent is A. */
export const respondentOf = ({ data }: Event<"answer-given">): Respondent => data.respondent ?? "A";

/** What it says, without the mark of a simulated model. */
export const answerText = ({ data }: Answered): string => withoutBanner(data.text).trim();

const Recalling = z.object({ recall: z.object({ user: z.string() }) });

/** Reads the entries of one deliberation or of several, each one's in its order. */
export function busJournal(entries: readonly Entry[]): BusJournal {
  const openings = new Map<string, Event<"deliberation-opened">>();
  const engrams = new Map<string, Event<"engram-written">>();
  const answers = new Map<string, Answered>();
  const byDeliberation = new Map<string, Entry[]>();
  for (const entry of entries) {
    const { deliberation } = entry;
    const before = byDeliberation.get(deliberation);
    if (before) before.push(entry);
    else byDeliberation.set(deliberation, [entry]);
    if (isEvent(entry, "deliberation-opened")) openings.set(deliberation, entry);
    if (isEvent(entry, "engram-written")) engrams.set(deliberation, entry);
    if (isEvent(entry, "answer-given", "synthesis-given")) answers.set(entry.id, entry);
  }
  const opening = ({ deliberation }: Entry) => openings.get(deliberation)?.data;
  const besides = ({ deliberation }: Entry): readonly Entry[] => byDeliberation.get(deliberation) ?? [];

  /** Back through the turns, as far as the entries tell. */
  const firstOf = (id: DeliberationId): string | null => {
    const passed = new Set<string>();
    for (let at: DeliberationId | undefined = id; at !== undefined && !passed.has(at);) {
      const opened = openings.get(at);
      const known: string | null | undefined =
        opened?.data.series?.id ?? engrams.get(at)?.data.engram.conversation;
      if (known) return known;
      if (!opened) return null;
      if (opened.data.previous === undefined) return at;
      passed.add(at);
      at = opened.data.previous;
    }
    return null;
  };

  return {
    question: (of) => opening(of)?.question ?? null,
    session: ({ deliberation }) => firstOf(deliberation),
    user(of) {
      const written = engrams.get(of.deliberation)?.data.engram.user;
      const recalling = Recalling.safeParse(opening(of)?.settings);
      return written ?? (recalling.success ? recalling.data.recall.user : null);
    },
    attachments: (of) => (opening(of)?.context ?? []).map(({ name }) => name),
    answer: (id) => answers.get(id),
    shown: (of) =>
      besides(of)
        .filter(isResponse)
        .findLast((one) => respondentOf(one) === "A"),
    tools: (answer) =>
      besides(answer).flatMap((one) =>
        isEvent(one, "tool-called") && one.data.by === answer.data.by && one.seq < answer.seq
          ? [{ tool: one.data.tool, args: one.data.arguments, result: textOf(one.data.result) }]
          : [],
      ),
    recalled: (answer) =>
      besides(answer)
        .filter((one) => isEvent(one, "engrams-recalled"))
        .findLast((one) => one.data.for === answer.data.by && one.seq < answer.seq),
    model: (answer) =>
      answer.data.call?.model ??
      opening(answer)?.participants.find(({ id }) => id === answer.data.by)?.model ??
      null,
  };
}

/** A tool's result as LoCAL2 has it: a text. */
export const textOf = (result: Json): string =>
  typeof result === "string" ? result : JSON.stringify(result);
