import { solve } from "../solver/index.ts";
import { drawFrom } from "./draw.ts";
import type { Task } from "./task.ts";

/** Two answers with their working to one question, and which of them is right: what a judge is measured on. */
export type Pair = {
  readonly question: string;
  readonly a: string;
  readonly b: string;
  readonly label: "A" | "B";
};

const ASIDES = [
  "I have gone through it step by step and kept an eye on the units and the signs.",
  "Going over it once more from the other end leads to the same place as before.",
  "A rough estimate beforehand gave about what one would expect for a question like this one.",
] as const;

/**
 * A right and a wrong answer to every task. The right one is A and B equally often, and within each the longer and
 * the shorter one equally often, so that neither place nor length tells which is right; the order is drawn.
 */
export function pairsOf(tasks: readonly Task[], seed: string): Pair[] {
  const places = drawFrom(["pairs", seed]).some("places", [...tasks.keys()], tasks.length);
  return tasks.map(({ question, answer }, index) => {
    const solution = solve(question, () => null);
    const draw = drawFrom(["pair", seed, question]);
    const [mistake, ...others] = solution?.wrong ?? [];
    if (!solution || mistake === undefined)
      throw new RangeError(`no mistake can be made in "${question.slice(0, 80)}"`);
    const place = places[index] ?? 0;
    const longer = place % 4 < 2;
    const text = (result: string, long: boolean): string =>
      [
        solution.working(result),
        ...(long ? [draw.pick("aside", ASIDES)] : []),
        `Final answer: ${result}`,
      ].join("\n");
    const right = text(answer, longer);
    const wrong = text(draw.pick("mistake", [mistake, ...others]), !longer);
    return place % 2 === 0
      ? { question, a: right, b: wrong, label: "A" as const }
      : { question, a: wrong, b: right, label: "B" as const };
  });
}
