import { contentWords } from "./words.ts";
import { readEnds } from "./fences.ts";
import { splitSentences } from "./sentences.ts";

export type NamedText = { readonly id: string; readonly text: string };

/** A draft, and how much of a sentence's content one sentence of that draft holds: from the threshold to 1. */
export type Source = { readonly id: string; readonly similarity: number };

export type Trace = {
  /** The answer's sentences in order, each with the drafts that support it, the most similar first. */
  readonly sentences: { readonly text: string; readonly sources: Source[] }[];
  /** The drafts' sentences that no sentence of the answer holds: `id` is the draft's, draft by draft in order. */
  readonly lost: NamedText[];
  /** By draft, 0 to 1: its part of the answer's content. What is missing to a sum of 1 stands in no draft. */
  readonly share: Record<string, number>;
};

/** A word in more units than these tells none of them apart, and is passed over like a stop word. */
const MAX_HOLDERS = 256;
/** Maximum UTF-16 units traced from the start and from the end of a text. */
const MAX_READ_LENGTH = 64 * 1024;

/** Sentences of the same words are one unit: a text that repeats itself costs no more than its first round. */
type Unit = { readonly index: number; readonly words: readonly string[]; readonly drafts: Set<string> };
type TracedSentence = { readonly text: string; readonly unit: Unit };

/** Gathers the units of several texts; `draft` null for the answer. */
function createUnits() {
  const units = new Map<string, Unit>();
  const read = (text: string, draft: string | null): TracedSentence[] =>
    splitSentences(readEnds(text, MAX_READ_LENGTH)).flatMap((sentence) => {
      const words = contentWords(sentence).sort();
      if (words.length === 0) return [];
      const key = words.join(" ");
      const unit = units.get(key) ?? { index: units.size, words, drafts: new Set() };
      units.set(key, unit);
      if (draft !== null) unit.drafts.add(draft);
      return [{ text: sentence, unit }];
    });
  return { units, read };
}

type WordWeights = {
  /** The units that have the word; none for one that too many have. */
  readonly holders: (word: string) => readonly Unit[];
  readonly weight: (word: string) => number;
  readonly content: (unit: Unit) => number;
};

function weighWords(units: readonly Unit[]): WordWeights {
  const byWord = new Map<string, Unit[]>();
  for (const unit of units)
    for (const word of unit.words) {
      const holders = byWord.get(word);
      if (holders === undefined) byWord.set(word, [unit]);
      else holders.push(unit);
    }
  const holders = (word: string): readonly Unit[] => {
    const all = byWord.get(word) ?? [];
    return all.length > MAX_HOLDERS ? [] : all;
  };
  const weight = (word: string): number => {
    const { length } = holders(word);
    return length === 0 ? 0 : Math.log(1 + units.length / length);
  };
  const contents = units.map(({ words }) => words.reduce((sum, word) => sum + weight(word), 0));
  return { holders, weight, content: ({ index }) => contents[index] ?? 0 };
}

/** For each unit of the answer the drafts that hold it, and for each unit of a draft how far the answer holds it. */
function compareUnits(answered: ReadonlySet<Unit>, { holders, weight, content }: WordWeights, count: number) {
  const similarities = new Map<Unit, Map<string, number>>();
  const kept = new Float64Array(count);
  const common = new Float64Array(count);
  for (const unit of answered) {
    const met = new Set<Unit>();
    for (const word of unit.words) {
      const worth = weight(word);
      for (const other of holders(word)) {
        if (other.drafts.size === 0) continue;
        common[other.index] = (common[other.index] ?? 0) + worth;
        met.add(other);
      }
    }
    const best = new Map<string, number>();
    for (const other of met) {
      const shared = common[other.index] ?? 0;
      common[other.index] = 0;
      kept[other.index] = Math.max(kept[other.index] ?? 0, shared / content(other));
      for (const id of other.drafts) best.set(id, Math.max(best.get(id) ?? 0, shared / content(unit)));
    }
    similarities.set(unit, best);
  }
  return { similarities, kept };
}

/**
 * Which sentences of an answer stand in which draft, and which of the drafts' sentences are lost. A sentence is
 * supported by a draft, or kept in the answer, as far as one sentence there holds its content words (`similarity`, 0
 * to 1; from `threshold` on, 0.5 unless given). A word weighs the more the fewer sentences have it: log (1 + N / n), an
 * inverse document frequency (Spärck Jones 1972, Journal of Documentation 28:11). For `share`, a sentence's
 * content goes to its sources in proportion to their similarities. Sentences without a content word are left out.
 *
 * Wording is compared, not meaning: a paraphrase is missed, and a `not` is one word among others. Stop words are
 * English; in other languages rarity alone weighs. The time grows with the length of the texts, whatever they hold; of a
 * text over 128 KiB the start and the end are read.
 * @throws RangeError unless 0 < threshold ≤ 1, and for two drafts of one id
 */
export function traceSentences(
  answer: string,
  drafts: readonly NamedText[],
  { threshold = 0.5 }: { readonly threshold?: number } = {},
): Trace {
  if (!(threshold > 0 && threshold <= 1))
    throw new RangeError(`a threshold of ${threshold} tells nothing apart; give one above 0 and up to 1`);
  if (new Set(drafts.map(({ id }) => id)).size < drafts.length)
    throw new RangeError("two drafts have one id; give each its own");
  const { units, read } = createUnits();
  const answered = read(answer, null);
  const drafted = drafts.map(({ id, text }) => ({ id, sentences: read(text, id) }));
  const weights = weighWords([...units.values()]);
  const { similarities, kept } = compareUnits(new Set(answered.map(({ unit }) => unit)), weights, units.size);

  const sentences = answered.map(({ text, unit }) => {
    const found = similarities.get(unit) ?? new Map<string, number>();
    const sources = drafts.map(({ id }) => ({ id, similarity: found.get(id) ?? 0 }));
    return {
      text,
      content: weights.content(unit),
      sources: sources
        .filter(({ similarity }) => similarity >= threshold)
        .sort((a, b) => b.similarity - a.similarity),
    };
  });
  const whole = sentences.reduce((sum, { content }) => sum + content, 0);
  const share = new Map(drafts.map(({ id }) => [id, 0]));
  for (const { content, sources } of sentences) {
    const all = sources.reduce((sum, { similarity }) => sum + similarity, 0);
    for (const { id, similarity } of sources)
      share.set(id, (share.get(id) ?? 0) + ((content / whole) * similarity) / all);
  }
  return {
    sentences: sentences.map(({ text, sources }) => ({ text, sources })),
    lost: drafted.flatMap(({ id, sentences: own }) =>
      own
        .filter(({ unit }) => weights.content(unit) > 0 && (kept[unit.index] ?? 0) < threshold)
        .map(({ text }) => ({ id, text })),
    ),
    share: Object.fromEntries(share),
  };
}
