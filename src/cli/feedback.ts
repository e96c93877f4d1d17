import { isOf, type Parley } from "../compose/index.ts";
import { Fault, isEvent, type DeliberationId, type Entry, type NewEvent } from "../kernel/index.ts";
import { givenAnswer, secondAnswer } from "../projections/index.ts";

/** What a person thinks of an answer, or what came of it. */
export type Verdict = {
  readonly thumb?: "up" | "down" | undefined;
  readonly text?: string | undefined;
  readonly outcome?: "good" | "bad" | undefined;
  /** Of the second respondent's answer, instead of the deliberation's. */
  readonly second?: boolean;
  /** Whether this process answers the deliberation's events already, so that it is enough to record it. */
  readonly heard?: boolean;
};

/** So many characters of a person's words are kept. */
const MOST_CHARACTERS = 4_000;

/** Records a person's feedback and lets memory hear of it; a line that says what became of it. @throws Fault `configuration` */
export async function recordFeedback(
  { engine, settings, store, worker, world }: Parley,
  id: DeliberationId,
  { thumb, text = "", outcome, second = false, heard = false }: Verdict,
): Promise<string> {
  const entries = await store.read(id);
  const [opened] = entries;
  if (!opened || !isEvent(opened, "deliberation-opened") || !isOf(opened.data, settings.user))
    throw new Fault("deliberation-missing", { id });
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
  const appended = await store.append(id, [event], { by: "client", request: `feedback/${world.id()}` });
  const [given] = appended.ok ? appended.events : [];
  if (heard || !given) return "Noted";
  await engine.drain(id, { worker, signal: new AbortController().signal });
  return becameOf(given, await store.read(id));
}

/** What memory did with a person's feedback, in a line. */
function becameOf({ id }: Entry, entries: readonly Entry[]): string {
  const [said] = entries.filter(
    ({ origin }) => origin.by === "reactor" && origin.reactor === "memory" && origin.event === id,
  );
  if (said && isEvent(said, "engram-annotated"))
    return said.data.retires === undefined
      ? "Noted, and remembered with the answer"
      : `Noted; the answer is not recalled any more: ${said.data.retires}`;
  return said && isEvent(said, "note-taken")
    ? `Noted; memory has not taken it: ${said.data.reason}`
    : "Noted; nothing remembers the answer";
}
