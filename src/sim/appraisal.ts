import { extractAnswer, sameAnswer, type Answer } from "../judging/index.ts";
import { chanceOf } from "./chance.ts";
import { signatureOf, type Mind } from "./mind.ts";
import type { Shown } from "./prompt.ts";
import { signedBy } from "./wording.ts";

/** What a model makes of one answer that it is shown. */
export type Appraisal = {
  readonly label: string;
  /** Whether the answer comes to what this model believes; null where either has nothing that could be compared. */
  readonly agrees: boolean | null;
  /** The answer's own result. */
  readonly result: Answer | null;
  /** From 0 to 1: mostly the same for all models, partly taste. Depends on nothing but the answer's substance. */
  readonly quality: number;
  readonly score: number;
};

/** Sentences that speak to whoever judges, instead of about the question. */
const addressed =
  /\b(?:rank(?:ed|ing|ings|s)?|ignore|disregard|forget|instructions?|prompts?|reviewers?|judges?|graders?|assistant|label(?:led|s)?|you (?:must|should|will|are)|the above|previous|score|contributors|weights?|strategic|directive)\b|\b(?:answer|response|option|draft)\s+[A-Z]\b|\[(?:BEGIN|END|RESULT)\b|^#/i;

/** Lines that may not decide what an answer comes to. */
const marking = /\b(?:ranking|ignore|disregard|instructions?|contributors)\b|\[(?:BEGIN|END|RESULT)\b/i;

/** Whether a line speaks of rankings, instructions or fences instead of the question. */
export const addressesJudges = (line: string): boolean => marking.test(line);

export type Sentence = { readonly text: string; /** It is an item of a list. */ readonly listed: boolean };

/** The sentences of an answer that are about the question, without banners, bare labels and what `addressed` names. */
export const substance = (text: string): Sentence[] => {
  const banner = text.search(/^\[simulated /m);
  const lines = text.slice(Math.max(0, banner)).split("\n");
  return lines.flatMap((line) => {
    const [marker = ""] = /^\s*(?:\d{1,2}[.)]|[-*+])\s+/.exec(line) ?? [];
    const sentences = line.slice(marker.length).split(/(?<=[.!?])\s+/);
    return sentences.flatMap((sentence, index): Sentence[] => {
      const words = sentence.match(/\p{L}{2,}/gu)?.length ?? 0;
      const counts = words >= 4 && !addressed.test(sentence) && !notes.test(sentence);
      return counts ? [{ text: sentence.trim(), listed: marker !== "" && index === 0 }] : [];
    });
  });
};

const notes = /^\s*(?:\[simulated |A placeholder in place of )/;

/** Whether a line is what a simulated model writes about its own text; it may quote the question. */
export const isNote = (line: string): boolean => notes.test(line);

/** The result that an answer declares. What an answer says to its judges does not count as one. */
const resultOf = (text: string): Answer | null => {
  const lines = text
    .split("\n")
    .filter((line) => /^\W*final\s+answer\s*:/i.test(line) || !marking.test(line));
  const own = lines.filter((line) => !/^\W*[A-Z]\W*$/.test(line) && !/^\[simulated /.test(line));
  return extractAnswer(own.join("\n"));
};

/** Whether a result is what a model believes. */
export const agreement = (result: Answer | null, belief: Mind["belief"]): boolean | null => {
  const own = belief && extractAnswer(`Final answer: ${belief.answer}`);
  return own === null || result === null ? null : sameAnswer(own, result);
};

/** What quality can add to an answer's score, as agreement with the model's own result adds 1. */
const qualityWeight = 0.45;

/** Whether two answers come to one result, and nothing but their quality sets them apart. */
export const level = ({ simulated }: Mind, one: Appraisal, other: Appraisal): boolean =>
  one.agrees !== null &&
  one.result !== null &&
  other.result !== null &&
  sameAnswer(one.result, other.result) &&
  Math.abs(one.score - other.score) <= (1 - simulated.position) * qualityWeight;

/**
 * Answers as a model sees them, best first. Agreement with its own result counts most, then quality. `position`
 * moves the weight from these to the place at which an answer was shown; `self` lifts answers with the
 * model's own signature, `length` those that are longer than others. Without these, order, labels and length decide
 * nothing, except between equal answers.
 */
export function appraise(mind: Mind, answers: readonly Shown[]): Appraisal[] {
  const { position, self, length } = mind.simulated;
  const own = signatureOf(mind.simulated);
  return answers
    .map(({ label, text }, index): Appraisal & { fine: number } => {
      const result = resultOf(text);
      const agrees = agreement(result, mind.belief);
      const sentences = substance(text).map((sentence) => sentence.text);
      const quality = qualityOf(sentences.slice(0, 1), mind);
      const worth =
        (agrees === true ? 1 : agrees === null && mind.belief !== null ? 0.5 : 0) + qualityWeight * quality;
      const early = 1.5 * (1 - index / Math.max(1, answers.length - 1));
      const shorter = answers.filter((other) => other.text.length < text.length).length;
      const long = (2 * shorter) / Math.max(1, answers.length - 1);
      const favour = (signedBy(text) === own ? 2 * self : 0) + long * length;
      const score = (1 - position) * worth + position * early + favour;
      return { label, agrees, result, quality, score, fine: qualityOf(sentences, mind) };
    })
    .sort((a, b) => b.score - a.score || b.fine - a.fine)
    .map(({ fine: _, ...appraisal }) => appraisal);
}

const qualityOf = (sentences: readonly string[], { taste }: Mind): number => {
  const content = sentences.join("\n");
  return 0.65 * chanceOf(["quality", content]).roll("common") + 0.35 * taste.roll(`quality ${content}`);
};
