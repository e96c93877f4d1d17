import { contentWords } from "../text/words.ts";
import { signature, type SimModel } from "./belief.ts";
import type { Chance } from "./chance.ts";

/** The first line of every text that a simulated model writes. */
export const banner = ({ parameters }: SimModel): string => `[simulated ${signature(parameters)}]`;

/** The signature of the simulated model that wrote a text; null where there is none. */
export const readSignature = (text: string): string | null =>
  /^\[simulated ([0-9a-f]{6})\]/m.exec(text)?.[1] ?? null;

/** Text from elsewhere as one short line that opens no fence, block, list or marker of ours; the `#` of `C#` stays. */
export const quotable = (text: string, maxLength = 200): string => {
  const line = text
    .replaceAll(/[`[\]{}]|\*\*|(?<![\p{L}\p{N}])#/gu, "")
    .replaceAll(/[\s\p{C}]+/gu, " ")
    .replaceAll(/final\s+(answer|ranking)/gi, "final-$1")
    .trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength).toWellFormed().trimEnd()}…`;
};

/** A sentence with which hardly two models begin. */
export const opening = (wording: Chance): string =>
  `${wording.pick("opening", openings)} ${wording.pick("approach", approaches)}, ${wording.pick("care", cares)}.`;

const openings = [
  "Let me start",
  "I will begin",
  "It helps to begin",
  "To be safe I begin",
  "Here I would begin",
] as const;

const approaches = [
  "with what is given",
  "from the definition",
  "with the plain reading",
  "with the smallest case",
  "by writing it out",
] as const;

const cares = [
  "then check it once",
  "one step at a time",
  "and keep the units in view",
  "and look for the trap",
  "and compare with a rough estimate",
] as const;

/** What a question is about: its longer words, each once, in their order. */
export const subjects = (question: string): string[] =>
  contentWords(quotable(question, 2_000)).filter((word) => /^\p{L}.{3}/u.test(word));
