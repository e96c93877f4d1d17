import type { StepRunner } from "../../../engine/index.ts";
import {
  condense,
  distinctContributions,
  formatHeading,
  formatSections,
  noteNothingToSummarize,
  summaryOutcome,
  type Contribution,
  type Section,
  type SummaryMethod,
  type SummaryPart,
  type SummaryTask,
} from "./method.ts";
import { excerpt } from "./passages.ts";

// SUMMARY-1. Every part's summary is a recorded step of its own, so that each can be shown by itself.
// SUMMARY-2. A part that is no longer than its share is its own summary, without a call.
// SUMMARY-3. A part whose summary fails is represented by its beginning; only the whole's failure is the task's.

const name = "hierarchical";

/** The length of all parts of a level together, as a multiple of the whole's length. */
const CONTRIBUTIONS = 4;
const GROUPS = 2;
/** Shares are not smaller, unless the whole is: a summary of a few words keeps nothing. */
const MIN_SHARE_LENGTH = 200;

/** A contribution and its summary. */
type Leaf = { readonly of: Contribution; readonly text: string };

/**
 * Summaries of summaries. Each contribution's summary is part of two groups: its round, which keeps the order of events,
 * and its phase, which keeps the development of the proposals, the critiques and the refinements. The whole is summarized
 * from both. Independent calls run at once.
 */
export const hierarchical: SummaryMethod = {
  name,
  async summarize(run, task) {
    const contributions = distinctContributions(task);
    if (contributions.length === 0) return noteNothingToSummarize(run, task);
    const leaves = await condenseContributions(run, task, contributions);
    const rounds = [...new Set(contributions.map(({ round }) => round))];
    const phases = PHASES.filter(({ kind }) => contributions.some((one) => one.kind === kind));
    const byRound = rounds.map((round) =>
      condenseGroup(run, task, {
        level: "round",
        of: `round-${round}`,
        heading: `Round ${round}`,
        leaves: leaves.filter(({ of }) => of.round === round),
        maxLength: shareLength(task, GROUPS, rounds.length),
      }),
    );
    const byPhase = phases.map(({ kind, phase, heading }) =>
      condenseGroup(run, task, {
        level: "phase",
        of: phase,
        heading,
        leaves: leaves.filter(({ of }) => of.kind === kind),
        maxLength: shareLength(task, GROUPS, phases.length),
      }),
    );
    const groups = await Promise.all([...byRound, ...byPhase]);
    return condense(run, task, { method: name, text: formatSections(groups) });
  },
};

const PHASES = [
  { kind: "proposal", phase: "proposals", heading: "All proposals" },
  { kind: "critique", phase: "critiques", heading: "All critiques" },
  { kind: "refinement", phase: "refinements", heading: "All refinements" },
] as const;

const shareLength = ({ maxLength }: SummaryTask, times: number, parts: number): number =>
  Math.min(maxLength, Math.max(MIN_SHARE_LENGTH, Math.floor((times * maxLength) / parts)));

const condenseContributions = (
  run: StepRunner,
  task: SummaryTask,
  contributions: readonly Contribution[],
): Promise<readonly Leaf[]> => {
  const maxLength = shareLength(task, CONTRIBUTIONS, contributions.length);
  return Promise.all(
    contributions.map(async (of) => ({
      of,
      text: await condensePart(run, task, {
        key: `${task.key}/contribution/${of.step}`,
        method: name,
        text: of.text,
        maxLength,
        charactersBefore: of.text.length,
        part: { level: "contribution", of: of.step },
      }),
    })),
  );
};

type LeafGroup = {
  readonly level: "round" | "phase";
  readonly of: string;
  readonly heading: string;
  readonly leaves: readonly Leaf[];
  readonly maxLength: number;
};

/** Summarizes some contributions together, under `<key>/<level>/<of>`. */
async function condenseGroup(
  run: StepRunner,
  task: SummaryTask,
  { level, of, heading, leaves, maxLength }: LeafGroup,
): Promise<Section> {
  const text = await condensePart(run, task, {
    key: `${task.key}/${level}/${of}`,
    method: name,
    text: formatSections(leaves.map((leaf) => ({ heading: formatHeading(leaf.of), text: leaf.text }))),
    maxLength,
    charactersBefore: leaves.reduce((sum, leaf) => sum + leaf.of.text.length, 0),
    part: { level, of },
  });
  return { heading, text };
}

/** Summarizes a part (SUMMARY-1). */
async function condensePart(
  run: StepRunner,
  task: SummaryTask,
  part: SummaryPart & { readonly key: string; readonly maxLength: number },
): Promise<string> {
  const { key, text, maxLength } = part;
  const event =
    text.trim().length <= maxLength
      ? await run.derive({ key, outcomes: ["summary-made"], work: task.work, input: part }, () =>
          summaryOutcome(task, part),
        ) // SUMMARY-2
      : await condense(run, task, part);
  return event.type === "summary-made" ? event.data.text : excerpt(text, maxLength); // SUMMARY-3
}
