import { extractAnswer, sameAnswer } from "../../judging/index.ts";
import type { Solution } from "./solution.ts";

const option = /(?:^|\n|\s)\(?([A-H])[).:]\s+(.+?)(?=(?:\s*\n|\s+)\(?[A-H][).:]\s|\s*$)/gs;

/** The stem of a multiple-choice question with its options by letter; null where there are none. */
function optionsIn(
  question: string,
): { readonly stem: string; readonly options: readonly (readonly [letter: string, text: string])[] } | null {
  const found = [...question.matchAll(option)];
  const options = found.map(([, letter = "", text = ""]) => [letter, text.trim()] as const);
  const inOrder = options.every(([letter], index) => letter === String.fromCharCode(65 + index));
  return options.length < 2 || !inOrder
    ? null
    : { stem: question.slice(0, found[0]?.index ?? 0).trim(), options };
}

/** Answers a multiple-choice question by its letter, where `solve` can tell what its stem comes to and one option says so. */
export function choose(question: string, solve: (stem: string) => Solution | null): Solution | null {
  const read = optionsIn(question);
  const solution = read && solve(read.stem);
  if (!solution) return null;
  const right = extractAnswer(`Final answer: ${solution.answer}`);
  const letters = read.options.map(([letter]) => letter);
  const fitting = read.options.filter(([, text]) => {
    const answer = extractAnswer(`Final answer: ${text}`);
    return right !== null && answer !== null && sameAnswer(right, answer);
  });
  const [chosen, other] = fitting;
  if (chosen === undefined || other !== undefined) return null;
  return {
    answer: chosen[0],
    working: (letter) =>
      `${solution.working(read.options.find(([one]) => one === letter)?.[1] ?? "")} That is option ${letter}.`,
    wrong: letters.filter((letter) => letter !== chosen[0]),
  };
}
