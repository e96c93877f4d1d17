/** What a question comes to, how one gets there, and mistakes that someone might make. */
export type WorkedSolution = {
  /** As it is written after `Final answer:`. */
  readonly answer: string;
  /** One line that leads to `answer`, or to a mistake put in its place. */
  readonly working: (answer: string) => string;
  /** Plausible mistakes; when empty and the answer is a number, they are made from its digits. */
  readonly wrong: readonly string[];
};

/** One kind of question: its solution, or null when it is not of that kind. */
export type Solver = (question: string) => WorkedSolution | null;

/** A yes or a no with the opposite as the mistake. */
export const yesOrNo = (yes: boolean, working: string): WorkedSolution => ({
  answer: yes ? "yes" : "no",
  working: (answer) => `${working} So the answer is ${answer}.`,
  wrong: [yes ? "no" : "yes"],
});

/** Off by one, by ten, two digits swapped: the slips of people who calculate. */
export function slips(answer: string): string[] {
  const [, sign = "", digits = "", rest = ""] = /^(-?)(\d{1,300})(.*)$/s.exec(answer) ?? [];
  if (digits === "") return [];
  const value = BigInt(digits);
  const numbers = [value + 1n, value - 1n, value + 10n, value + 2n, value - 10n].filter((one) => one >= 0n);
  const swaps = [...digits].flatMap((digit, index) => {
    const next = digits[index + 1];
    return next === undefined || (index === 0 && next === "0")
      ? []
      : [digits.slice(0, index) + next + digit + digits.slice(index + 2)];
  });
  const written = [...numbers.map(String), ...swaps].map((one) => `${sign}${one}${rest}`);
  return [...new Set(written)].filter((one) => one !== answer && one !== `-${answer}` && one !== "-0");
}
