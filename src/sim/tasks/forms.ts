import { createChance } from "../chance.ts";
import { DAYS } from "../solver/arithmetic.ts";
import { solve } from "../solver/index.ts";
import { COMPARISONS } from "../solver/logic.ts";
import { isPrime } from "../solver/numbers.ts";

export type Draw = ReturnType<typeof createDraw>;

/** Chance for one task: what is drawn under a name is always the same for the same material. */
export function createDraw(material: unknown) {
  const { roll, pick, shuffled } = createChance(material);
  return {
    material,
    /** From `min` to `max`, both included. */
    integer: (name: string, min: number, max: number): number =>
      min + Math.floor(roll(name) * (max - min + 1)),
    pick,
    /** This many of the items, each at most once, in a random order. */
    some: <T>(name: string, items: readonly T[], count: number): T[] => shuffled(name, items).slice(0, count),
    flip: (name: string): boolean => roll(name) < 0.5,
  };
}

/** One way to ask, under the name that is in the ids of its tasks: a question of `level` 1 to 3, harder as it grows. */
type Forms = { readonly [name: string]: (draw: Draw, level: number) => string };

/** `a, b and c`. */
const joinWords = (items: readonly (number | string)[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

/** A whole number of this many digits, without a leading zero. */
const digits = (draw: Draw, name: string, count: number): number =>
  draw.integer(name, 10 ** (count - 1), 10 ** count - 1);

/** Questions whose answer is a whole number. */
const arithmetic: Forms = {
  sum: (draw, level) =>
    `What is ${digits(draw, "a", level + 1)} + ${digits(draw, "b", level + 1)} - ${digits(draw, "c", level)}?`,
  product: (draw, level) => `What is ${digits(draw, "a", level + 1)} * ${digits(draw, "b", 2)}?`,
  brackets: (draw, level) => {
    const [a, b] = [digits(draw, "a", level), digits(draw, "b", level)];
    return `What is (${a} + ${b}) * ${draw.integer("c", 3, 12)} - ${digits(draw, "d", level)}?`;
  },
  percent: (draw, level) => {
    const percent = 5 * draw.integer("percent", 1, 19);
    return `What is ${percent}% of ${20 * draw.integer("base", 2, 12 * level ** 2)}?`;
  },
  remainder: (draw, level) => {
    const [a, b] = [digits(draw, "a", level + 1), draw.integer("b", 3, 9 + 10 * (level - 1))];
    return `What is the remainder when ${a} is divided by ${b}?`;
  },
  divisor: (draw, level) => {
    const shared = draw.integer("shared", 2, 6 * level);
    const [a, b] = [shared * draw.integer("a", 2, 9 * level), shared * draw.integer("b", 2, 9 * level)];
    return `What is the greatest common divisor of ${a} and ${b}?`;
  },
  mean: (draw, level) => {
    const mean = digits(draw, "mean", level + 1);
    const [one, other] = [draw.integer("one", 1, mean - 1), draw.integer("other", 1, mean - 1)];
    const numbers = draw.some("order", [mean - one, mean + one, mean - other, mean + other], 4);
    return `What is the average of ${joinWords(numbers)}?`;
  },
  boxes: (draw, level) => {
    const [boxes, each] = [draw.integer("boxes", 3, 9 * level), draw.integer("each", 4, 15 * level)];
    const thing = draw.pick("thing", ["pens", "eggs", "candles", "bolts", "stamps"]);
    return `There are ${boxes} boxes with ${each} ${thing} each. How many ${thing} are there?`;
  },
  journey: (draw, level) => {
    const speed = 5 * draw.integer("speed", 4, 16 + 8 * level);
    const hours = draw.integer("hours", 2, 8 + 4 * level);
    return `A train travels at ${speed} km/h for ${hours} hours. How far does it go, in kilometres?`;
  },
};

const NAMES = "Ada Ben Cleo Dan Eva Finn Gail Hugo Iris Jack Kim Leo".split(" ");
const THINGS = "bloops razzies lazzies wumps dorbs fleems grolls sints".split(" ");
const WORDS =
  "strawberry committee parallel engineering possession bookkeeper Mississippi assassination concurrence referendum accommodation millennium rhinoceros encyclopaedia misspelling necessary occurrence recommendation satellite successor".split(
    " ",
  );

/** People in one line, the one with the most of it first, told as comparisons of neighbors in a random order. */
function drawLine(draw: Draw, count: number) {
  const people = draw.some("people", NAMES, count);
  const words = draw.pick("comparison", COMPARISONS);
  const sentences = people.slice(1).map((below, index) => {
    const above = people[index] ?? "";
    return draw.flip(`turn ${index}`)
      ? `${above} is ${words.more} than ${below}.`
      : `${below} is ${words.less} than ${above}.`;
  });
  return { text: draw.some("telling", sentences, sentences.length).join(" "), people, words };
}

/** Asks for one end of a line. */
function drawExtreme(draw: Draw, level: number) {
  const { text, people, words } = drawLine(draw, 3 + level);
  const most = draw.flip("most");
  const question = `${text} Who is the ${most ? words.most : words.least}?`;
  return { question, people, answer: most ? people[0] : people.at(-1) };
}

/** Knights, who tell the truth, and knaves, who lie: three people whose words fit one assignment only. */
function drawIsland(draw: Draw) {
  const people = draw.some("people", NAMES, 3);
  for (let turn = 0; ; turn += 1) {
    const claims = people.map(
      (name, speaker) => `${name} says that ${drawClaim(draw, people, [speaker, turn])}.`,
    );
    const text = `Knights always tell the truth, knaves always lie. ${claims.join(" ")}`;
    if (solveIsland(`${text} Who is the knight?`) !== undefined) return { text, people };
  }
}

const solveIsland = (question: string): string | undefined => solve(question, () => null)?.answer;

/** The first two speak of one other, the third of both: without that, every solution fits the other way round too. */
function drawClaim(
  draw: Draw,
  people: readonly string[],
  [speaker, turn]: readonly [number, number],
): string {
  const role = draw.flip(`role ${speaker} ${turn}`) ? "knight" : "knave";
  return speaker === 2
    ? `${people[0]} and ${people[1]} are both ${role}s`
    : `${people[draw.pick(`about ${speaker} ${turn}`, [1 - speaker, 2])]} is a ${role}`;
}

/** The first question that can be posed of the islands that are drawn. */
function poseOfIsland(
  draw: Draw,
  pose: (island: ReturnType<typeof drawIsland>) => string | undefined,
): string {
  for (let turn = 0; ; turn += 1) {
    const question = pose(drawIsland(createDraw([draw.material, turn])));
    if (question !== undefined) return question;
  }
}

/** Questions whose answer is a name, a count or a letter. */
const logic: Forms = {
  order: (draw, level) => drawExtreme(draw, level).question,
  choice: (draw, level) => {
    const { question, people, answer } = drawExtreme(draw, level);
    const others = draw.some(
      "others",
      people.filter((name) => name !== answer),
      3,
    );
    const options = draw.some("options", [answer, ...others], 4);
    return `${question}\n${options.map((name, index) => `${"ABCD"[index]}) ${name}`).join("\n")}`;
  },
  letters: (draw, level) => {
    const text = draw.some("words", WORDS, level).join(" and ").toLowerCase();
    const letter = draw.pick("letter", [..."aceimnors"] as ["a", ...string[]]); // the letters of a text that has some
    const where = level === 1 ? `the word "${text}"` : `"${text}"`;
    return `How many times does the letter "${letter}" appear in ${where}?`;
  },
  primes: (draw, level) => {
    const low = draw.integer("low", 2, 40 * level);
    const high = low + draw.integer("span", 8, 12 * level);
    return `How many prime numbers are there between ${low} and ${high}, both included?`;
  },
  weekday: (draw, level) => {
    const days = draw.integer("days", 8, 10 + 40 * level ** 2);
    return `If today is ${DAYS[draw.integer("today", 0, 6)]}, what day is it in ${days} days?`;
  },
  knight: (draw) =>
    poseOfIsland(draw, ({ text, people }) => {
      const question = `${text} Who is the only knight?`;
      return people.includes(solveIsland(question) ?? "") ? question : undefined;
    }),
};

/** Questions of two possible answers, each of which is right about half of the time. */
const yesNo: Forms = {
  divisible: (draw, level) => {
    const divisor = draw.integer("divisor", 3, 9 + 4 * level);
    const product = divisor * draw.integer("times", 4, 10 ** level);
    const number = draw.flip("yes") ? product : product + draw.integer("rest", 1, divisor - 1);
    return `Is ${number} divisible by ${divisor}?`;
  },
  prime: (draw, level) => {
    const yes = draw.flip("yes");
    // Odd and no multiple of 5: what is left cannot be told at a glance.
    const fits = (value: number) => value % 2 === 1 && value % 5 !== 0 && isPrime(value) === yes;
    let number = draw.integer("from", 10 ** level, 10 ** (level + 2));
    while (!fits(number)) number += 1;
    return `Is ${number} prime?`;
  },
  larger: (draw, level) => {
    const whole = draw.integer("whole", 1, 20);
    const one = `${whole}.${draw.integer("short", 2, 9)}`;
    const other = `${whole}.${draw.integer("long", 10 ** level, 10 ** (level + 1) - 1)}`;
    const [left, right] = draw.flip("turned") ? [other, one] : [one, other];
    return `Is ${left} larger than ${right}?`;
  },
  syllogism: (draw, level) => {
    const kinds = draw.some("kinds", THINGS, level + 2);
    const sentences = kinds.slice(1).map((kind, index) => `All ${kinds[index]} are ${kind}.`);
    const ends = [kinds[0], kinds.at(-1)];
    const [from, to] = draw.flip("yes") ? ends : ends.toReversed();
    return `${draw.some("telling", sentences, sentences.length).join(" ")} Are all ${from} ${to}?`;
  },
  order: (draw, level) => {
    const { text, people, words } = drawLine(draw, 3 + level);
    const pair = [people[draw.integer("high", 0, level)], people[draw.integer("low", level + 1, level + 2)]];
    const [left, right] = draw.flip("yes") ? pair : pair.toReversed();
    return `${text} Is ${left} ${words.more} than ${right}?`;
  },
  knight: (draw) => {
    const answer = draw.flip("yes") ? "yes" : "no";
    return poseOfIsland(draw, ({ text, people }) => {
      const questions = people.map((one) => `${text} Is ${one} a knight?`);
      const fitting = questions.filter((question) => solveIsland(question) === answer);
      return draw.some("asked", fitting, 1)[0];
    });
  },
};

/** The kinds of task. `yes-no` has two possible answers, for which Condorcet's formula is exact. */
export const FORMS = { arithmetic, logic, "yes-no": yesNo } as const;
