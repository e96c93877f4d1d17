import type { Parley } from "../compose/index.ts";
import { Fault, isEvent, type DeliberationId, type NewEvent } from "../kernel/index.ts";
import { givenAnswer, secondAnswer } from "../projections/index.ts";

/** What a person thinks of an answer, or what came of it. */
export type Verdict = {
  readonly thumb?: "up" | "down" | undefined;
  readonly text?: string | undefined;
  readonly outcome?: "good" | "bad" | undefined;
  /** Of the second respondent's answer, instead of the deliberation's. */
  readonly second?: boolean;
};

/** So many characters of a person's words are kept. */
const MOST_CHARACTERS = 4_000;

/** Records a person's feedback and lets memory hear of it; a line that says what became of it. @throws Fault `configuration` */
export async function recordFeedback(
  { engine, settings, store, worker, world }: Parley,
  id: DeliberationId,
  { thumb, text = "", outcome, second = false }: Verdict,
): Promise<string> {
  const entries = await store.read(id);
  const answer = second ? secondAnswer(entries) : givenAnswer(entries);
  if (!answer) {
    const why = second ? `no second respondent has answered ${id}` : `${id} has no answer`;
    throw new Fault("configuration", { why, next: `parley show ${id}` });
  }
  const words = text.trim();
  if (words.length > MOST_CHARACTERS) {
    const why = `these are ${words.length} characters`;
    throw new Fault("configuration", { why, next: `say it in ${MOST_CHARACTERS} at most` });
  }
  const event: NewEvent = {
    type: "feedback-given",
    data: {
      of: answer.id,
      ...(thumb === undefined ? {} : { thumb }),
      ...(words === "" ? {} : { text: words }),
      ...(outcome === undefined ? {} : { outcome }),
      by: settings.user,
    },
  };
  const before = entries.length;
  await store.append(id, [event], { by: "client", request: `feedback/${world.id()}` });
  await engine.drain(id, { worker, signal: new AbortController().signal });
  const news = (await store.read(id)).slice(before);
  const annotated = news.find((entry) => isEvent(entry, "engram-annotated"));
  if (annotated && isEvent(annotated, "engram-annotated"))
    return annotated.data.retires === undefined
      ? `Noted, and remembered with the answer`
      : `Noted; the answer is not recalled any more: ${annotated.data.retires}`;
  const lapsed = news.find((entry) => isEvent(entry, "note-taken"));
  const why = lapsed && isEvent(lapsed, "note-taken") ? `: ${lapsed.data.reason}` : "";
  return `Noted; nothing remembers the answer${why}`;
}
