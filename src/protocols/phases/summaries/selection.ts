import * as z from "zod";
import type { StepOutcome } from "../../../engine/index.ts";
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
import type { Embeddings } from "../../../kernel/index.ts";
import { textSimilarity } from "../../../stats/text-similarity.ts";
import { cosine } from "../../../text/words.ts";

/** The approximate maximum; grouping compares up to the square of their number. */
const MAX_SEMANTIC_PASSAGES = 150;

/** The body of the note `clusters`: the chosen passages, with offsets in UTF-16 units of the step's text. */
const Clusters = z.strictObject({
  by: z.enum(["embeddings", "words"]),
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

/** How alike any two of some texts are. */
export type Likeness = {
  readonly by: "embeddings" | "words";
  /** The embedding model; null where words were compared. */
  readonly model: string | null;
  /** Why words were compared although embeddings are configured; null where that is not so. */
  readonly why: string | null;
  /** Of the texts at these indices: 1 says the same; from words at least 0, from embeddings at least -1. */
  readonly between: (one: number, other: number) => number;
};

/** The method's name as recorded, which tells where words were compared. */
export const labelMethod = (name: string, by: Likeness["by"]): string =>
  by === "words" ? `${name} (by words)` : name;

/**
 * Compares texts by their embeddings, or by their words where no model is configured, the provider fails, or its reply is
 * not one vector of one length for each text.
 * @throws the signal's reason where it is aborted: an interruption is not a failure of the embeddings
 */
export async function compareTexts(
  texts: readonly string[],
  embeddings: Embeddings | null,
  signal: AbortSignal,
): Promise<Likeness> {
  if (!embeddings) return compareWords(texts, null);
  let vectors: readonly (readonly number[])[];
  try {
    vectors = await embeddings.embed(
      texts.map((text) => text.toWellFormed()),
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    return compareWords(texts, error instanceof Error ? error.message : String(error));
  }
  const flaw = findFlaw(vectors, texts.length);
  if (flaw !== undefined) return compareWords(texts, flaw);
  return {
    by: "embeddings",
    model: embeddings.model,
    why: null,
    between: (one, other) => cosine(vectors[one] ?? [], vectors[other] ?? []),
  };
}

/** A provider's message may be a page. */
const MAX_REASON_LENGTH = 300;
/** Characters of each text that are compared by words, which every comparison counts anew. */
const MAX_COMPARED_LENGTH = 1_200;

function compareWords(texts: readonly string[], why: string | null): Likeness {
  const compared = texts.map((text) => text.slice(0, MAX_COMPARED_LENGTH));
  return {
    by: "words",
    model: null,
    why: why === null ? null : excerpt(why, MAX_REASON_LENGTH),
    between: (one, other) => textSimilarity(compared[one] ?? "", compared[other] ?? ""),
  };
}

/** Why the vectors are not one for each text, all of one length; undefined where they are. */
function findFlaw(vectors: readonly (readonly number[])[], count: number): string | undefined {
  if (!Array.isArray(vectors) || vectors.length !== count)
    return `there is not one vector for each of ${count} texts`;
  const length = vectors[0]?.length ?? 0;
  if (length === 0 || vectors.some((vector) => vector.length !== length))
    return "the vectors are not of one length";
  return vectors.every((vector) => vector.every(Number.isFinite))
    ? undefined
    : "a vector holds what is no number";
}

/** Sums of cosines that differ by less are one: what is left of them is rounding. */
const EQUAL = 1e-9;

/**
 * Groups `count` items by leaders (Hartigan 1975, Clustering Algorithms, chapter 3): each item in turn joins the group
 * whose first item it is most like, of equals the older, where that is at least `threshold`; else it begins a group.
 * Takes at most count × groups comparisons.
 * @returns the items' indices, in order, group by group
 */
export function clusterItems(count: number, between: Likeness["between"], threshold: number): number[][] {
  const clusters: number[][] = [];
  for (let item = 0; item < count; item += 1) {
    let nearest: { readonly cluster: number[]; readonly alike: number } | undefined;
    for (const cluster of clusters) {
      const alike = between(cluster[0] ?? 0, item);
      if (alike >= threshold && alike > (nearest?.alike ?? -Infinity)) nearest = { cluster, alike };
    }
    if (nearest) nearest.cluster.push(item);
    else clusters.push([item]);
  }
  return clusters;
}

/**
 * The item of a group that is nearest to its centroid, of equals the newest. It is the one most like all the others
 * together: for unit vectors the cosine with their centroid is the sum of the cosines with them, but for a factor that
 * is the same for every item. So words, which have no centroid, are measured the same way.
 * @param cluster not empty
 */
export function chooseRepresentative(cluster: readonly number[], between: Likeness["between"]): number {
  const totals = cluster.map(() => 0);
  for (const [at, item] of cluster.entries())
    for (let next = at + 1; next < cluster.length; next += 1) {
      const alike = between(item, cluster[next] ?? item);
      totals[at] = (totals[at] ?? 0) + alike;
      totals[next] = (totals[next] ?? 0) + alike;
    }
  const most = Math.max(...totals);
  const at = totals.findLastIndex((total) => total >= most - EQUAL);
  return cluster[at] ?? 0;
}
