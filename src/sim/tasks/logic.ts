import type { Form } from "./form.ts";
import { islandOf, lineOf } from "./people.ts";

const WORDS = [
  "strawberry",
  "committee",
  "parallel",
  "engineering",
  "possession",
  "bookkeeper",
  "Mississippi",
  "assassination",
  "concurrence",
  "referendum",
  "accommodation",
  "millennium",
  "rhinoceros",
  "encyclopaedia",
  "misspelling",
  "necessary",
  "occurrence",
  "recommendation",
  "satellite",
  "successor",
] as const;

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

/** Questions whose answer is a name, a count or a letter. */
export const logicForms: readonly Form[] = [
  {
    name: "order",
    pose: (draw, level) => {
      const { told, people, words } = lineOf(draw, 3 + level);
      const most = draw.flip("most");
      return {
        question: `${told} Who is the ${most ? words.most : words.least}?`,
        answer: (most ? people[0] : people.at(-1)) ?? "",
      };
    },
  },
  {
    name: "choice",
    pose: (draw, level) => {
      const { told, people, words } = lineOf(draw, 3 + level);
      const most = draw.flip("most");
      const right = (most ? people[0] : people.at(-1)) ?? "";
      const others = draw.some(
        "others",
        people.filter((name) => name !== right),
        3,
      );
      const options = draw.some("options", [right, ...others], 4);
      const letters = "ABCD";
      const list = options.map((name, index) => `${letters[index]}) ${name}`).join("\n");
      return {
        question: `${told} Who is the ${most ? words.most : words.least}?\n${list}`,
        answer: letters[options.indexOf(right)] ?? "",
      };
    },
  },
  {
    name: "letters",
    pose: (draw, level) => {
      const words = draw.some("words", WORDS, level);
      const text = words.join(" and ").toLowerCase();
      const letter = draw.pick("letter", [..."aceimnors"] as ["a", ...string[]]);
      const count = [...text].filter((one) => one === letter).length;
      const where = level === 1 ? `the word "${text}"` : `"${text}"`;
      return {
        question: `How many times does the letter "${letter}" appear in ${where}?`,
        answer: String(count),
      };
    },
  },
  {
    name: "primes",
    pose: (draw, level) => {
      const low = draw.integer("low", 2, 40 * level);
      const high = low + draw.integer("span", 8, 12 * level);
      let count = 0;
      for (let value = low; value <= high; value += 1) if (isPrime(value)) count += 1;
      return {
        question: `How many prime numbers are there between ${low} and ${high}, both included?`,
        answer: String(count),
      };
    },
  },
  {
    name: "weekday",
    pose: (draw, level) => {
      const today = draw.integer("today", 0, 6);
      const days = draw.integer("days", 8, 10 + 40 * level ** 2);
      return {
        question: `If today is ${DAYS[today]}, what day is it in ${days} days?`,
        answer: DAYS[(today + days) % 7] ?? "",
      };
    },
  },
  {
    name: "knight",
    pose: (draw) => {
      for (let turn = 0; ; turn += 1) {
        const island = islandOf(draw.within(turn));
        const [knight, other] = island.knights;
        if (knight === undefined || other !== undefined) continue;
        return {
          question: `Knights always tell the truth, knaves always lie. ${island.told} Who is the only knight?`,
          answer: knight,
        };
      }
    },
  },
];

export const isPrime = (value: number): boolean => {
  if (value < 2) return false;
  for (let divisor = 2; divisor * divisor <= value; divisor += 1) if (value % divisor === 0) return false;
  return true;
};
