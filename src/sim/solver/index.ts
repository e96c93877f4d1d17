import { arithmetic } from "./arithmetic.ts";
import { choose } from "./choice.ts";
import { comparisonSolvers } from "./comparison.ts";
import { countingSolvers } from "./counting.ts";
import { logicSolvers } from "./logic.ts";
import { slips, type Solution, type Solver } from "./solution.ts";
import { storySolvers } from "./word-problem.ts";

export type { Solution } from "./solution.ts";

const solvers: readonly Solver[] = [
  arithmetic,
  ...countingSolvers,
  ...comparisonSolvers,
  ...logicSolvers,
  ...storySolvers,
];

const longestQuestion = 8_000;

/**
 * The solution of a question that can be worked out, from all of it or else from the sentence that asks; null for all
 * others. `recalled` is asked first, for what is known rather than worked out.
 */
export function solve(question: string, recalled: Solver): Solution | null {
  const whole = question.slice(0, longestQuestion).replaceAll("\r\n", "\n").trim();
  const plainly = (text: string): Solution | null => recalled(text) ?? worked(text);
  const solution = choose(whole, plainly) ?? plainly(whole);
  if (solution === null) return null;
  const wrong = solution.wrong.length > 0 ? solution.wrong : slips(solution.answer);
  return { ...solution, wrong: wrong.filter((one) => one !== solution.answer) };
}

function worked(whole: string): Solution | null {
  const sentences = whole.split(/(?<=[.?!])\s+|\n+/).filter((sentence) => sentence.trim() !== "");
  const asked = sentences.filter((sentence) => sentence.endsWith("?"));
  for (const text of new Set([whole, ...asked, ...(asked.length === 0 ? sentences.slice(-1) : [])])) {
    for (const solver of solvers) {
      const solution = solver(text);
      if (solution !== null) return solution;
    }
  }
  return null;
}
