import type { Interface } from "node:readline";
import { oneLine, printable } from "../../../reports/printable.ts";
import { scoreLine } from "../../../reports/score.ts";
import { styleOf } from "../../../reports/style.ts";
import { answerEvent, answerOfB, gradeOf } from "../../../views/answer-event.ts";
import type { Face, Io } from "../../../cli/command.ts";
import type { TurnResult } from "./turn.ts";
import type { Showing } from "../../../cli/session.ts";

// A score that comes late is written above the line that is being typed, which stays as it is; within an answer it waits for its end.

/** The line that is typed on, and what is written above it. */
export function createChatScreen({ output }: Io, lines: Interface, interactive: boolean) {
  const { color, terminal } = output.stdout;
  let busy = false;
  let ended = false;
  let held: string[] = [];
  const write = async (line: string): Promise<void> => {
    // What belongs to an answer that is no longer the last one on the screen waits for the end of the next.
    if (busy) return void held.push(line);
    if (!terminal) return output.note(line);
    const typing = interactive && !ended;
    await output.result(`${typing ? "\r\u001b[K" : ""}${line}\n`);
    if (typing) lines.prompt(true);
  };
  return {
    async busy(now: boolean): Promise<void> {
      busy = now;
      if (busy) return;
      const late = held;
      held = [];
      for (const line of late) await write(line);
    },
    write,
    prompt: () => (interactive ? lines.prompt(true) : undefined),
    /** Shows a line that was typed while nobody could see it, where it would stand had it been typed now. */
    asked: (line: string) => output.result(`\r\u001b[J> ${printable(line)}\n`),
    end: () => void (ended = true),
    async showScore(one: TurnResult, { quiet, events }: Showing): Promise<void> {
      const grade = gradeOf(one.run.recorded(), answerEvent(one.run.recorded())?.id);
      const line = grade && scoreLine(grade, { style: styleOf(color), width: output.stdout.columns });
      if (quiet || events || !line) return;
      await write(line);
    },
  };
}

export function wordScore(lastTurn: TurnResult | undefined, face: Face): string {
  if (!lastTurn) return "There is no answer yet";
  const grade = gradeOf(lastTurn.run.recorded(), answerEvent(lastTurn.run.recorded())?.id);
  if (!grade) return "There is no score yet";
  const { score, feedback, rubric, by, why } = grade;
  return score === null
    ? `No score: ${oneLine(why ?? "no reason was recorded", 600)}`
    : `${score}/5 by ${oneLine(by ?? "a judge")}, rubric ${oneLine(rubric, 60)}:\n${foreignText(feedback.slice(0, 8_000), face)}`;
}

export function wordSecond(lastTurn: TurnResult | undefined, face: Face): string {
  const second = lastTurn && answerOfB(lastTurn.run.recorded());
  return second
    ? `Second model:\n${foreignText(second.data.text, face)}`
    : "There is no answer of a second model yet";
}

/** A model's text: rendered on a terminal, as it was written elsewhere. */
export const foreignText = (text: string, { markdown, width }: Face): string =>
  (markdown ? markdown(text, width).join("\n") : printable(text)).trimEnd();
