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

// LOCAL2-1. Every subject of LoCAL2's bus (version 0.3, and those of its phase 5) has one row: what it is made from, or why from nothing.
// LOCAL2-2. A message has the fields of its row, all of them and no others; what is not known is null.
// LOCAL2-3. An answer's `query_id` is the id of its event, which is also its engram's: B's differs from A's, as there. A
//     question's is its deliberation's id, and so is `original_query_id`.

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
      /** undefined for an event that says nothing of this subject. */
      payload(entry: Entry, journal: BusJournal): Payload | undefined;
    }
  | { readonly from: null; readonly why: string }
);

const TOOL = "<tool>";

/** A row whose fields the compiler compares with what is made. */
const made = <T extends EventType, const F extends string>(
  subject: string,
  from: readonly T[],
  row: {
    readonly fields: readonly F[];
    of(event: Event<T>, journal: BusJournal): Readonly<Record<F, Json>> | undefined;
  },
): SubjectRow => ({
  subject,
  from,
  fields: row.fields,
  payload: (entry, journal) => (isEvent(entry, ...from) ? row.of(entry, journal) : undefined),
});

const none = (subject: string, why: string): SubjectRow => ({ subject, from: null, why });

const ASKED = ["query", "session_id", "query_id", "attachments", "user_id", "native"] as const;
const asked = (event: Entry, journal: BusJournal) => ({
  query: journal.question(event),
  session_id: journal.session(event),
  query_id: event.deliberation,
  attachments: journal.attachments(event),
  user_id: journal.user(event),
  native: false,
});

/** As LoCAL2 hands an engram to its generator. */
const capsule = ({ id, question, summary, score, similarity, grade, feedback, mark }: Recalled): Json => ({
  id,
  content: `${question}\n\n${summary}`,
  metadata: { query: question, critic_score: grade, critic_feedback: feedback, mark, similarity },
  score,
});

const toolCall = ({ data }: Event<"tool-called">) => ({ tool: data.tool, args: data.arguments });
const toolResult = ({ data }: Event<"tool-called">) => ({ tool: data.tool, result: textOf(data.result) });

const THUMBED = ["query_id", "session_id", "sentiment"] as const;
const thumbed = (event: Event<"feedback-given">, journal: BusJournal) =>
  event.data.thumb === undefined
    ? undefined
    : {
        query_id: event.data.of ?? journal.shown(event)?.id ?? event.deliberation,
        session_id: journal.session(event),
        sentiment: event.data.thumb === "up" ? "positive" : "negative",
      };

/** LoCAL2's subjects, in the order in which a turn has them. Messages of one event come in this order, too. */
export const SUBJECTS: readonly SubjectRow[] = [
  made("query.received", ["deliberation-opened"], { fields: ASKED, of: asked }),
  made("memory.context", ["engrams-recalled"], {
    fields: [...ASKED, "capsules", "candidates"],
    of: (event, journal) => ({
      ...asked(event, journal),
      capsules: event.data.engrams.map(capsule),
      // What was found and not good enough is not recorded.
      candidates: null,
    }),
  }),
  none("generation.thinking", "what a model thinks is not recorded"),
  none("generation.token", "tokens on their way to a screen are not recorded"),
  made(`tool.call.${TOOL}`, ["tool-called"], { fields: ["tool", "args"], of: toolCall }),
  made(`tool.result.${TOOL}`, ["tool-called"], {
    fields: ["tool", "result", "sources"],
    of: (event) => ({ ...toolResult(event), sources: null }),
  }),
  none(`tool.activity.${TOOL}`, `it repeats tool.call.${TOOL} and tool.result.${TOOL}; name these`),
  none("tool.transition", "a tool has no states here; a call and its result are one event"),
  none("tool.schema", "tools are known when a deliberation opens; none announces itself"),
  none("tool.schema.request", "tools are known when a deliberation opens; none announces itself"),
  made("response.generation", ["answer-given", "deliberation-closed"], {
    fields: [
      "query",
      "answer",
      "thinking",
      "tool_calls",
      "session_id",
      "query_id",
      "prompt_tokens",
      "error",
      "model",
      "capsules",
      "candidates",
      "pinned_facts",
      "user_id",
      "respondent_id",
    ],
    of: (event, journal) =>
      isEvent(event, "deliberation-closed") ? unanswered(event, journal) : answered(event, journal),
  }),
  made("answer.dialog", ["answer-given"], {
    fields: ["query", "answer", "session_id", "query_id", "user_id"],
    of: (event, journal) =>
      isResponse(event) && respondentOf(event) === "A"
        ? {
            query: journal.question(event),
            answer: answerText(event),
            session_id: journal.session(event),
            query_id: event.id,
            user_id: journal.user(event),
          }
        : undefined,
  }),
  made("critique.result", ["grade-given"], {
    fields: [
      "score",
      "feedback",
      "query",
      "answer",
      "session_id",
      "query_id",
      "rubric_name",
      "rubric_text",
      "respondent_id",
      // Ours: why there is no score.
      "why",
    ],
    of: (event, journal) => {
      const { of, score, feedback, rubric, why } = event.data;
      const graded = journal.answer(of);
      return {
        score,
        feedback,
        query: journal.question(event),
        answer: graded ? answerText(graded) : null,
        session_id: journal.session(event),
        query_id: of,
        rubric_name: rubric,
        // Pinned by its digest; no event repeats it.
        rubric_text: null,
        respondent_id: graded && isResponse(graded) ? respondentOf(graded) : null,
        why: why ?? null,
      };
    },
  }),
  made("pairwise.result", ["preference-given"], {
    fields: ["original_query_id", "query_id_a", "query_id_b", "winner", "score_a", "score_b", "session_id"],
    of: (event, journal) => ({
      original_query_id: event.deliberation,
      query_id_a: event.data.of[0],
      query_id_b: event.data.of[1],
      // LoCAL2 has no ties.
      winner: event.data.winner === "tie" ? null : event.data.winner,
      score_a: event.data.scores?.[0] ?? null,
      score_b: event.data.scores?.[1] ?? null,
      session_id: journal.session(event),
    }),
  }),
  none(
    "critic.skipped",
    "an answer that is not graded has a critique.result without a score, which says why",
  ),
  made("user.feedback", ["feedback-given"], { fields: THUMBED, of: thumbed }),
  made("reward.event", ["feedback-given"], { fields: THUMBED, of: thumbed }),
  none("agent.transition", "states are a view of the journal (parley watch), and no events of it"),
  none("generator.status", "states are a view of the journal (parley watch), and no events of it"),
  none("compaction.request", "a conversation is not compacted; a prompt shows its last turns"),
  none("compaction.result", "a conversation is not compacted; a prompt shows its last turns"),
  none("user.context.request", "pinned facts come with memory.context; nobody asks for them"),
  none("user.context", "pinned facts stand in a response.generation's pinned_facts"),
  none("user.context.updated", "facts are pinned outside of a conversation"),
  none("config.reload", "settings are pinned when a deliberation opens"),
  none("library.collection.created", "there is no library of documents"),
  none("library.ingest.started", "there is no library of documents"),
  none("library.ingest.complete", "there is no library of documents"),
];

function answered(event: Event<"answer-given">, journal: BusJournal) {
  if (!isResponse(event)) return undefined;
  const recalled = journal.recalled(event)?.data;
  const { call } = event.data;
  return {
    query: journal.question(event),
    answer: answerText(event),
    thinking: null,
    tool_calls: journal.tools(event),
    session_id: journal.session(event),
    query_id: event.id,
    prompt_tokens: call?.tokens.in ?? null,
    error: false,
    model: journal.model(event),
    capsules: (recalled?.engrams ?? []).map(capsule),
    candidates: null,
    pinned_facts: [...(recalled?.facts ?? [])],
    user_id: journal.user(event),
    respondent_id: respondentOf(event),
  };
}

/** LoCAL2 answers with an error where Parley closes without an answer. */
function unanswered(event: Event<"deliberation-closed">, journal: BusJournal) {
  const { data } = event;
  if (data.outcome === "cancelled" || !("why" in data) || journal.shown(event)) return undefined;
  return {
    query: journal.question(event),
    answer: `[generation error: ${data.why}]`,
    thinking: null,
    tool_calls: [],
    session_id: journal.session(event),
    query_id: event.deliberation,
    prompt_tokens: null,
    error: true,
    model: null,
    capsules: [],
    candidates: null,
    pinned_facts: [],
    user_id: journal.user(event),
    respondent_id: "A",
  };
}

/** The messages that LoCAL2's bus would have carried for these entries, in their order: those of one deliberation, or of the turns of a conversation. */
export function subjectsOf(entries: readonly Entry[]): SubjectMessage[] {
  const journal = busJournal(entries);
  return entries.flatMap((entry) =>
    SUBJECTS.flatMap((row): SubjectMessage[] => {
      const payload = row.from === null ? undefined : row.payload(entry, journal);
      if (!payload) return [];
      const subject = row.subject.endsWith(TOOL)
        ? row.subject.replace(TOOL, () => textOf(payload["tool"] ?? ""))
        : row.subject;
      return [{ subject, payload, at: entry.at, seq: entry.seq }];
    }),
  );
}

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

type BusAnswer = Event<"answer-given"> | Event<"synthesis-given">;

/** What a message of LoCAL2's bus says beyond the event that it stands for. What the entries do not tell is null. */
export type BusJournal = {
  readonly question: (of: Entry) => string | null;
  /** The first deliberation of the conversation. */
  readonly session: (of: Entry) => string | null;
  readonly user: (of: Entry) => string | null;
  /** The names of the material that was given with the question. */
  readonly attachments: (of: Entry) => string[];
  /** An answer, or a synthesis, by its event. */
  readonly answer: (id: EventId) => BusAnswer | undefined;
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
export const answerText = ({ data }: BusAnswer): string => withoutBanner(data.text).trim();

const Recalling = z.object({ recall: z.object({ user: z.string() }) });

/** Reads the entries of one deliberation or of several, each one's in its order. */
export function busJournal(entries: readonly Entry[]): BusJournal {
  const openings = new Map<string, Event<"deliberation-opened">>();
  const engrams = new Map<string, Event<"engram-written">>();
  const answers = new Map<string, BusAnswer>();
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
const textOf = (result: Json): string => (typeof result === "string" ? result : JSON.stringify(result));
