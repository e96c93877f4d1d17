import { isPrime } from "../solver/counting.ts";
import { COMPARISONS } from "../solver/logic.ts";
import { DAYS } from "../solver/word-problem.ts";
import { listForms, yesNo, type Draw, type Form, type Posed } from "./form.ts";

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
