import { Fault, isEvent, type DeliberationId, type Entry, type NewEvent, refusal } from "../kernel/index.ts";
import { answerEvent, answerOfB } from "../views/answer-event.ts";
import { belongsTo } from "./conversation.ts";
import type { AppContext } from "./context.ts";
import { findOpening } from "./lookup.ts";

/** A person's rating of an answer, or its outcome in practice. */
export type Feedback = {
  readonly thumb?: "up" | "down" | undefined;
  readonly text?: string | undefined;
  readonly outcome?: "good" | "bad" | undefined;
  /** Rates the second respondent's answer instead of the deliberation's. */
  readonly second?: boolean | undefined;
};

/** The effect on memory: stored with the answer, answer retired, not stored, or no remembered answer. */
export type FeedbackOutcome =
  | { readonly status: "recorded" | "stored" | "not-remembered" }
  | { readonly status: "retired" | "not-stored"; readonly reason: string };

const MAX_FEEDBACK_LENGTH = 4_000;

/**
 * Records a person's feedback and runs the memory's reaction. `heard`: a run of this process already reacts to the
 * deliberation's events, so recording is enough.
 * @throws Fault `deliberation-missing` (also for another user's), `configuration` without an answer or for too long a text
 */
export async function recordFeedback(
  { engine, principal, store, worker, world }: AppContext,
  id: DeliberationId,
  { thumb, text = "", outcome, second = false, heard = false }: Feedback & { readonly heard?: boolean },
): Promise<FeedbackOutcome> {
  const entries = await store.read(id);
  const opened = findOpening(entries, id);
  if (!belongsTo(opened.data, principal.user)) throw new Fault("deliberation-missing", { id });
  const answer = second ? answerOfB(entries) : answerEvent(entries);
  if (!answer) {
    const why = second ? `no second respondent has answered ${id}` : `${id} has no answer`;
    throw refusal(why, "rate a run that has an answer");
  }
  const words = text.trim();
  if (words.length > MAX_FEEDBACK_LENGTH) {
    const why = `the feedback is ${words.length} characters long`;
    throw refusal(why, `use at most ${MAX_FEEDBACK_LENGTH}`);
  }
  const event: NewEvent = {
    type: "feedback-given",
    data: {
      of: answer.id,
      ...(thumb === undefined ? {} : { thumb }),
      ...(words === "" ? {} : { text: words }),
      ...(outcome === undefined ? {} : { outcome }),
      by: principal.user,
    },
  };
  const appended = await store.append(id, [event], { by: "client", request: `feedback/${world.id()}` });
  const [recorded] = appended.ok ? appended.events : [];
  if (heard || !recorded) return { status: "recorded" };
  await engine.drain(id, { worker, signal: new AbortController().signal });
  return outcomeIn(await store.read(id), recorded);
}

function outcomeIn(entries: readonly Entry[], { id }: Entry): FeedbackOutcome {
  const reaction = entries.find(({ origin }) => origin.by === "reactor" && origin.event === id);
  if (reaction && isEvent(reaction, "engram-annotated")) {
    const { retires } = reaction.data;
    return retires === undefined ? { status: "stored" } : { status: "retired", reason: retires };
  }
  return reaction && isEvent(reaction, "note-taken")
    ? { status: "not-stored", reason: reaction.data.reason }
    : { status: "not-remembered" };
}
