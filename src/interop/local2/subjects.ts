import * as z from "zod";
import {
  type DeliberationId,
  type Entry,
  type Event,
  type EventId,
  type EventType,
  isEvent,
  type Json,
  type Recalled,
  type Respondent,
} from "../../kernel/index.ts";
import { withoutBanner } from "../../views/simulated.ts";

// Every subject of LoCAL2's bus (version 0.3, and those of its phase 5) has one row: what it is made from, or why from nothing.

type Payload = Readonly<Record<string, Json>>;

/** An event as LoCAL2's bus would carry it; `at` and `seq` are the event's. */
export type SubjectMessage = {
  readonly subject: string;
  readonly payload: Payload;
  readonly at: string;
  readonly seq: number;
};

/** A row of the table. A subject that ends in `<tool>` stands for one of every tool's name. */
export type SubjectRow = { readonly subject: string } & (
  | {
      readonly from: readonly EventType[];
      readonly fields: readonly string[];
      /** The message's payload; undefined where the event has none for this subject. */
      payload(entry: Entry, journal: BusJournal): Payload | undefined;
    }
  | { readonly from: null; readonly why: string }
);

type BusAnswer = Event<"answer-given"> | Event<"synthesis-given">;

/** Whether it is an answer to a person's question, and not a member's draft. */
export const isResponse = (entry: Entry): entry is Event<"answer-given"> =>
  isEvent(entry, "answer-given") && entry.data.kind === "response";

/** Where nobody compares, the one respondent is A. */
export const respondentOf = ({ data }: Event<"answer-given">): Respondent => data.respondent ?? "A";

/** What it says, without the mark of a simulated model. */
export const answerText = ({ data }: BusAnswer): string => withoutBanner(data.text).trim();

const TOOL = "<tool>";

/** LoCAL2's tools that have no counterpart here, under all of their names. */
export const MISSING_TOOLS: ReadonlySet<string> = new Set([
  ...["web_search", "web_fetch", "get_datetime", "get_location", "search_papers", "persona", "set_the_stage"],
  ...["search_library", "search_documents", "consult_librarian", "get_topic", "save_topic"],
]);

/** Reads one field of a message. */
type Field<T extends EventType> = (event: Event<T>, journal: BusJournal) => Json;

type SubjectSource<T extends EventType> = {
  readonly from: readonly T[];
  readonly fields: Readonly<Record<string, Field<T>>>;
  /** Whether the event has a message of this subject; by default always. */
  readonly applies?: (event: Event<T>, journal: BusJournal) => boolean;
};

const subjectRow = <T extends EventType>(
  subject: string,
  { from, fields, applies = () => true }: SubjectSource<T>,
): SubjectRow => ({
  subject,
  from,
  fields: Object.keys(fields),
  payload: (entry, journal) =>
    isEvent(entry, ...from) && applies(entry, journal)
      ? Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, read(entry, journal)]))
      : undefined,
});

const missingSubject = (subject: string, why: string): SubjectRow => ({ subject, from: null, why });

/** Not recorded, or not known in Parley. */
const unknown = (): null => null;
const query = (event: Entry, journal: BusJournal) => journal.question(event);
const session_id = (event: Entry, journal: BusJournal) => journal.session(event);
const user_id = (event: Entry, journal: BusJournal) => journal.user(event);
const deliberation = (event: Entry) => event.deliberation;

const QUESTION = {
  query,
  session_id,
  query_id: deliberation,
  attachments: (event: Entry, journal: BusJournal) => journal.attachments(event),
  user_id,
  native: () => false,
};

/** A memory entry as LoCAL2 hands it to its generator. */
const capsule = ({ id, question, summary, score, similarity, grade, feedback, mark }: Recalled): Json => ({
  id,
  content: `${question}\n\n${summary}`,
  metadata: { query: question, critic_score: grade, critic_feedback: feedback, mark, similarity },
  score,
});

/** A response's field, which has a fixed value where the deliberation closed without an answer. */
const ofAnswer =
  (read: Field<"answer-given">, otherwise: Json) =>
  (event: Event<"answer-given" | "deliberation-closed">, journal: BusJournal): Json =>
    isResponse(event) ? read(event, journal) : otherwise;

const isFailed = (event: Event<"deliberation-closed">, journal: BusJournal): boolean =>
  event.data.outcome !== "cancelled" && "why" in event.data && !journal.shown(event);

const THUMB: SubjectSource<"feedback-given"> = {
  from: ["feedback-given"],
  applies: ({ data }) => data.thumb !== undefined,
  fields: {
    query_id: (event, journal) => event.data.of ?? journal.shown(event)?.id ?? event.deliberation,
    session_id,
    sentiment: ({ data }) => (data.thumb === "up" ? "positive" : "negative"),
  },
};

const tool: Field<"tool-called"> = ({ data }) => data.tool;

/** LoCAL2's subjects, in the order in which a turn has them. Messages of one event come in this order, too. */
export const SUBJECTS: readonly SubjectRow[] = [
  subjectRow("query.received", { from: ["deliberation-opened"], fields: QUESTION }),
  subjectRow("memory.context", {
    from: ["engrams-recalled"],
    fields: { ...QUESTION, capsules: ({ data }) => data.engrams.map(capsule), candidates: unknown },
  }),
  missingSubject("generation.thinking", "what a model thinks is not recorded"),
  missingSubject("generation.token", "streamed tokens are not recorded"),
  subjectRow(`tool.call.${TOOL}`, {
    from: ["tool-called"],
    fields: { tool, args: ({ data }) => data.arguments },
  }),
  subjectRow(`tool.result.${TOOL}`, {
    from: ["tool-called"],
    fields: { tool, result: ({ data }) => toText(data.result), sources: unknown },
  }),
  missingSubject(`tool.activity.${TOOL}`, `it repeats tool.call.${TOOL} and tool.result.${TOOL}; name these`),
  missingSubject("tool.transition", "a tool has no states here; a call and its result are one event"),
  missingSubject("tool.schema", "tools are known when a run starts; none announces itself"),
  missingSubject("tool.schema.request", "tools are known when a run starts; none announces itself"),
  subjectRow("response.generation", {
    from: ["answer-given", "deliberation-closed"],
    // LoCAL2 answers with an error where Parley closes without an answer.
    applies: (event, journal) =>
      isEvent(event, "deliberation-closed") ? isFailed(event, journal) : isResponse(event),
    fields: {
      query,
      answer: (event) =>
        isResponse(event)
          ? answerText(event)
          : `[generation error: ${"why" in event.data ? event.data.why : ""}]`,
      thinking: unknown,
      tool_calls: ofAnswer((event, journal) => journal.tools(event), []),
      session_id,
      query_id: (event) => (isResponse(event) ? event.id : event.deliberation),
      prompt_tokens: ofAnswer(({ data }) => data.call?.tokens.in ?? null, null),
      error: (event) => !isResponse(event),
      model: ofAnswer((event, journal) => journal.model(event), null),
      capsules: ofAnswer((event, journal) => (journal.recalled(event)?.data.engrams ?? []).map(capsule), []),
      candidates: unknown,
      pinned_facts: ofAnswer((event, journal) => [...(journal.recalled(event)?.data.facts ?? [])], []),
      user_id,
      respondent_id: ofAnswer(respondentOf, "A"),
    },
  }),
  subjectRow("answer.dialog", {
    from: ["answer-given"],
    applies: (event) => isResponse(event) && respondentOf(event) === "A",
    fields: { query, answer: answerText, session_id, query_id: ({ id }) => id, user_id },
  }),
  subjectRow("critique.result", {
    from: ["grade-given"],
    fields: {
      score: ({ data }) => data.score,
      feedback: ({ data }) => data.feedback,
      query,
      answer({ data }, journal) {
        const graded = journal.answer(data.of);
        return graded ? answerText(graded) : null;
      },
      session_id,
      query_id: ({ data }) => data.of,
      rubric_name: ({ data }) => data.rubric,
      rubric_text: unknown,
      respondent_id({ data }, journal) {
        const graded = journal.answer(data.of);
        return graded && isResponse(graded) ? respondentOf(graded) : null;
      },
      // Parley's own field: why there is no score.
      why: ({ data }) => data.why ?? null,
    },
  }),
  subjectRow("pairwise.result", {
    from: ["preference-given"],
    fields: {
      original_query_id: deliberation,
      query_id_a: ({ data }) => data.of[0],
      query_id_b: ({ data }) => data.of[1],
      // LoCAL2 has no ties.
      winner: ({ data }) => (data.winner === "tie" ? null : data.winner),
      score_a: ({ data }) => data.scores?.[0] ?? null,
      score_b: ({ data }) => data.scores?.[1] ?? null,
      session_id,
    },
  }),
  missingSubject(
    "critic.skipped",
    "an answer that is not graded has a critique.result without a score, with the reason",
  ),
  subjectRow("user.feedback", THUMB),
  subjectRow("reward.event", THUMB),
  missingSubject("agent.transition", "states are computed from recorded events and are no events themselves"),
  missingSubject("generator.status", "states are computed from recorded events and are no events themselves"),
  missingSubject(
    "compaction.request",
    "nobody asks for a summary of a conversation; it is made where a prompt needs one",
  ),
  missingSubject("compaction.result", "a summary of a conversation is a recorded step without a message"),
  missingSubject("user.context.request", "pinned facts come with memory.context; nothing requests them"),
  missingSubject("user.context", "pinned facts are in a response.generation's pinned_facts"),
  missingSubject("user.context.updated", "facts are pinned outside of a conversation"),
  missingSubject("config.reload", "settings are fixed when a run starts"),
  missingSubject("library.collection.created", "there is no library of documents"),
  missingSubject("library.ingest.started", "there is no library of documents"),
  missingSubject("library.ingest.complete", "there is no library of documents"),
];

/** The messages that LoCAL2's bus would have carried for these entries, in their order: those of one deliberation, or of the turns of a conversation. */
export function subjectsOf(entries: readonly Entry[]): SubjectMessage[] {
  const journal = busJournal(entries);
  return entries.flatMap((entry) => messagesOf(entry, journal));
}

/** An entry's messages, with what the journal says by now. */
const messagesOf = (entry: Entry, journal: BusJournal): SubjectMessage[] =>
  SUBJECTS.flatMap((row): SubjectMessage[] => {
    const payload = row.from === null ? undefined : row.payload(entry, journal);
    if (!payload) return [];
    const subject = row.subject.endsWith(TOOL)
      ? row.subject.replace(TOOL, () => toText(payload["tool"] ?? ""))
      : row.subject;
    return [{ subject, payload, at: entry.at, seq: entry.seq }];
  });

/** LoCAL2's participants, by what they say. A response is of the respondent that gave it. */
const SENDERS: Readonly<Record<string, string>> = {
  "query.received": "ui",
  "memory.context": "memory_agent",
  "critique.result": "critic",
  "pairwise.result": "critic",
  "user.feedback": "ui",
  "reward.event": "reward_service",
};

/**
 * An entry's messages in the envelope of LoCAL2's bus, in order. `correlation_id` is the deliberation's id, which is its
 * `query_id` there; `message_id` is the event's id and the subject's.
 */
export const envelopesOf = (entry: Entry, journal: BusJournal) =>
  messagesOf(entry, journal).map(({ subject, payload, at }) => {
    const isTool = subject.startsWith("tool.result.");
    const respondent = payload["respondent_id"] === "B" ? "respondent_b" : "generator_agent";
    return {
      message_id: `${entry.id}/${subject}`,
      message_type: "event",
      subject,
      sender_id: SENDERS[subject] ?? (isTool ? toText(payload["tool"] ?? null) : respondent),
      payload,
      correlation_id: entry.deliberation,
      recipient_id: null,
      metadata: { session_id: journal.session(entry), user_id: journal.user(entry) },
      timestamp_utc: at,
    };
  });

/** What is to be known of a subject before anybody waits for it: its fields, or why it never comes; undefined for none of LoCAL2's. */
export type KnownSubject =
  { readonly ok: true; readonly fields: readonly string[] } | { readonly ok: false; readonly reason: string };

export function subjectKnown(subject: string): KnownSubject | undefined {
  const row = SUBJECTS.find((one) => {
    const begin = one.subject.replace(TOOL, "");
    return one.subject.endsWith(TOOL)
      ? subject.startsWith(begin) && subject.length > begin.length
      : subject === one.subject;
  });
  if (!row) return undefined;
  return row.from === null ? { ok: false, reason: row.why } : { ok: true, fields: row.fields };
}

const Recalling = z.object({ recall: z.object({ user: z.string() }) });

/**
 * What a message of LoCAL2's bus says beyond its event, read from the entries of one deliberation or of several, each one's
 * in order; later ones can be added. What the entries do not tell is null.
 */
export function busJournal(entries: readonly Entry[]) {
  const openings = new Map<string, Event<"deliberation-opened">>();
  const engrams = new Map<string, Event<"engram-written">>();
  const answers = new Map<string, BusAnswer>();
  const shown = new Map<string, Event<"answer-given">>();
  /** Of one participant of one deliberation. */
  const calls = new Map<string, Event<"tool-called">[]>();
  const recalls = new Map<string, Event<"engrams-recalled">[]>();
  const openingOf = (entry: Entry) => openings.get(entry.deliberation)?.data;
  const keyOf = (entry: Entry, by: string | undefined) => `${entry.deliberation}/${by}`;

  function add(entry: Entry): void {
    const { deliberation } = entry;
    if (isEvent(entry, "deliberation-opened")) openings.set(deliberation, entry);
    if (isEvent(entry, "engram-written")) engrams.set(deliberation, entry);
    if (isEvent(entry, "answer-given", "synthesis-given")) answers.set(entry.id, entry);
    if (isResponse(entry) && respondentOf(entry) === "A") shown.set(deliberation, entry);
    if (isEvent(entry, "tool-called")) push(calls, keyOf(entry, entry.data.by), entry);
    if (isEvent(entry, "engrams-recalled")) push(recalls, keyOf(entry, entry.data.for), entry);
  }
  for (const entry of entries) add(entry);

  /** Goes back through the turns, as far as the entries tell. */
  const firstTurn = (last: DeliberationId): string | null => {
    const passed = new Set<string>();
    for (let id: DeliberationId | undefined = last; id !== undefined && !passed.has(id);) {
      const opened = openings.get(id);
      const known: string | null | undefined =
        opened?.data.series?.id ?? engrams.get(id)?.data.engram.conversation;
      if (known) return known;
      if (!opened) return null;
      if (opened.data.previous === undefined) return id;
      passed.add(id);
      id = opened.data.previous;
    }
    return null;
  };

  return {
    add,
    question: (entry: Entry): string | null => openingOf(entry)?.question ?? null,
    session: (entry: Entry): string | null => firstTurn(entry.deliberation),
    user(entry: Entry): string | null {
      const recalling = Recalling.safeParse(openingOf(entry)?.settings);
      const recallUser = recalling.success ? recalling.data.recall.user : null;
      return engrams.get(entry.deliberation)?.data.engram.user ?? recallUser;
    },
    /** The names of the material that came with the question. */
    attachments: (entry: Entry): string[] => (openingOf(entry)?.context ?? []).map(({ name }) => name),
    answer: (id: EventId): BusAnswer | undefined => answers.get(id),
    shown: (entry: Entry): Event<"answer-given"> | undefined => shown.get(entry.deliberation),
    /** What the participant had called before it answered, in order. */
    tools: (answer: Event<"answer-given">): Json[] =>
      (calls.get(keyOf(answer, answer.data.by)) ?? [])
        .filter((one) => one.seq < answer.seq)
        .map(({ data }) => ({ tool: data.tool, args: data.arguments, result: toText(data.result) })),
    /** What the participant got from memory, if anything. */
    recalled: (answer: Event<"answer-given">): Event<"engrams-recalled"> | undefined =>
      (recalls.get(keyOf(answer, answer.data.by)) ?? []).findLast((one) => one.seq < answer.seq),
    model: (answer: Event<"answer-given">): string | null =>
      answer.data.call?.model ??
      openingOf(answer)?.participants.find(({ id }) => id === answer.data.by)?.model ??
      null,
  };
}
export type BusJournal = ReturnType<typeof busJournal>;

function push<T>(lists: Map<string, T[]>, key: string, one: T): void {
  const list = lists.get(key);
  if (list) list.push(one);
  else lists.set(key, [one]);
}

/** A tool's result as LoCAL2 has it: a text. */
const toText = (result: Json): string => (typeof result === "string" ? result : JSON.stringify(result));
