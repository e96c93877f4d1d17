import type { Embeddings, Event, Message, Participant, Work } from "../../../kernel/index.ts";
import type { StepRunner } from "../../../engine/index.ts";
import {
  condense,
  distinctContributions,
  createSection,
  noteNothingToSummarize,
  formatSections,
} from "./summary.ts";

/** One text of an agent's own perspective, in the order in which it came about. */
export type Contribution = {
  readonly round: number;
  readonly kind: "proposal" | "critique" | "refinement";
  /** The step whose event holds it. */
  readonly step: string;
  readonly text: string;
  /** Under which others know its author; absent where it is nobody's. */
  readonly label?: string;
};

/** What is to be summarised, for whom. */
export type SummaryTask = {
  /** The summary's own step; whatever else a method does stands under `<key>/…`. */
  readonly key: string;
  /** Of every step of the method. */
  readonly work?: Work | undefined;
  readonly for: Participant;
  /** At whose start it is made; undefined for the judge's, after the last. */
  readonly round: number | undefined;
  /** The whole of it, oldest first. */
  readonly contributions: readonly Contribution[];
  /** Of all texts together, UTF-16 units. */
  readonly charactersBefore: number;
  /** The summary is no longer than this, whatever a model says. */
  readonly maxLength: number;
  /** What the agent is asked for next: what a retrieval looks for. */
  readonly purpose: string;
  /** The prompt that asks for a summary of this text in at most so many characters. */
  readonly prompt: (text: string, maxLength: number) => Message[];
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
};

/** Settings of one method, beyond length: as written in the debate's settings. */
export type SummaryOptions = {
  /** Cosine from which two texts say alike, 0 to 1. */
  readonly semanticThreshold: number;
  /** `own`: the agent's perspective; `all`: everybody's. */
  readonly scope: "own" | "all";
};

export type SummaryTools = {
  /** null where no embedding model is configured: words are compared then, and the method's name says so. */
  readonly embeddings: Embeddings | null;
  readonly options: SummaryOptions;
};

/**
 * A way to summarise. It ends in one `summary-made` under the task's key, or in `degradation-noted`, after which the
 * whole history is used. Everything it does is a named step under that key; it must not look at clocks or chance.
 */
export type SummaryMethod = {
  /** As settings name it. */
  readonly name: string;
  /** Beyond the agent's own contributions it wants everybody's, when `scope` is `all`. */
  readonly takesAll?: boolean;
  /** It is asked for every prompt, with that prompt's purpose, rather than once at the start of a round. */
  readonly perPrompt?: boolean;
  summarize(
    run: StepRunner,
    task: SummaryTask,
    tools: SummaryTools,
  ): Promise<Event<"summary-made"> | Event<"degradation-noted">>;
};

const name = "length-based";

/** The whole text in one call. */
export const lengthBased: SummaryMethod = {
  name,
  summarize(run, task) {
    const contributions = distinctContributions(task);
    if (contributions.length === 0) return noteNothingToSummarize(run, task);
    return condense(run, task, { method: name, text: formatSections(contributions.map(createSection)) });
  },
};
