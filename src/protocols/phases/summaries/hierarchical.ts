import type { StepRunner } from "../../../engine/index.ts";
import {
  condense,
  distinctContributions,
  formatContributions,
  formatSections,
  noteNothingToSummarize,
  summaryOutcome,
  type Section,
  type SummaryMethod,
  type SummaryPart,
  type SummaryTask,
} from "./method.ts";
import { excerpt, type Contribution } from "./passages.ts";

// A part whose summary fails is represented by its beginning; only the whole's failure is the task's.

const name = "hierarchical";

/** The length of all parts of a level together, as a multiple of the whole's length. */
const CONTRIBUTIONS = 4;
const GROUPS = 2;
/** Shares are not smaller, unless the whole is: a summary of a few words keeps nothing. */
const MIN_SHARE_LENGTH = 200;

/** A contribution with its summary for a text. */
type Leaf = Contribution & { readonly charactersBefore: number };

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
    const leaves = await Promise.all(
      contributions.map(async (of): Promise<Leaf> => {
        const maxLength = shareLength(task, CONTRIBUTIONS, contributions.length);
        const part = { level: "contribution", of: of.step } as const;
        const { text } = of;
        const charactersBefore = text.length;
        const summary = await condensePart(run, task, { text, maxLength, charactersBefore, part });
        return { ...of, text: summary, charactersBefore };
      }),
    );
    const rounds = [...new Set(contributions.map(({ round }) => round))].map((round): LeafGroup => ({
      heading: `Round ${round}`,
      part: { level: "round", of: `round-${round}` },
      leaves: leaves.filter((leaf) => leaf.round === round),
    }));
    const phases = PHASES.map(({ kind, phase, heading }): LeafGroup => ({
      heading,
      part: { level: "phase", of: phase },
      leaves: leaves.filter((leaf) => leaf.kind === kind),
    }));
    const levels = [rounds, phases.filter((group) => group.leaves.length > 0)];
    const groups = levels.flatMap((level) =>
      level.map(async ({ heading, part, leaves: own }): Promise<Section> => {
        const text = formatContributions(own);
        const maxLength = shareLength(task, GROUPS, level.length);
        const charactersBefore = own.reduce((sum, leaf) => sum + leaf.charactersBefore, 0);
        return { heading, text: await condensePart(run, task, { text, maxLength, charactersBefore, part }) };
      }),
    );
    return condense(run, task, { method: name, text: formatSections(await Promise.all(groups)) });
  },
};

const PHASES = [
  { kind: "proposal", phase: "proposals", heading: "All proposals" },
  { kind: "critique", phase: "critiques", heading: "All critiques" },
  { kind: "refinement", phase: "refinements", heading: "All refinements" },
] as const;

const shareLength = ({ maxLength }: SummaryTask, times: number, parts: number): number =>
  Math.min(maxLength, Math.max(MIN_SHARE_LENGTH, Math.floor((times * maxLength) / parts)));

type Part = Required<Pick<SummaryPart, "text" | "maxLength" | "charactersBefore" | "part">>;

/** Contributions to be summarized together. */
type LeafGroup = Pick<Part, "part"> & { readonly heading: string; readonly leaves: readonly Leaf[] };

/** Summarizes a part, under `<key>/<level>/<of>`. */
async function condensePart(run: StepRunner, task: SummaryTask, part: Part): Promise<string> {
  const key = `${task.key}/${part.part.level}/${part.part.of}`;
  const input = { key, method: name, ...part };
  const { text, maxLength } = part;
  const event =
    text.trim().length <= maxLength
      ? await run.derive({ key, outcomes: ["summary-made"], work: task.work, input }, () =>
          summaryOutcome(task, input),
        )
      : await condense(run, task, input);
  return event.type === "summary-made" ? event.data.text : excerpt(text, maxLength);
}
