import { excerptOf, passagesOf, type Passage } from "./passages.ts";
import { likenessOf, namedBy, type Likeness } from "./likeness.ts";
import type { SummaryMethod } from "./method.ts";
import { contributionsOf, headingOf, nothingSaid, SEPARATOR, summaryMade, written } from "./summary.ts";

const name = "retrieval";

/** About so many passages at most: each is embedded. */
const PASSAGES = 2_000;

/**
 * No summary but a selection: the passages nearest to what the agent is asked for next, word for word, as many as fit,
 * in chronological order, each with its round and kind. No model is called; an effect, because embeddings lie outside:
 * a replay, which has none, believes the journal, and the embedding model is no part of the step's input.
 */
export const retrieval: SummaryMethod = {
  name,
  takesAll: true,
  perPrompt: true,
  summarise(run, task, { embeddings }) {
    const { key, maxLength, purpose } = task;
    const contributions = contributionsOf(task);
    if (contributions.length === 0) return nothingSaid(run, task);
    const texts = contributions.map(({ round, kind, step, text, label }) => ({
      round,
      kind,
      step,
      text,
      label,
    }));
    return run.effect(
      { key, outcomes: ["summary-made"], input: { purpose, texts, maxLength } },
      async (signal) => {
        const passages = passagesOf(contributions, PASSAGES);
        const likeness = await likenessOf([purpose, ...passages.map(({ text }) => text)], embeddings, signal);
        const text = fitting(ranked(passages, likeness), maxLength);
        return summaryMade(task, { method: namedBy(name, likeness.by), text });
      },
    );
  },
};

type Ranked = { readonly at: number; readonly relevance: number; readonly passage: Passage };

/** Nearest to the purpose first, of equals the newest. */
const ranked = (passages: readonly Passage[], { between }: Likeness): readonly Ranked[] =>
  passages
    .map((passage, at) => ({ at, relevance: between(0, at + 1), passage }))
    .sort((one, other) => other.relevance - one.relevance || other.at - one.at);

/** As many of the first as fit together, each text once; of the first its beginning where none does. */
function fitting(candidates: readonly Ranked[], maxLength: number): string {
  const chosen = new Map<string, { readonly at: number; readonly piece: string }>();
  let room = maxLength;
  for (const { at, passage } of candidates) {
    const piece = pieceOf(passage);
    const takes = piece.length + (chosen.size > 0 ? SEPARATOR.length : 0);
    if (takes > room || chosen.has(passage.text)) continue;
    chosen.set(passage.text, { at, piece });
    room -= takes;
  }
  const [first] = candidates;
  if (chosen.size === 0) return first ? beginningOf(first.passage, maxLength) : "";
  return [...chosen.values()]
    .sort((one, other) => one.at - other.at)
    .map(({ piece }) => piece)
    .join(SEPARATOR);
}

function beginningOf({ of, text }: Passage, maxLength: number): string {
  const heading = headingOf(of);
  const room = maxLength - written({ heading, text: "" }).length;
  return excerptOf(written({ heading, text: excerptOf(text, room) }), maxLength);
}

const pieceOf = ({ of, text }: Passage): string => written({ heading: headingOf(of), text });
