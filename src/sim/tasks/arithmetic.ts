import { joinWords, listForms, type Draw, type Form, type Posed } from "./form.ts";

/** A whole number of this many digits, without a leading zero. */
const digits = (draw: Draw, name: string, count: number): number =>
  draw.integer(name, 10 ** (count - 1), 10 ** count - 1);

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

const pose = (question: string, answer: number): Posed => ({ question, answer: String(answer) });

const forms: { readonly [name: string]: Form["pose"] } = {
  sum: (draw, level) => {
    const [a, b, c] = [digits(draw, "a", level + 1), digits(draw, "b", level + 1), digits(draw, "c", level)];
    return pose(`What is ${a} + ${b} - ${c}?`, a + b - c);
  },
  product: (draw, level) => {
    const [a, b] = [digits(draw, "a", level + 1), digits(draw, "b", 2)];
    return pose(`What is ${a} * ${b}?`, a * b);
  },
  brackets: (draw, level) => {
    const [a, b] = [digits(draw, "a", level), digits(draw, "b", level)];
    const [c, d] = [draw.integer("c", 3, 12), digits(draw, "d", level)];
    return pose(`What is (${a} + ${b}) * ${c} - ${d}?`, (a + b) * c - d);
  },
  percent: (draw, level) => {
    const percent = 5 * draw.integer("percent", 1, 19);
    const base = 20 * draw.integer("base", 2, 12 * level ** 2);
    return pose(`What is ${percent}% of ${base}?`, (percent * base) / 100);
  },
  remainder: (draw, level) => {
    const [a, b] = [digits(draw, "a", level + 1), draw.integer("b", 3, 9 + 10 * (level - 1))];
    return pose(`What is the remainder when ${a} is divided by ${b}?`, a % b);
  },
  divisor: (draw, level) => {
    const shared = draw.integer("shared", 2, 6 * level);
    const [a, b] = [shared * draw.integer("a", 2, 9 * level), shared * draw.integer("b", 2, 9 * level)];
    return pose(`What is the greatest common divisor of ${a} and ${b}?`, gcd(a, b));
  },
  mean: (draw, level) => {
    const mean = digits(draw, "mean", level + 1);
    const [one, other] = [draw.integer("one", 1, mean - 1), draw.integer("other", 1, mean - 1)];
    const numbers = draw.some("order", [mean - one, mean + one, mean - other, mean + other], 4);
    return pose(`What is the average of ${joinWords(numbers)}?`, mean);
  },
  boxes: (draw, level) => {
    const [boxes, each] = [draw.integer("boxes", 3, 9 * level), draw.integer("each", 4, 15 * level)];
    const thing = draw.pick("thing", ["pens", "eggs", "candles", "bolts", "stamps"]);
    const question = `There are ${boxes} boxes with ${each} ${thing} each. How many ${thing} are there?`;
    return pose(question, boxes * each);
  },
  journey: (draw, level) => {
    const speed = 5 * draw.integer("speed", 4, 16 + 8 * level);
    const hours = draw.integer("hours", 2, 8 + 4 * level);
    const question = `A train travels at ${speed} km/h for ${hours} hours. How far does it go, in kilometres?`;
    return pose(question, speed * hours);
  },
};

/** Questions whose answer is a whole number. */
export const arithmeticForms: readonly Form[] = listForms(forms);
