import type { Chance } from "./chance.ts";
import { signatureOf } from "./mind.ts";
import type { Simulated } from "./reference.ts";

/** The first line of every text that a simulated model writes. */
export const banner = (simulated: Simulated): string => `[simulated ${signatureOf(simulated)}]`;

/** Which simulated model wrote a text, by its signature; null where none says so. */
export const signedBy = (text: string): string | null =>
  /^\[simulated ([0-9a-f]{6})\]/m.exec(text)?.[1] ?? null;

/** Text from elsewhere as one short line that opens no fence, block, list or marker of ours. */
export const quotable = (text: string, most = 200): string => {
  const line = text
    .replaceAll(/[`#[\]{}]|\*\*/g, "")
    .replaceAll(/[\s\p{C}]+/gu, " ")
    .replaceAll(/final\s+(answer|ranking)/gi, "final-$1")
    .trim();
  return line.length <= most ? line : `${line.slice(0, most).trimEnd()}…`;
};

/** A sentence that hardly two models begin with. */
export const opening = (wording: Chance): string =>
  `${wording.pick("opening", openings)} ${wording.pick("approach", approaches)}, ${wording.pick("care", cares)}.`;

const openings = [
  "Let me start",
  "I will begin",
  "The way I see it, one starts",
  "It helps to begin",
  "My first move is to start",
  "To be safe I begin",
  "The natural thing is to start",
  "Here I would begin",
] as const;

const approaches = [
  "with what is given",
  "from the definition",
  "with the plain reading",
  "from the end and work back",
  "with the smallest case",
  "with what must hold",
  "by writing it out",
  "by naming the parts",
] as const;

const cares = [
  "then check it once",
  "one step at a time",
  "and keep the units in view",
  "and look for the trap",
  "without any shortcut",
  "and compare with a rough estimate",
  "and say what I leave out",
  "in the order in which it was asked",
] as const;

const stopWords = new Set(
  "about after again against also among because been before being between both could does doing down during each every from further have having here itself more most much must only other over same should some such than that their them then there these they this those through under until very want were what when where which while whom will with would your".split(
    " ",
  ),
);

/** The longer words of a question, each once, in its order: what it is about. */
export const subjects = (question: string): string[] => [
  ...new Set(
    (
      quotable(question, 2_000)
        .toLowerCase()
        .match(/\p{L}[\p{L}\p{N}-]{3,}/gu) ?? []
    ).filter((word) => !stopWords.has(word)),
  ),
];
