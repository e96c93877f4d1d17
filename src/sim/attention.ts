import { chanceOf } from "./chance.ts";
import { originOf, type Mind } from "./mind.ts";

const rollOf = ({ simulated }: Mind, what: string, about: string): number =>
  chanceOf(["attention", ...originOf(simulated), what, about]).roll("attention");

/** Whether a model finds a mistake that it looks at: as often as its skill says. Like a belief, it is a family's. */
export const finds = (mind: Mind, what: string, about: string): boolean =>
  rollOf(mind, what, about) < mind.simulated.skill;

/** Whether a model passes over what is there to be read: never with skill 1, every second time with skill 0. */
export const overlooks = (mind: Mind, what: string, about: string): boolean =>
  rollOf(mind, what, about) >= (1 + mind.simulated.skill) / 2;
