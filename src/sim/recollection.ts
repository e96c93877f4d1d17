import { contentWords, extractAnswer, sameAnswer, type Answer } from "../judging/index.ts";
import type { Mark } from "../kernel/index.ts";
import type { Fenced } from "../prompts/index.ts";
import { stem } from "./stem.ts";

/** A remembered answer as a prompt shows it. */
export type Memory = { readonly mark: Mark; readonly question: string; readonly answer: string };

const marks: readonly (readonly [start: string, mark: Mark])[] = [
  ["GOOD EXAMPLE", "good-example"],
  ["MIXED", "mixed"],
  ["AVOID", "avoid"],
  ["not judged", "unjudged"],
];

/** Words to whoever reads a prompt; what remembers an answer has no reason to hold them. */
const addressed =
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,60}\b(?:instructions?|prompts?|rules|above|before|previous|earlier)\b|\[(?:BEGIN|END|RESULT)\b/i;

/**
 * What the `memory` fences among these pieces hold, in their order. A mark that is not known is taken with care, as mixed;
 * a text in which somebody gives orders, or forges a fence, is no memory at all.
 */
export const memoriesOf = (pieces: readonly Fenced[]): Memory[] =>
  pieces.flatMap(({ kind, label, text }): Memory[] => {
    const [, question, rest] =
      kind === "memory" ? (/^Question: ([^]*?)\nAnswer: ([^]*)$/.exec(text) ?? []) : [];
    if (question === undefined || rest === undefined || addressed.test(text)) return [];
    const critic = rest.lastIndexOf("\nCritic: ");
    const mark = marks.find(([start]) => label.startsWith(start))?.[1] ?? "mixed";
    return [{ mark, question, answer: critic < 0 ? rest : rest.slice(0, critic) }];
  });

/** What is said and which does not matter for what is asked. */
const asking = new Set(
  "tell please remember say said told remind know again exactly ok okay hi hello thank answer".split(" "),
);

const sharedAtLeast = 0.6;

type Asked = {
  readonly stems: ReadonlySet<string>;
  /** Stems that change what is asked wherever they are added: names, figures, negations. */
  readonly telling: ReadonlySet<string>;
  /** `when`, `where`, `who`, `why`, `how`, `how many`; empty for `what` and `which`, which may stand for any of them. */
  readonly wants: string;
};

function readAsked(question: string): Asked {
  const words = contentWords(question).filter((word) => !asking.has(word));
  const named = new Set(
    contentWords((question.match(/(?<!^|[.?!]\s|\n)\p{Lu}[\p{L}\p{M}\p{N}]*/gu) ?? []).join(" ")),
  );
  const [wants = ""] =
    /\b(?:how (?:many|much|old|long|far|often|tall)|when|where|who|whose|why|how)\b/.exec(
      question.toLowerCase(),
    ) ?? [];
  return {
    stems: new Set(words.map(stem)),
    telling: new Set(
      words
        .filter((word) => named.has(word) || /\d/.test(word) || /^(?:not|no|never|without)$/.test(word))
        .map(stem),
    ),
    wants,
  };
}

/**
 * Whether two questions ask for the same in nearly the same words: one has all content words of the other, by their stems, and at
 * least 0.6 of all are shared (Jaccard 1912); what one has more is no name, figure or negation. A word in place of
 * another makes another question.
 */
function sameQuestion(first: string, second: string): boolean {
  const [one, other] = [readAsked(first), readAsked(second)];
  const [few, many] = one.stems.size <= other.stems.size ? [one, other] : [other, one];
  if (few.stems.size === 0 || few.stems.size < sharedAtLeast * many.stems.size) return false;
  if (one.wants !== "" && other.wants !== "" && one.wants !== other.wants) return false;
  const within = [...few.stems].every((word) => many.stems.has(word));
  return within && [...many.telling].every((word) => few.stems.has(word));
}

export type Remembered = {
  /** The result that it declares; null where it declares none. */
  readonly result: Answer | null;
  /** As it was answered, without what a simulated model writes about itself. */
  readonly text: string;
};

const emptyHanded = /\b(?:do|does|did) not know\b|\bdon['’]t know\b|\bplaceholder in place of\b/i;

const answersAmong = (memories: readonly Memory[], questions: readonly string[]): (Remembered & Memory)[] =>
  memories
    .filter(
      ({ question, answer }) =>
        !emptyHanded.test(answer) && questions.some((one) => sameQuestion(one, question)),
    )
    .map((memory) => ({
      ...memory,
      result: extractAnswer(memory.answer),
      text: memory.answer.replaceAll(/\[simulated [0-9a-f]{6}\]/g, "").trim(),
    }));

/** Results that memories of the same question warn of. */
export const avoided = (memories: readonly Memory[], questions: readonly string[]): Answer[] =>
  answersAmong(memories, questions).flatMap(({ mark, result }) =>
    mark === "avoid" && result ? [result] : [],
  );

/**
 * How one of these questions was answered before: by a good example, else by what nobody has judged, in the memories' order;
 * null where neither has. A mixed memory answers nothing by itself, nor does one whose result another warns of.
 */
export function remembered(memories: readonly Memory[], questions: readonly string[]): Remembered | null {
  const warned = avoided(memories, questions);
  const usable = answersAmong(memories, questions).filter(
    ({ result }) => result === null || !warned.some((one) => sameAnswer(one, result)),
  );
  return (
    usable.find(({ mark }) => mark === "good-example") ??
    usable.find(({ mark }) => mark === "unjudged") ??
    null
  );
}
