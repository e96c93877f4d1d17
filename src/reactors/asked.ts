import type { Reaction, Turn } from "../engine/index.ts";
import { shortened } from "../judging/index.ts";

/** So many turns before a question are shown to a judge, the latest, and so much of each text. */
const TURNS = 3;
const TURN_CHARACTERS = 600;

/** What an answer answers, as a judge has to see it: the question, what was given with it, and the conversation that it may rest on. */
export const askedOf = ({
  context,
  question,
  turns,
}: Pick<Reaction, "context" | "question" | "turns">): {
  readonly question: string;
  readonly context: Reaction["context"];
  readonly turns: readonly Turn[];
} => ({
  question,
  context,
  turns: turns.slice(-TURNS).map((turn) => ({
    question: shortened(turn.question, TURN_CHARACTERS),
    answer: shortened(turn.answer, TURN_CHARACTERS),
  })),
});
