import * as z from "zod";
import type { StepOutcome } from "../../../engine/index.ts";
import { chooseRepresentative, clusterItems, compareTexts, labelMethod, type Likeness } from "./likeness.ts";
import {
  condense,
  distinctContributions,
  formatContributions,
  formatHeading,
  formatSection,
  noteNothingToSummarize,
  SEPARATOR,
  summaryOutcome,
  type SummaryMethod,
  type SummaryTools,
} from "./method.ts";
import { excerpt, splitPassages, type Passage, type Contribution } from "./passages.ts";

/** The approximate maximum; grouping compares up to the square of their number. */
const MAX_SEMANTIC_PASSAGES = 150;

/** The body of the note `clusters`: the chosen passages, with offsets in UTF-16 units of the step's text. */
const Clusters = z.strictObject({
  by: z.enum(["embeddings", "words"]),
  /** The embedding model. */
  model: z.string().nullable(),
  /** Why words were compared although embeddings are configured. */
  why: z.string().nullable(),
  /** The number of passages to choose from. */
  passages: z.int().nonnegative(),
  /** In chronological order. */
  chosen: z.array(
    z.strictObject({
      step: z.string(),
      start: z.int().nonnegative(),
      end: z.int().nonnegative(),
      /** The number of passages that it stands for, itself included. */
      standsFor: z.int().positive(),
    }),
  ),
});
type Clusters = z.infer<typeof Clusters>;

/**
 * Chooses one passage from every group of passages that say the same, and summarizes these in one call. The choice is an
 * effect, recorded as `<key>/clusters`: a replay has no embeddings and takes it from the journal, and the embedding model
 * is not part of the step's input.
 */
export const semantic: SummaryMethod = {
  name: "semantic",
  async summarize(run, task, tools) {
    const contributions = distinctContributions(task);
    if (contributions.length === 0) return noteNothingToSummarize(run, task);
    const { semanticThreshold } = tools.options;
    const note = await run.effect(
      {
        key: `${task.key}/clusters`,
        outcomes: ["note-taken"],
        work: task.work,
        input: { contributions: contributions.map(({ step, text }) => ({ step, text })), semanticThreshold },
        dry: () => clustersOf(allOf(contributions)),
      },
      async (signal) => {
        return clustersOf(await choosePassages(contributions, tools, signal));
      },
    );
    const { by, chosen } = Clusters.parse(note.data.body);
    return condense(run, task, {
      method: labelMethod("semantic", by),
      text: formatPassages(contributions, chosen),
    });
  },
};

const clustersOf = (body: Clusters): StepOutcome<"note-taken"> => ({
  type: "note-taken",
  data: {
    topic: "clusters",
    reason: `${body.chosen.length} of ${body.passages} passages stand for all, compared by ${body.by}`,
    body,
  },
});

/** As if no two texts said the same. */
const allOf = (contributions: readonly Contribution[]): Clusters => ({
  by: "words",
  model: null,
  why: null,
  passages: contributions.length,
  chosen: contributions.map(({ step, text }) => ({ step, start: 0, end: text.length, standsFor: 1 })),
});

async function choosePassages(
  contributions: readonly Contribution[],
  { embeddings, options }: SummaryTools,
  signal: AbortSignal,
): Promise<Clusters> {
  const passages = splitPassages(contributions, MAX_SEMANTIC_PASSAGES);
  const { between, ...how } = await compareTexts(
    passages.map(({ text }) => text),
    embeddings,
    signal,
  );
  const chosen = clusterItems(passages.length, between, options.semanticThreshold)
    .map((cluster) => ({ at: chooseRepresentative(cluster, between), standsFor: cluster.length }))
    .sort((one, other) => one.at - other.at)
    .flatMap(({ at, standsFor }) => {
      const passage = passages[at];
      return passage ? [{ step: passage.of.step, start: passage.start, end: passage.end, standsFor }] : [];
    });
  return { ...how, passages: passages.length, chosen };
}

/** The chosen passages as one text; those of one contribution stand under one heading. */
function formatPassages(contributions: readonly Contribution[], chosen: Clusters["chosen"]): string {
  return formatContributions(
    contributions.flatMap((of) => {
      const passages = chosen.filter(({ step }) => step === of.step);
      const texts = passages.map(({ start, end }) => of.text.slice(start, end));
      return texts.length > 0 ? [{ ...of, text: texts.join(SEPARATOR) }] : [];
    }),
  );
}

/** The approximate maximum; every passage is embedded. */
const MAX_RETRIEVAL_PASSAGES = 2_000;

/**
 * Selects the passages nearest to what the agent is asked for next, word for word, as many as fit, in chronological
 * order, each with its round and kind. No model is called. It is an effect, as in `semantic`.
 */
export const retrieval: SummaryMethod = {
  name: "retrieval",
  takesAll: true,
  perPrompt: true,
  summarize(run, task, { embeddings }) {
    const { key, maxLength, purpose } = task;
    const contributions = distinctContributions(task);
    if (contributions.length === 0) return noteNothingToSummarize(run, task);
    const texts = contributions.map(({ round, kind, step, text, label }) => ({
      round,
      kind,
      step,
      text,
      label,
    }));
    return run.effect(
      {
        key,
        outcomes: ["summary-made"],
        input: { purpose, texts, maxLength },
        dry: ({ text }) => summaryOutcome(task, { method: "retrieval", text: text(maxLength) }),
      },
      async (signal) => {
        const passages = splitPassages(contributions, MAX_RETRIEVAL_PASSAGES);
        const likeness = await compareTexts(
          [purpose, ...passages.map(({ text }) => text)],
          embeddings,
          signal,
        );
        const text = selectFitting(rankPassages(passages, likeness), maxLength);
        return summaryOutcome(task, { method: labelMethod("retrieval", likeness.by), text });
      },
    );
  },
};

type RankedPassage = { readonly at: number; readonly relevance: number; readonly passage: Passage };

/** The nearest to the purpose first, of equals the newest. */
const rankPassages = (passages: readonly Passage[], { between }: Likeness): readonly RankedPassage[] =>
  passages
    .map((passage, at) => ({ at, relevance: between(0, at + 1), passage }))
    .sort((one, other) => other.relevance - one.relevance || other.at - one.at);

/** As many of the first as fit together, each text once; the beginning of the first one where none fits. */
function selectFitting(candidates: readonly RankedPassage[], maxLength: number): string {
  const chosen = new Map<string, { readonly at: number; readonly piece: string }>();
  let room = maxLength;
  for (const { at, passage } of candidates) {
    const piece = formatPassage(passage);
    const takes = piece.length + (chosen.size > 0 ? SEPARATOR.length : 0);
    if (takes > room || chosen.has(passage.text)) continue;
    chosen.set(passage.text, { at, piece });
    room -= takes;
  }
  const [first] = candidates;
  if (chosen.size === 0) return first ? formatBeginning(first.passage, maxLength) : "";
  return [...chosen.values()]
    .sort((one, other) => one.at - other.at)
    .map(({ piece }) => piece)
    .join(SEPARATOR);
}

function formatBeginning({ of, text }: Passage, maxLength: number): string {
  const heading = formatHeading(of);
  const room = maxLength - formatSection({ heading, text: "" }).length;
  return excerpt(formatSection({ heading, text: excerpt(text, room) }), maxLength);
}

const formatPassage = ({ of, text }: Passage): string => formatSection({ heading: formatHeading(of), text });
