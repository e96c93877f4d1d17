import * as z from "zod";
import { clusterItems, chooseRepresentative, compareTexts, labelMethod } from "./likeness.ts";
import type { Contribution, SummaryMethod, SummaryTools } from "./method.ts";
import { splitPassages } from "./passages.ts";
import {
  condense,
  distinctContributions,
  formatHeading,
  noteNothingToSummarize,
  SEPARATOR,
  formatSections,
} from "./summary.ts";

const name = "semantic";

/** About so many passages at most: grouping compares up to the square of their number. */
const MAX_PASSAGES = 150;

/** Which passages were chosen, and how: the body of the note `clusters`. Offsets in UTF-16 units of the step's text. */
const Clusters = z.strictObject({
  by: z.enum(["embeddings", "words"]),
  /** The embedding model. */
  model: z.string().nullable(),
  /** Why words were compared although there are embeddings. */
  why: z.string().nullable(),
  /** How many there were to choose from. */
  passages: z.int().nonnegative(),
  /** In chronological order. */
  chosen: z.array(
    z.strictObject({
      step: z.string(),
      start: z.int().nonnegative(),
      end: z.int().nonnegative(),
      /** How many passages it stands for, itself included. */
      standsFor: z.int().positive(),
    }),
  ),
});
type Clusters = z.infer<typeof Clusters>;

/**
 * One passage for every group of passages that say alike; these are summarised in one call. What was chosen is an
 * effect, recorded as `<key>/clusters`: embeddings lie outside, so a replay, which has none, believes the journal. For
 * the same reason the embedding model is no part of the step's input.
 */
export const semantic: SummaryMethod = {
  name,
  async summarize(run, task, tools) {
    const contributions = distinctContributions(task);
    if (contributions.length === 0) return noteNothingToSummarize(run, task);
    const { semanticThreshold } = tools.options;
    const note = await run.effect(
      {
        key: `${task.key}/clusters`,
        outcomes: ["note-taken"],
        work: task.work,
        input: {
          contributions: contributions.map(({ step, text }) => ({ step, text })),
          semanticThreshold,
        },
      },
      async (signal) => {
        const body = await choosePassages(contributions, tools, signal);
        const reason = `${body.chosen.length} of ${body.passages} passages stand for all, compared by ${body.by}`;
        return { type: "note-taken", data: { topic: "clusters", reason, body } };
      },
    );
    const { by, chosen } = Clusters.parse(note.data.body);
    return condense(run, task, {
      method: labelMethod(name, by),
      text: formatPassages(contributions, chosen),
    });
  },
};

async function choosePassages(
  contributions: readonly Contribution[],
  { embeddings, options }: SummaryTools,
  signal: AbortSignal,
): Promise<Clusters> {
  const passages = splitPassages(contributions, MAX_PASSAGES);
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
  return formatSections(
    contributions.flatMap((of) => {
      const passages = chosen.filter(({ step }) => step === of.step);
      const texts = passages.map(({ start, end }) => of.text.slice(start, end));
      return texts.length > 0 ? [{ heading: formatHeading(of), text: texts.join(SEPARATOR) }] : [];
    }),
  );
}
