import type { Draw } from "./draw.ts";
import { listed, type Form } from "./form.ts";

/** A whole number of `digits` digits, without a leading zero. */
const digits = (draw: Draw, name: string, count: number): number =>
  draw.integer(name, 10 ** (count - 1), 10 ** count - 1);

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** Questions whose answer is a whole number. */
export const arithmeticForms: readonly Form[] = [
  {
    name: "sum",
    pose: (draw, level) => {
      const [a, b, c] = [
        digits(draw, "a", level + 1),
        digits(draw, "b", level + 1),
        digits(draw, "c", level),
      ];
      return { question: `What is ${a} + ${b} - ${c}?`, answer: String(a + b - c) };
    },
  },
  {
    name: "product",
    pose: (draw, level) => {
      const [a, b] = [digits(draw, "a", level + 1), digits(draw, "b", 2)];
      return { question: `What is ${a} * ${b}?`, answer: String(a * b) };
    },
  },
  {
    name: "brackets",
    pose: (draw, level) => {
      const [a, b] = [digits(draw, "a", level), digits(draw, "b", level)];
      const [c, d] = [draw.integer("c", 3, 12), digits(draw, "d", level)];
      return { question: `What is (${a} + ${b}) * ${c} - ${d}?`, answer: String((a + b) * c - d) };
    },
  },
  {
    name: "percent",
    pose: (draw, level) => {
      const [percent, base] = [
        5 * draw.integer("percent", 1, 19),
        20 * draw.integer("base", 2, 12 * level ** 2),
      ];
      return { question: `What is ${percent}% of ${base}?`, answer: String((percent * base) / 100) };
    },
  },
  {
    name: "remainder",
    pose: (draw, level) => {
      const [a, b] = [digits(draw, "a", level + 1), draw.integer("b", 3, 9 + 10 * (level - 1))];
      return { question: `What is the remainder when ${a} is divided by ${b}?`, answer: String(a % b) };
    },
  },
  {
    name: "divisor",
    pose: (draw, level) => {
      const shared = draw.integer("shared", 2, 6 * level);
      const [a, b] = [shared * draw.integer("a", 2, 9 * level), shared * draw.integer("b", 2, 9 * level)];
      return {
        question: `What is the greatest common divisor of ${a} and ${b}?`,
        answer: String(gcd(a, b)),
      };
    },
  },
  {
    name: "mean",
    pose: (draw, level) => {
      const mean = digits(draw, "mean", level + 1);
      const [one, other] = [draw.integer("one", 1, mean - 1), draw.integer("other", 1, mean - 1)];
      const numbers = draw.some("order", [mean - one, mean + one, mean - other, mean + other], 4);
      return { question: `What is the average of ${listed(numbers)}?`, answer: String(mean) };
    },
  },
  {
    name: "boxes",
    pose: (draw, level) => {
      const [boxes, each] = [draw.integer("boxes", 3, 9 * level), draw.integer("each", 4, 15 * level)];
      const thing = draw.pick("thing", ["pens", "eggs", "candles", "bolts", "stamps"]);
      return {
        question: `There are ${boxes} boxes with ${each} ${thing} each. How many ${thing} are there?`,
        answer: String(boxes * each),
      };
    },
  },
  {
    name: "journey",
    pose: (draw, level) => {
      const [speed, hours] = [
        5 * draw.integer("speed", 4, 16 + 8 * level),
        draw.integer("hours", 2, 8 + 4 * level),
      ];
      return {
        question: `A train travels at ${speed} km/h for ${hours} hours. How far does it go, in kilometres?`,
        answer: String(speed * hours),
      };
    },
  },
];
