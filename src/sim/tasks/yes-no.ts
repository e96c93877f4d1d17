import { yesNo, type Form } from "./form.ts";
import { isPrime } from "./logic.ts";
import { islandOf, lineOf } from "./people.ts";

const KINDS = ["bloops", "razzies", "lazzies", "wumps", "dorbs", "fleems", "grolls", "sints"] as const;

/** Questions of two possible answers, each of which is right about half of the time. */
export const yesNoForms: readonly Form[] = [
  {
    name: "divisible",
    pose: (draw, level) => {
      const divisor = draw.integer("divisor", 3, 9 + 4 * level);
      const product = divisor * draw.integer("times", 4, 10 ** level);
      const yes = draw.flip("yes");
      const number = yes ? product : product + draw.integer("rest", 1, divisor - 1);
      return { question: `Is ${number} divisible by ${divisor}?`, answer: yesNo(yes) };
    },
  },
  {
    name: "prime",
    pose: (draw, level) => {
      const from = draw.integer("from", 10 ** level, 10 ** (level + 2));
      const yes = draw.flip("yes");
      // Odd and no multiple of 5: what is left cannot be told at a glance.
      const fits = (value: number) => value % 2 === 1 && value % 5 !== 0 && isPrime(value) === yes;
      let number = from;
      while (!fits(number)) number += 1;
      return { question: `Is ${number} prime?`, answer: yesNo(yes) };
    },
  },
  {
    name: "larger",
    pose: (draw, level) => {
      const whole = draw.integer("whole", 1, 20);
      const short = draw.integer("short", 2, 9);
      const long = draw.integer("long", 10 ** level, 10 ** (level + 1) - 1);
      const [one, other] = [`${whole}.${short}`, `${whole}.${long}`];
      const turned = draw.flip("turned");
      const [left, right] = turned ? [other, one] : [one, other];
      return { question: `Is ${left} larger than ${right}?`, answer: yesNo(Number(left) > Number(right)) };
    },
  },
  {
    name: "syllogism",
    pose: (draw, level) => {
      const kinds = draw.some("kinds", KINDS, level + 2);
      const told = kinds.slice(1).map((kind, index) => `All ${kinds[index]} are ${kind}.`);
      const yes = draw.flip("yes");
      const ends = [kinds[0], kinds.at(-1)];
      const [from, to] = yes ? ends : ends.toReversed();
      return {
        question: `${draw.some("telling", told, told.length).join(" ")} Are all ${from} ${to}?`,
        answer: yesNo(yes),
      };
    },
  },
  {
    name: "order",
    pose: (draw, level) => {
      const { told, people, words } = lineOf(draw, 3 + level);
      const [high, low] = [draw.integer("high", 0, level), draw.integer("low", level + 1, level + 2)];
      const yes = draw.flip("yes");
      const [left, right] = yes ? [people[high], people[low]] : [people[low], people[high]];
      return { question: `${told} Is ${left} ${words.more} than ${right}?`, answer: yesNo(yes) };
    },
  },
  {
    name: "knight",
    pose: (draw) => {
      const yes = draw.flip("yes");
      for (let turn = 0; ; turn += 1) {
        const { told, people, knights } = islandOf(draw.within(turn));
        const [asked] = draw.some(
          "asked",
          people.filter((one) => knights.includes(one) === yes),
          1,
        );
        if (asked === undefined) continue;
        return {
          question: `Knights always tell the truth, knaves always lie. ${told} Is ${asked} a knight?`,
          answer: yesNo(yes),
        };
      }
    },
  },
];
