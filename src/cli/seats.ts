import type { OwnSeat, PendingSeat } from "../contract/runs.ts";
import type { Parley } from "../app/parley.ts";
import type { Run } from "../app/run.ts";
import type { SeatAnswer } from "../app/seats.ts";
import type { PersonRequest } from "../app/people.ts";
import { isEvent, type DeliberationId, type UserId, refusal } from "../kernel/index.ts";
import { oneLine, printable } from "../reports/printable.ts";
import { quoteValue } from "../text/words.ts";
import { documentText, faceOf, type Io } from "./command.ts";
import { pendingSeats } from "../views/pending-seats.ts";

/** How a person on this terminal left the steps of a run: with answers, with a step unanswered, or without any step. */
export type Taken = "answered" | "left" | "none";

/** Asks on the terminal for each step of a run that waits for the caller, as it opens, while the models go on. */
export async function takeSeats(
  io: Io,
  { me, user }: { readonly me: Parley; readonly user: UserId },
  { run, onAsk }: { readonly run: Run; readonly onAsk: () => void },
): Promise<Taken> {
  let taken: Taken = "none";
  for await (const entry of run.events({ until: "outcome" })) {
    if (!isEvent(entry, "seat-opened") || entry.data.person !== user) continue;
    const { step } = entry.data;
    if (!pendingSeats(run.recorded()).some((one) => one.step === step)) continue;
    const seat = (await me.seats(run.id)).find((one) => one.step === step);
    if (!seat) continue;
    onAsk();
    taken = await askSeat(io, me, seat);
    if (taken === "left") {
      run.interrupt();
      return taken;
    }
  }
  return taken;
}

/** Shows a step's prompt on the terminal and records the answer that is typed. */
export async function askSeat(io: Io, me: Parley, seat: OwnSeat): Promise<Taken> {
  const { output } = io;
  const { readTypedAnswer } = await import("./typed-answer.ts");
  output.note(await seatText(io, seat));
  output.note("Type your answer; end it with a line of one dot, or Ctrl-D. /edit opens your editor.");
  for (;;) {
    const text = await readTypedAnswer(io.env);
    if (text === undefined) return "left";
    if (await recordSeat(io, me, { seat, text })) return "answered";
    output.note("Answer again, or leave it waiting with Ctrl-C.");
  }
}

/** Records an answer or an abstention, and says how that went; false where the step cannot use it. */
export async function recordSeat(
  { output }: Pick<Io, "output">,
  me: Parley,
  { seat: { id, step }, ...answer }: { readonly seat: Pick<OwnSeat, "id" | "step"> } & SeatAnswer,
): Promise<boolean> {
  const outcome = await me.answerSeat(id, { ...answer, step });
  if (outcome.status === "refused") output.note(`Not recorded: ${oneLine(outcome.why, 600)}`);
  else
    output.note(
      outcome.status === "late"
        ? `Not recorded: ${outcome.why}`
        : `Your ${"text" in answer ? "answer" : "abstention"} is recorded`,
    );
  return outcome.status !== "refused";
}

/** A step's prompt as a person reads it, between two lines; nothing in it acts on a terminal. */
export async function seatText({ output }: Pick<Io, "output">, seat: OwnSeat): Promise<string> {
  const { terminal, color, columns: width } = output.stderr;
  const face = terminal ? { ...(await faceOf({ ...output, stdout: output.stderr })) } : { color, width };
  const prompt = seat.messages.map(({ text }) => printable(text).trim()).join("\n\n");
  const rule = "─".repeat(Math.min(width ?? 60, 60));
  return [`${rule}\n${describeSeat(seat)}\n${rule}`, documentText(prompt, face).trimEnd(), rule].join("\n\n");
}

function describeSeat({ id, work, round, until }: PendingSeat & { readonly id: DeliberationId }): string {
  const which = round === null ? work : `${work}, round ${round}`;
  return `Run ${id}: your ${which}${until === null ? "" : `, until ${shortTime(until)}`}`;
}

/** `2026-11-22 14:05 UTC` */
export const shortTime = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;

/** The seats of a command line, each `who:seat`. @throws Fault `configuration` */
export function readSeats(written: readonly string[]): { readonly seats?: readonly PersonRequest[] } {
  const seats = written.map((one) => {
    const at = one.lastIndexOf(":");
    if (at > 0 && at < one.length - 1) return { name: one.slice(0, at), seat: one.slice(at + 1) };
    const why = `--seat needs WHO:SEAT (got ${quoteValue(one)})`;
    throw refusal(why, "--seat me:member");
  });
  return seats.length > 0 ? { seats } : {};
}
