import { isWritersReply, liveAnswer, restAfter } from "../../../app/live-answer.ts";
import type { Entry } from "../../../kernel/index.ts";
import { isToolSeat } from "../../../protocols/phases/client-tools.ts";
import { refusalOf, type HttpRefusal } from "../../../server/problem.ts";
import { isClosed } from "../../../views/result.ts";
import { openingIn, outcomeOf, stageLine, type ApiOutcome, type ApiTurn } from "./run.ts";
import type { ApiCall } from "./structured.ts";

type ReplyListener = {
  /** Takes a line about the event `seq`. */
  readonly stage: (line: string, seq: number) => void;
  /** Takes what will be the answer while it is written; without it, nothing is told before the answer is whole. */
  readonly text?: ((text: string) => void) | undefined;
};

/**
 * Tells a reply as it comes: its stages, those that have been first, then its text while it is written. Once that has begun, no
 * stage stands between its words. `end` gives the text that was told.
 */
export function followReply(
  { parley, followers, caller, signal }: ApiCall,
  { id, nth }: ApiTurn,
  { stage, text }: ReplyListener,
): { readonly end: () => Promise<string> } {
  const { store, frames } = parley.context({}, { principal: caller.principal });
  const entries: Entry[] = [];
  let replied = 0;
  let isOver = false;
  const waiting: string[] = [];
  let sent = "";
  const readOn = async () => {
    for (const entry of await store.read(id, entries.at(-1)?.seq ?? 0)) {
      entries.push(entry);
      if (isToolSeat(entry, "seat-answered")) replied += 1;
      if (replied !== nth - 1) continue;
      isOver ||= text !== undefined && (sent !== "" || isWritersReply(entry));
      const line = isOver ? undefined : stageLine(entry, openingIn(entries));
      if (line !== undefined) stage(line, entry.seq);
    }
  };
  let reading = Promise.resolve();
  // One at a time: two that read at once would tell a stage twice.
  const catchUp = () => (reading = reading.catch(() => undefined).then(readOn));

  const control = new AbortController();
  const give = () => {
    // What is written for a later reply is not this one's.
    if (control.signal.aborted || replied !== nth - 1) return;
    for (const piece of waiting.splice(0)) {
      sent += piece;
      text?.(piece);
    }
  };
  const live = liveAnswer((piece) => {
    waiting.push(piece);
    if (sent !== "") give();
    else if (waiting.length === 1) void catchUp().then(give, () => undefined);
  });
  const unlisten =
    text &&
    frames.listen((frame) => {
      if (frame.deliberation === id) live.take(frame);
    });
  const stop = () => {
    control.abort();
    unlisten?.();
  };
  signal.addEventListener("abort", stop, { once: true });

  const telling = (async () => {
    while (!control.signal.aborted && !isClosed(entries)) {
      const next = followers.next(id, control.signal);
      await catchUp();
      if (!isClosed(entries)) await next;
    }
  })();
  telling.catch(() => undefined);
  return {
    async end() {
      if (control.signal.aborted) return sent;
      try {
        await catchUp();
      } finally {
        stop();
        signal.removeEventListener("abort", stop);
      }
      await telling;
      return sent;
    },
  };
}

type ReplyTeller = ReplyListener & {
  /** Takes what it came to; `rest`: the pieces of its text that were not told yet. */
  readonly outcome: (outcome: ApiOutcome, rest: readonly string[]) => void;
  readonly failed: (refusal: HttpRefusal) => void;
};

/** Tells a reply in a stream until it has ended, or why there is none. */
export async function tellReply(
  call: ApiCall,
  { turn, stream, outcome, failed, ...listener }: ReplyTeller & { turn: ApiTurn; stream: { end(): void } },
): Promise<void> {
  const following = followReply(call, turn, listener);
  try {
    const whole = await outcomeOf(call, turn);
    outcome(whole, piecesOf(restAfter(await following.end(), whole.text, whole.degraded)));
    stream.end();
  } catch (error) {
    if (call.response.destroyed) return;
    const refusal = refusalOf(error);
    // A library that is told nothing sends the request again, and joins it.
    if (refusal.code === "interrupted") return void call.response.destroy();
    failed(refusal);
    stream.end();
  } finally {
    await following.end();
  }
}

/** A text in pieces of at most so many characters, none of which is cut in two. */
export function piecesOf(text: string, size = 400): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + size;
    const last = text.charCodeAt(end - 1);
    const cut = last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
    pieces.push(text.slice(at, cut));
    at = cut;
  }
  return pieces;
}
