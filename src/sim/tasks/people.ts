import type { Draw } from "./draw.ts";
import { NAMES } from "./form.ts";

type Words = { readonly more: string; readonly less: string; readonly most: string; readonly least: string };

const COMPARISONS: readonly [Words, ...Words[]] = [
  { more: "taller", less: "shorter", most: "tallest", least: "shortest" },
  { more: "older", less: "younger", most: "oldest", least: "youngest" },
  { more: "faster", less: "slower", most: "fastest", least: "slowest" },
  { more: "heavier", less: "lighter", most: "heaviest", least: "lightest" },
];

/** People in one line, told as comparisons of neighbours in a random order. */
export type Line = {
  readonly told: string;
  /** The one who has most of it first. */
  readonly people: readonly string[];
  readonly words: Words;
};

export function lineOf(draw: Draw, count: number): Line {
  const people = draw.some("people", NAMES, count);
  const words = draw.pick("comparison", COMPARISONS);
  const told = people.slice(1).map((below, index) => {
    const above = people[index] ?? "";
    return draw.flip(`turn ${index}`)
      ? `${above} is ${words.more} than ${below}.`
      : `${below} is ${words.less} than ${above}.`;
  });
  return { told: draw.some("telling", told, told.length).join(" "), people, words };
}

/** Knights, who tell the truth, and knaves, who lie, each speaking of others. */
export type Island = {
  readonly told: string;
  readonly people: readonly string[];
  readonly knights: readonly string[];
};

type Guess = readonly boolean[];
type Claim = { readonly words: string; readonly holds: (knights: Guess) => boolean };

/** Three people whose words fit one assignment only; drawn again until they do. */
export function islandOf(draw: Draw): Island {
  const people = draw.some("people", NAMES, 3);
  for (let turn = 0; ; turn += 1) {
    const claims = people.map((_, speaker) => claimOf(draw, { people, speaker, turn }));
    const [knights, other] = GUESSES.filter((guess) =>
      claims.every(({ holds }, speaker) => holds(guess) === guess[speaker]),
    );
    if (!knights || other) continue;
    const told = claims.map(({ words }, speaker) => `${people[speaker]} says that ${words}.`);
    return { told: told.join(" "), people, knights: people.filter((_, index) => knights[index]) };
  }
}

type Speaking = { readonly people: readonly string[]; readonly speaker: number; readonly turn: number };

/** The first two speak of one other, the third of both of them: without that, whatever fits fits the other way round too. */
function claimOf(draw: Draw, { people, speaker, turn }: Speaking): Claim {
  const knight = draw.flip(`role ${speaker} ${turn}`);
  const role = knight ? "knight" : "knave";
  if (speaker === 2) {
    return {
      words: `${people[0]} and ${people[1]} are both ${role}s`,
      holds: ([first, second]) => first === knight && second === knight,
    };
  }
  const about = draw.pick(`about ${speaker} ${turn}`, [1 - speaker, 2]);
  return { words: `${people[about]} is a ${role}`, holds: (guess) => guess[about] === knight };
}

const GUESSES: readonly Guess[] = Array.from({ length: 8 }, (_, bits) =>
  [0, 1, 2].map((index) => (bits >> index) % 2 === 1),
);
