import { sameAnswer } from "../../replies/answer.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import { arithmetic, storySolvers } from "./arithmetic.ts";
import { comparisonSolvers, countingSolvers } from "./numbers.ts";
import { logicSolvers } from "./logic.ts";
import { slips, type WorkedSolution, type Solver } from "./solution.ts";

export type { WorkedSolution } from "./solution.ts";

const solvers: readonly Solver[] = [
  arithmetic,
  ...countingSolvers,
  ...comparisonSolvers,
  ...logicSolvers,
  ...storySolvers,
];

const MAX_QUESTION_LENGTH = 8_000;

/**
 * The solution of a question that can be worked out, from all of it or else from the sentence that asks; null for all
 * others. `recalled` is asked first, for what is known rather than worked out.
 */
export function solve(question: string, recalled: Solver): WorkedSolution | null {
  const whole = question.slice(0, MAX_QUESTION_LENGTH).replaceAll("\r\n", "\n").trim();
  const solvePlain = (text: string): WorkedSolution | null => recalled(text) ?? workOut(text);
  const solution = choose(whole, solvePlain) ?? solvePlain(whole);
  if (solution === null) return null;
  const wrong = solution.wrong.length > 0 ? solution.wrong : slips(solution.answer);
  return { ...solution, wrong: wrong.filter((one) => one !== solution.answer) };
}

function workOut(whole: string): WorkedSolution | null {
  const sentences = whole.split(/(?<=[.?!])\s+|\n+/).filter((sentence) => sentence.trim() !== "");
  const questions = sentences.filter((sentence) => sentence.endsWith("?"));
  for (const text of new Set([whole, ...questions, ...(questions.length === 0 ? sentences.slice(-1) : [])]))
    for (const solver of solvers) {
      const solution = solver(text);
      if (solution !== null) return solution;
    }
  return null;
}

const option = /(?:^|\n|\s)\(?([A-H])[).:]\s+(.+?)(?=(?:\s*\n|\s+)\(?[A-H][).:]\s|\s*$)/gs;

/** Answers a multiple-choice question by its letter, where its stem can be solved and one option says the result. */
function choose(question: string, solveStem: (stem: string) => WorkedSolution | null): WorkedSolution | null {
  const matches = [...question.matchAll(option)];
  const options = matches.map(([, letter = "", text = ""]) => ({ letter, text: text.trim() }));
  const isOrdered = options.every(({ letter }, index) => letter === String.fromCharCode(65 + index));
  if (options.length < 2 || !isOrdered) return null;
  const solution = solveStem(question.slice(0, matches[0]?.index ?? 0).trim());
  const right = solution && extractAnswer(`Final answer: ${solution.answer}`);
  const [chosen, other] = options.filter(({ text }) => {
    const answer = extractAnswer(`Final answer: ${text}`);
    return right !== null && answer !== null && sameAnswer(right, answer);
  });
  if (!solution || chosen === undefined || other !== undefined) return null;
  const findText = (letter: string): string => options.find((one) => one.letter === letter)?.text ?? "";
  return {
    answer: chosen.letter,
    working: (letter) => `${solution.working(findText(letter))} That is option ${letter}.`,
    wrong: options.flatMap(({ letter }) => (letter === chosen.letter ? [] : [letter])),
  };
}
