import { callOf, Fault, workOf, type Entry, type Frame, type Work } from "../kernel/index.ts";
import type { Outcome } from "./outcome.ts";
import { answerSoFar } from "../replies/answer-so-far.ts";

/**
 * Hears what will be the answer while it is written: by who answers alone, or by the chair or the judge that writes for all. Only the first
 * attempt of that turn is heard; where another takes its place, `restAfter` says so.
 */
export function liveAnswer(send: (text: string) => void): {
  /** Takes a frame of the run. */
  readonly take: (frame: Frame) => void;
  readonly sent: () => string;
} {
  let read: ((piece: string) => string) | undefined;
  let step: string | undefined;
  let offset = 0;
  let sent = "";
  return {
    take(frame) {
      if (frame.kind !== "text") return;
      const { work, delta } = frame;
      const isAlone = work?.kind === "answer";
      if (!isWriter(work)) return;
      if (delta.attempt > 1 || delta.offset !== offset || (step !== undefined && frame.step !== step)) return;
      step = frame.step;
      offset += delta.text.length;
      read ??= isAlone ? (text) => text : answerSoFar(frame.isObject === true);
      const text = read(delta.text);
      if (text === "") return;
      sent += text;
      send(text);
    },
    sent: () => sent,
  };
}

/** True of the work of who answers alone, or writes for all. */
const isWriter = (work: Work | undefined): boolean =>
  work?.kind === "synthesis" || (work?.kind === "answer" && work.by === "A");

/** True of the event of a reply that `liveAnswer` heard while it was written. */
export const isWritersReply = (entry: Entry): boolean =>
  isWriter(workOf(entry)) && callOf(entry)?.ok === true;

/**
 * What `liveAnswer` sends in all of a reply that is recorded in these entries, where that is the beginning of its text; undefined where
 * another attempt took the first one's place.
 */
export function writtenLive(entries: readonly Entry[], text: string): string | undefined {
  const first = entries.find((entry) => isWriter(workOf(entry)) && callOf(entry));
  const call = first && callOf(first);
  if (!first || !call?.ok || call.attempts > 1) return undefined;
  const shown = shownOf(call.reply, workOf(first)?.kind === "answer");
  return text.startsWith(shown) ? shown : undefined;
}

/** What may be shown of a reply that is no answer yet, of who answers alone or writes for all. */
export const shownOf = (reply: string, isAlone: boolean): string =>
  isAlone ? reply : answerSoFar(true)(reply) || answerSoFar(false)(reply);

/** The text of a run's answer, from its live frames and at last from its outcome. @throws Fault `answer-differs` */
export async function* answerText(
  tokens: AsyncIterable<Frame>,
  outcome: Promise<Pick<Outcome, "id" | "result">>,
  onRestart?: () => void,
): AsyncGenerator<string> {
  const ready: string[] = [];
  const live = liveAnswer((text) => void ready.push(text));
  for await (const token of tokens) {
    live.take(token);
    yield* ready.splice(0);
  }
  const { id, result } = await outcome;
  const text = result?.answer ?? "";
  const isKept = text.startsWith(live.sent());
  if (!isKept && !onRestart) throw new Fault("answer-differs", { id });
  if (!isKept) onRestart?.();
  const rest = isKept ? text.slice(live.sent().length) : text;
  if (rest !== "") yield rest;
}

/** What stands between a text that was sent live and another that took its place. */
export const BEGUN_AGAIN = "\n\n(The text above was begun again. This is the whole answer.)\n\n";

/** What is left to give after a text that was sent live; `note` says what is missing of the answer. */
export function restAfter(sent: string, text: string, note = ""): string {
  if (sent === "") return note === "" ? text : `${note}\n\n${text}`;
  const after = note === "" ? "" : `\n\n${note}`;
  const shown = text.startsWith(sent) ? sent : sent.trimStart();
  if (text.startsWith(shown)) return `${text.slice(shown.length)}${after}`;
  return `${BEGUN_AGAIN}${text}${after}`;
}
