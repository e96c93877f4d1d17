import { createChance } from "../chance.ts";
import { DAYS } from "../solver/arithmetic.ts";
import { COMPARISONS } from "../solver/logic.ts";
import { isPrime } from "../solver/numbers.ts";

/** The kinds of task. `yes-no` has two possible answers, for which Condorcet's formula is exact. */
export const TASK_KINDS = ["arithmetic", "logic", "yes-no"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** A question and its one right answer. */
export type Posed = { readonly question: string; readonly answer: string };

export type Task = Posed & { readonly id: string; readonly kind: TaskKind };

/** Chance for one task: what is drawn under a name is always the same for the same material. */
export type Draw = {
  /** From `min` to `max`, both included. */
  readonly integer: (name: string, min: number, max: number) => number;
  readonly pick: <const T>(name: string, items: readonly [T, ...T[]]) => T;
  /** This many of the items, each at most once, in a random order. */
  readonly some: <T>(name: string, items: readonly T[], count: number) => T[];
  readonly flip: (name: string) => boolean;
  /** Chance of its own for one of several tries. */
  readonly within: (turn: number) => Draw;
};

export function createDraw(material: unknown): Draw {
  const chance = createChance(material);
  return {
    integer: (name, min, max) => min + Math.floor(chance.roll(name) * (max - min + 1)),
    pick: (name, items) => chance.pick(name, items),
    some: (name, items, count) => chance.shuffled(name, items).slice(0, count),
    flip: (name) => chance.roll(name) < 0.5,
    within: (turn) => createDraw([material, turn]),
  };
}

/** One way to ask: `level` 1 to 3, harder as it grows. Its name is in the ids of its tasks. */
export type Form = { readonly name: string; readonly pose: (draw: Draw, level: number) => Posed };

/** `a, b and c`. */
const joinWords = (items: readonly (number | string)[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

const yesNo = (yes: boolean): string => (yes ? "yes" : "no");

const listForms = (poses: { readonly [name: string]: Form["pose"] }): Form[] =>
  Object.entries(poses).map(([name, pose]) => ({ name, pose }));

/** A whole number of this many digits, without a leading zero. */
const digits = (draw: Draw, name: string, count: number): number =>
  draw.integer(name, 10 ** (count - 1), 10 ** count - 1);

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

const poseNumber = (question: string, answer: number): Posed => ({ question, answer: String(answer) });

const arithmetic: { readonly [name: string]: Form["pose"] } = {
  sum: (draw, level) => {
    const [a, b, c] = [digits(draw, "a", level + 1), digits(draw, "b", level + 1), digits(draw, "c", level)];
    return poseNumber(`What is ${a} + ${b} - ${c}?`, a + b - c);
  },
  product: (draw, level) => {
    const [a, b] = [digits(draw, "a", level + 1), digits(draw, "b", 2)];
    return poseNumber(`What is ${a} * ${b}?`, a * b);
  },
  brackets: (draw, level) => {
    const [a, b] = [digits(draw, "a", level), digits(draw, "b", level)];
    const [c, d] = [draw.integer("c", 3, 12), digits(draw, "d", level)];
    return poseNumber(`What is (${a} + ${b}) * ${c} - ${d}?`, (a + b) * c - d);
  },
  percent: (draw, level) => {
    const percent = 5 * draw.integer("percent", 1, 19);
    const base = 20 * draw.integer("base", 2, 12 * level ** 2);
    return poseNumber(`What is ${percent}% of ${base}?`, (percent * base) / 100);
  },
  remainder: (draw, level) => {
    const [a, b] = [digits(draw, "a", level + 1), draw.integer("b", 3, 9 + 10 * (level - 1))];
    return poseNumber(`What is the remainder when ${a} is divided by ${b}?`, a % b);
  },
  divisor: (draw, level) => {
    const shared = draw.integer("shared", 2, 6 * level);
    const [a, b] = [shared * draw.integer("a", 2, 9 * level), shared * draw.integer("b", 2, 9 * level)];
    return poseNumber(`What is the greatest common divisor of ${a} and ${b}?`, gcd(a, b));
  },
  mean: (draw, level) => {
    const mean = digits(draw, "mean", level + 1);
    const [one, other] = [draw.integer("one", 1, mean - 1), draw.integer("other", 1, mean - 1)];
    const numbers = draw.some("order", [mean - one, mean + one, mean - other, mean + other], 4);
    return poseNumber(`What is the average of ${joinWords(numbers)}?`, mean);
  },
  boxes: (draw, level) => {
    const [boxes, each] = [draw.integer("boxes", 3, 9 * level), draw.integer("each", 4, 15 * level)];
    const thing = draw.pick("thing", ["pens", "eggs", "candles", "bolts", "stamps"]);
    const question = `There are ${boxes} boxes with ${each} ${thing} each. How many ${thing} are there?`;
    return poseNumber(question, boxes * each);
  },
  journey: (draw, level) => {
    const speed = 5 * draw.integer("speed", 4, 16 + 8 * level);
    const hours = draw.integer("hours", 2, 8 + 4 * level);
    const question = `A train travels at ${speed} km/h for ${hours} hours. How far does it go, in kilometres?`;
    return poseNumber(question, speed * hours);
  },
};

/** Questions whose answer is a whole number. */
export const arithmeticForms: readonly Form[] = listForms(arithmetic);

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
  return { question, people, answer: (most ? people[0] : people.at(-1)) ?? "" };
}

type Guess = readonly boolean[];
const GUESSES: readonly Guess[] = Array.from({ length: 8 }, (_, bits) =>
  [0, 1, 2].map((index) => (bits >> index) % 2 === 1),
);

/** Knights, who tell the truth, and knaves, who lie: three people whose words fit one assignment only. */
function drawIsland(draw: Draw) {
  const people = draw.some("people", NAMES, 3);
  for (let turn = 0; ; turn += 1) {
    const claims = people.map((_, speaker) => drawClaim(draw, people, [speaker, turn]));
    const [knights, other] = GUESSES.filter((guess) =>
      claims.every(({ holds }, speaker) => holds(guess) === guess[speaker]),
    );
    if (!knights || other) continue;
    const sentences = claims.map(({ words }, speaker) => `${people[speaker]} says that ${words}.`);
    const text = `Knights always tell the truth, knaves always lie. ${sentences.join(" ")}`;
    return { text, people, knights: people.filter((_, index) => knights[index]) };
  }
}

/** The first two speak of one other, the third of both: without that, every solution fits the other way round too. */
function drawClaim(
  draw: Draw,
  people: readonly string[],
  [speaker, turn]: readonly [number, number],
): { readonly words: string; readonly holds: (knights: Guess) => boolean } {
  const knight = draw.flip(`role ${speaker} ${turn}`);
  const role = knight ? "knight" : "knave";
  if (speaker === 2)
    return {
      words: `${people[0]} and ${people[1]} are both ${role}s`,
      holds: ([first, second]) => first === knight && second === knight,
    };
  const about = draw.pick(`about ${speaker} ${turn}`, [1 - speaker, 2]);
  return { words: `${people[about]} is a ${role}`, holds: (guess) => guess[about] === knight };
}

/** The first question that can be posed of the islands that are drawn. */
function poseOfIsland(draw: Draw, pose: (island: ReturnType<typeof drawIsland>) => Posed | null): Posed {
  for (let turn = 0; ; turn += 1) {
    const posed = pose(drawIsland(draw.within(turn)));
    if (posed !== null) return posed;
  }
}

const logic: { readonly [name: string]: Form["pose"] } = {
  order: (draw, level) => {
    const { question, answer } = drawExtreme(draw, level);
    return { question, answer };
  },
  choice: (draw, level) => {
    const { question, people, answer } = drawExtreme(draw, level);
    const others = draw.some(
      "others",
      people.filter((name) => name !== answer),
      3,
    );
    const options = draw.some("options", [answer, ...others], 4);
    const list = options.map((name, index) => `${"ABCD"[index]}) ${name}`).join("\n");
    return { question: `${question}\n${list}`, answer: "ABCD"[options.indexOf(answer)] ?? "" };
  },
  letters: (draw, level) => {
    const text = draw.some("words", WORDS, level).join(" and ").toLowerCase();
    const letter = draw.pick("letter", [..."aceimnors"] as ["a", ...string[]]); // the letters of a text that has some
    const where = level === 1 ? `the word "${text}"` : `"${text}"`;
    return {
      question: `How many times does the letter "${letter}" appear in ${where}?`,
      answer: String([...text].filter((one) => one === letter).length),
    };
  },
  primes: (draw, level) => {
    const low = draw.integer("low", 2, 40 * level);
    const high = low + draw.integer("span", 8, 12 * level);
    let count = 0;
    for (let value = low; value <= high; value += 1) if (isPrime(value)) count += 1;
    return {
      question: `How many prime numbers are there between ${low} and ${high}, both included?`,
      answer: String(count),
    };
  },
  weekday: (draw, level) => {
    const today = draw.integer("today", 0, 6);
    const days = draw.integer("days", 8, 10 + 40 * level ** 2);
    return {
      question: `If today is ${DAYS[today]}, what day is it in ${days} days?`,
      answer: DAYS[(today + days) % 7] ?? "",
    };
  },
  knight: (draw) =>
    poseOfIsland(draw, ({ text, knights: [knight, other] }) =>
      knight === undefined || other !== undefined
        ? null
        : { question: `${text} Who is the only knight?`, answer: knight },
    ),
};

const yesNoQuestions: { readonly [name: string]: Form["pose"] } = {
  divisible: (draw, level) => {
    const divisor = draw.integer("divisor", 3, 9 + 4 * level);
    const product = divisor * draw.integer("times", 4, 10 ** level);
    const yes = draw.flip("yes");
    const number = yes ? product : product + draw.integer("rest", 1, divisor - 1);
    return { question: `Is ${number} divisible by ${divisor}?`, answer: yesNo(yes) };
  },
  prime: (draw, level) => {
    const yes = draw.flip("yes");
    // Odd and no multiple of 5: what is left cannot be told at a glance.
    const fits = (value: number) => value % 2 === 1 && value % 5 !== 0 && isPrime(value) === yes;
    let number = draw.integer("from", 10 ** level, 10 ** (level + 2));
    while (!fits(number)) number += 1;
    return { question: `Is ${number} prime?`, answer: yesNo(yes) };
  },
  larger: (draw, level) => {
    const whole = draw.integer("whole", 1, 20);
    const one = `${whole}.${draw.integer("short", 2, 9)}`;
    const other = `${whole}.${draw.integer("long", 10 ** level, 10 ** (level + 1) - 1)}`;
    const [left, right] = draw.flip("turned") ? [other, one] : [one, other];
    return { question: `Is ${left} larger than ${right}?`, answer: yesNo(Number(left) > Number(right)) };
  },
  syllogism: (draw, level) => {
    const kinds = draw.some("kinds", THINGS, level + 2);
    const sentences = kinds.slice(1).map((kind, index) => `All ${kinds[index]} are ${kind}.`);
    const yes = draw.flip("yes");
    const ends = [kinds[0], kinds.at(-1)];
    const [from, to] = yes ? ends : ends.toReversed();
    const text = draw.some("telling", sentences, sentences.length).join(" ");
    return { question: `${text} Are all ${from} ${to}?`, answer: yesNo(yes) };
  },
  order: (draw, level) => {
    const { text, people, words } = drawLine(draw, 3 + level);
    const [high, low] = [draw.integer("high", 0, level), draw.integer("low", level + 1, level + 2)];
    const yes = draw.flip("yes");
    const [left, right] = yes ? [people[high], people[low]] : [people[low], people[high]];
    return { question: `${text} Is ${left} ${words.more} than ${right}?`, answer: yesNo(yes) };
  },
  knight: (draw) => {
    const yes = draw.flip("yes");
    return poseOfIsland(draw, ({ text, people, knights }) => {
      const fitting = people.filter((one) => knights.includes(one) === yes);
      const [asked] = draw.some("asked", fitting, 1);
      return asked === undefined ? null : { question: `${text} Is ${asked} a knight?`, answer: yesNo(yes) };
    });
  },
};

/** Questions whose answer is a name, a count or a letter. */
export const logicForms: readonly Form[] = listForms(logic);

/** Questions of two possible answers, each of which is right about half of the time. */
export const yesNoForms: readonly Form[] = listForms(yesNoQuestions);
