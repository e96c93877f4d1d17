import * as z from "zod";
import { DeliberationId, Json, Message, StepKey } from "../kernel/index.ts";

// What the API takes and gives is said once, as a schema: routes check by it, the OpenAPI document is made from it, and whoever makes or
// reads a reply has its type from it.

const text = z.string();
const nullable = { text: text.nullable(), number: z.number().nullable() };
/** ISO 8601 in UTC. */
const Time = text;

/** A deliberation that was opened, and is not at its end. */
export const Opened = z.strictObject({
  id: text,
  status: z.enum(["open", "waiting"]),
  /** The result, now and later. */
  url: text,
  events: text,
  /** The place in line, from 1; 0 where it is driven. */
  place: z.int(),
  notes: z.array(z.looseObject({ code: text })),
});
export type OpenedReply = z.infer<typeof Opened>;

export const Listed = z.strictObject({
  data: z.array(
    z.strictObject({
      ...{ id: text, protocol: text, question: text, openedAt: Time, status: text, seq: z.int() },
      series: nullable.text,
    }),
  ),
  /** What `after` takes for the next page; null after the last. */
  next: nullable.text,
});
export type Listed = z.infer<typeof Listed>;
export type ListedRun = Listed["data"][number];

/** A recorded event. Its data are its type's own; see the vocabulary in the reference. */
export const RecordedEvent = z.looseObject({
  ...{ id: text, deliberation: text, seq: z.int(), at: Time, type: text },
  data: Json.optional(),
  origin: z.looseObject({ by: text }),
});
export const EventPage = z.strictObject({ data: z.array(RecordedEvent), next: z.int().nullable() });

export const Cancelled = z.strictObject({
  ...{ id: text, status: text },
  /** False where it had ended before. */
  cancelled: z.boolean(),
  why: nullable.text,
});
export type Cancelled = z.infer<typeof Cancelled>;

export const Replayed = z.strictObject({
  ...{ id: text, closed: z.boolean(), steps: z.int(), calls: z.int(), reread: z.int().optional() },
});

/** A question that a debate waits for; `by` is the name of its participant. */
const Question = z.strictObject({ id: text, by: text, text });
const WaitingSeat = z.strictObject({
  ...{ id: DeliberationId, step: StepKey },
  /** The user who is asked. */
  person: text,
  /** The kind of work: `draft`, `review`, `synthesis`, …. */
  work: text,
  round: nullable.number,
  since: Time,
  /** When the seat's time is up; null for no limit. */
  until: Time.nullable(),
  /** Its prompt, whole. */
  messages: z.array(Message),
});
export const Waiting = z.strictObject({
  questions: z.strictObject({ request: text, questions: z.array(Question) }).nullable(),
  /** Those of the caller, each with its prompt. */
  seats: z.array(WaitingSeat),
});
export type WaitingReply = z.infer<typeof Waiting>;
/** The questions that a debate waits for, and the client request that answers them. */
export type PendingQuestions = NonNullable<WaitingReply["questions"]>;
export type OpenQuestion = z.infer<typeof Question>;
/** A seat that waits for the caller. */
export type OwnSeat = z.infer<typeof WaitingSeat>;
/** A step that waits for a person. */
export type PendingSeat = Omit<OwnSeat, "id" | "messages">;

const step = text.max(300).optional().describe("Which seat, where several wait.");
/** The answers to questions by id, or the text for a seat's step, or that the person abstains from it. */
export const AnswersBody = z.union([
  z.strictObject({
    answers: z
      .record(text.max(200), text.max(100_000))
      .describe("Answers to the questions that wait, by their ids."),
  }),
  z.strictObject({
    text: text.max(1_000_000).describe("The answer to the caller's own seat that waits."),
    step,
  }),
  z.strictObject({
    abstain: z.literal(true).describe("Whether the person abstains from the seat's step."),
    step,
  }),
]);
export type AnswersBody = z.infer<typeof AnswersBody>;
export const Answered = z.strictObject({ status: z.literal("recorded"), step: nullable.text });
export type Answered = z.infer<typeof Answered>;

export const FeedbackBody = z.strictObject({
  thumb: z.enum(["up", "down"]).optional().describe("Whether it is liked."),
  text: text.max(4_000).optional().describe("What is said of it, in words."),
  outcome: z.enum(["good", "bad"]).optional().describe("How it turned out."),
  second: z.boolean().optional().describe("Whether it is said of the second of two respondents."),
});
export const FeedbackReply = z.strictObject({ status: text, reason: text.optional() });

export const Inbox = z.strictObject({
  data: z.array(
    z.strictObject({
      ...{ id: DeliberationId, question: text, kind: z.enum(["seat", "questions"]) },
      /** What is asked: the kind of work of a seat, or the questions. */
      asked: z.array(text),
      /** The step of a seat; null for questions. */
      step: nullable.text,
      ...{ since: Time, until: Time.nullable() },
    }),
  ),
});
export type Inbox = z.infer<typeof Inbox>;
/** One thing that waits for a person, in one run. */
export type InboxItem = Inbox["data"][number];

/** The browsers in which a person is signed in. */
export const SessionList = z.strictObject({
  data: z.array(
    z.strictObject({
      id: text,
      /** What the browser calls itself. */
      name: text,
      createdAt: Time,
      until: Time.nullable(),
      /** Whether the request came by it. */
      current: z.boolean(),
    }),
  ),
});
export type SessionList = z.infer<typeof SessionList>;
