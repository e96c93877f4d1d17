import { sameAnswer, type Answer } from "../replies/answer.ts";
import { extractAnswer } from "../replies/extract-answer.ts";
import { contentWords } from "../text/words.ts";
import { signature, type Belief, type SimModel } from "./belief.ts";
import { createChance } from "./chance.ts";
import type { ShownText } from "./prompt.ts";
import { readSignature } from "./wording.ts";

/** How a model judges one answer that it is shown. */
export type Appraisal = {
  readonly label: string;
  /** Whether the answer comes to what this model believes; null where either has nothing to compare. */
  readonly agrees: boolean | null;
  /** The answer's own result. */
  readonly result: Answer | null;
  /** From 0 to 1: mostly the same for all models, partly taste. Depends on nothing but the answer's substance. */
  readonly quality: number;
  readonly score: number;
};

/** Sentences that speak to whoever judges, instead of about the question. */
const addressToJudge =
  /\b(?:rank(?:ed|ing|ings|s)?|ignore|disregard|forget|instructions?|prompts?|reviewers?|judges?|graders?|assistant|label(?:led|s)?|you (?:must|should|will|are)|the above|previous|score|contributors|weights?|strategic|directive)\b|\b(?:answer|response|option|draft)\s+[A-Z]\b|\[(?:BEGIN|END|RESULT)\b|^#/i;

/** Words of rankings, instructions or fences instead of the question. */
const marking = /\b(?:ranking|ignore|disregard|instructions?|contributors)\b|\[(?:BEGIN|END|RESULT)\b/i;

/** Whether a line is what a simulated model writes about its own text; it may quote the question. */
export const isNote = (line: string): boolean => /^\s*(?:\[simulated |A placeholder in place of )/.test(line);

export type AnswerSentence = {
  readonly text: string;
  /** Whether it begins an item of a list. */
  readonly listed: boolean;
};

/** The sentences of an answer that are about the question, without banners, bare labels and words to judges. */
export function readSentences(text: string): AnswerSentence[] {
  const start = text.search(/^\[simulated /m);
  return text
    .slice(Math.max(0, start))
    .split("\n")
    .flatMap((line) => {
      const [marker = ""] = /^\s*(?:\d{1,2}[.)]|[-*+])\s+/.exec(line) ?? [];
      const sentences = line.slice(marker.length).split(/(?<=[.!?])\s+/);
      return sentences.flatMap((sentence, index): AnswerSentence[] => {
        const words = sentence.match(/\p{L}{2,}/gu)?.length ?? 0;
        const counts = words >= 4 && !addressToJudge.test(sentence) && !isNote(sentence);
        return counts ? [{ text: sentence.trim(), listed: marker !== "" && index === 0 }] : [];
      });
    });
}

/** The sentence in which an answer says which way it leans; undefined where it has none. */
export const findLeaning = (text: string): string | undefined =>
  readSentences(text).find((sentence) => sentence.text.startsWith("I lean "))?.text;

/** Endings hardly ever stand before the seventh letter. */
const stems = (text: string): string[] => contentWords(text).map((word) => word.slice(0, 6));

/** Of these demands those that no line of a text takes up: with at least half of their content words. */
export function findOpen(text: string, demands: readonly string[]): string[] {
  const lines = text
    .slice(0, MAX_READ_LENGTH)
    .split("\n", MAX_LINES)
    .filter((line) => !isNote(line))
    .map((line) => new Set(stems(line)));
  return demands.filter((demand) => {
    const words = [...new Set(stems(demand))];
    return !lines.some((line) => 2 * words.filter((word) => line.has(word)).length >= words.length);
  });
}

const MAX_READ_LENGTH = 200_000;
const MAX_LINES = 2_000;

/** The result that an answer declares. What an answer says to its judges does not count as one. */
const readResult = (text: string): Answer | null => {
  const lines = text
    .split("\n")
    .filter((line) => /^\W*final\s+answer\s*:/i.test(line) || !marking.test(line))
    .filter((line) => !/^\W*[A-Z]\W*$/.test(line) && !/^\[simulated /.test(line));
  return extractAnswer(lines.join("\n"));
};

/** Whether a result is what a model believes. */
export const agreement = (result: Answer | null, belief: Belief | null): boolean | null => {
  const own = belief && extractAnswer(`Final answer: ${belief.answer}`);
  return own === null || result === null ? null : sameAnswer(own, result);
};

/** What quality can add to an answer's score, as agreement with the model's own result adds 1. */
const QUALITY_WEIGHT = 0.45;

/** Whether two answers come to one result, and differ in nothing but their quality. */
export const isLevel = ({ parameters }: SimModel, one: Appraisal, other: Appraisal): boolean =>
  one.agrees !== null &&
  one.result !== null &&
  other.result !== null &&
  sameAnswer(one.result, other.result) &&
  Math.abs(one.score - other.score) <= (1 - parameters.position) * QUALITY_WEIGHT;

/**
 * Answers as a model sees them, best first. Agreement with its own result counts most, then quality. `position` moves
 * the weight from these to the place at which an answer was shown; `self` lifts answers with the model's own signature,
 * `length` those that are longer than others. Without these, order, labels and length decide only between equal answers.
 */
export function appraise(model: SimModel, answers: readonly ShownText[]): Appraisal[] {
  const { position, self, length } = model.parameters;
  const own = signature(model.parameters);
  return answers
    .map(({ label, text }, index): Appraisal & { fine: number } => {
      const result = readResult(text);
      const agrees = agreement(result, model.belief);
      const sentences = readSentences(text).map((sentence) => sentence.text);
      const quality = rateQuality(sentences.slice(0, 1), model);
      const agreed = agrees === true ? 1 : agrees === null && model.belief !== null ? 0.5 : 0;
      const worth = agreed + QUALITY_WEIGHT * quality;
      const others = Math.max(1, answers.length - 1);
      const early = 1.5 * (1 - index / others);
      const shorter = answers.filter((other) => other.text.length < text.length).length;
      const favor = (readSignature(text) === own ? 2 * self : 0) + (2 * shorter * length) / others;
      const score = (1 - position) * worth + position * early + favor;
      return { label, agrees, result, quality, score, fine: rateQuality(sentences, model) };
    })
    .sort((a, b) => b.score - a.score || b.fine - a.fine)
    .map(({ fine: _, ...appraisal }) => appraisal);
}

const rateQuality = (sentences: readonly string[], { taste }: SimModel): number => {
  const content = sentences.join("\n");
  return 0.65 * createChance(["quality", content]).roll("common") + 0.35 * taste.roll(`quality ${content}`);
};
