import type { DryReply, StepOutcome, StepRunner } from "../../../engine/index.ts";
import type { DataOf, Embeddings, Event, Message, Participant, Work } from "../../../kernel/index.ts";
import { callFailure, degradation, modelParams } from "../reply.ts";
import { excerpt, type Contribution } from "./passages.ts";

export type SummaryTask = {
  /** The summary's own step; other steps of a method are under `<key>/…`. */
  readonly key: string;
  readonly work?: Work | undefined;
  readonly for: Participant;
  /** The round at whose start it is made; undefined for the judge's, after the last round. */
  readonly round: number | undefined;
  /** All of the perspective, oldest first. */
  readonly contributions: readonly Contribution[];
  /** The length of all texts together, in UTF-16 units. */
  readonly charactersBefore: number;
  /** The maximum length of the summary; a longer reply is cut. */
  readonly maxLength: number;
  /** What the agent is asked for next, which a retrieval searches for. */
  readonly purpose: string;
  /** The prompt for a summary of a text in at most `maxLength` characters. */
  readonly prompt: (text: string, maxLength: number) => Message[];
  readonly maxOutputTokens: number | undefined;
  readonly timeoutMs: number;
  readonly contextTokens?: number | undefined;
  /** Of a conversation: what the summary covers, as its event says. */
  readonly turns?: DataOf<"summary-made">["turns"];
  /** What a failure weakens; by default the whole history takes the summary's place. */
  readonly weakens?: string;
};

export type SummaryTools = {
  /** Null where no embedding model is configured: words are compared then, and the method's name says so. */
  readonly embeddings: Embeddings | null;
  readonly options: {
    /** The cosine from which two texts say the same, from 0 to 1. */
    readonly semanticThreshold: number;
  };
};

export type SummaryEvent = Event<"summary-made"> | Event<"degradation-noted">;

/**
 * A summary method. It ends in one `summary-made` under the task's key, or in `degradation-noted`, after which the whole
 * history is used. All that it does is a named step under that key; it uses neither clocks nor chance.
 */
export type SummaryMethod = {
  /** The name in settings. */
  readonly name: string;
  /** Whether it takes the contributions of all agents where `scope` is `all`. */
  readonly takesAll?: boolean;
  /** Whether it runs for every prompt, with that prompt's purpose, instead of once at the start of a round. */
  readonly perPrompt?: boolean;
  summarize(run: StepRunner, task: SummaryTask, tools: SummaryTools): Promise<SummaryEvent>;
};

const name = "length-based";

/** Summarizes the whole text in one call. */
export const lengthBased: SummaryMethod = {
  name,
  summarize(run, task) {
    const contributions = distinctContributions(task);
    if (contributions.length === 0) return noteNothingToSummarize(run, task);
    return condense(run, task, { method: name, text: formatContributions(contributions) });
  },
};

/** A text and its heading: `Round 2, critique`. */
export type Section = { readonly heading: string; readonly text: string };

export const SEPARATOR = "\n\n";

export const formatSection = ({ heading, text }: Section): string => `${heading}:\n${text}`;

/** Several texts as one, each under its heading. */
export const formatSections = (texts: readonly Section[]): string => texts.map(formatSection).join(SEPARATOR);

export const formatHeading = ({ round, kind, label }: Contribution): string =>
  kind === "turn" ? `Turn ${round}` : `Round ${round}, ${kind}${label === undefined ? "" : ` by ${label}`}`;

export const formatContributions = (contributions: readonly Contribution[]): string =>
  formatSections(contributions.map((one) => ({ heading: formatHeading(one), text: one.text })));

/** The contributions that are not blank, each step's text once. */
export function distinctContributions({ contributions }: SummaryTask): readonly Contribution[] {
  const steps = new Set<string>();
  return contributions.filter(({ step, text }) => {
    const counts = text.trim() !== "" && !steps.has(step);
    if (counts) steps.add(step);
    return counts;
  });
}

/** One summary, of the whole or of a part of it. */
export type SummaryPart = {
  /** By default the task's own, for the whole. */
  readonly key?: string;
  readonly method: string;
  readonly text: string;
  /** By default the task's. */
  readonly maxLength?: number;
  readonly charactersBefore?: number;
  readonly part?: NonNullable<DataOf<"summary-made">["part"]>;
};

const USUAL_SUMMARY_TOKENS = 2_048;

/** Asks the participant's own model for a summary: one call, one step. */
export const condense = (
  run: StepRunner,
  task: SummaryTask,
  condensing: SummaryPart,
): Promise<SummaryEvent> => {
  const { key = task.key, maxLength = task.maxLength, part, text } = condensing;
  return run.call(
    {
      key,
      outcomes: ["summary-made", "degradation-noted"],
      work: task.work,
      request: {
        ...modelParams(task.for, task.maxOutputTokens, USUAL_SUMMARY_TOKENS),
        messages: task.prompt(text, maxLength),
        ...(task.contextTokens === undefined ? {} : { contextTokens: task.contextTokens }),
      },
      timeoutMs: task.timeoutMs,
      dry: dryOf(task),
    },
    (call) => {
      const failure = callFailure(call);
      if (failure) return degradation({ ...lost(task, part), failure, participant: task.for.id });
      const made = summaryOutcome(task, { ...condensing, text: call.ok ? call.reply : "" });
      return { ...made, data: { ...made.data, temperature: task.for.temperature ?? null } };
    },
  );
};

/** A longer text takes the place of a lost summary, but of a conversation's: that is then left out. */
const dryOf = ({ round, turns }: SummaryTask): DryReply =>
  turns
    ? { phase: "conversation" }
    : { mishap: "lost", ...(round === undefined ? { phase: "judge's summary" } : {}) };

/** The event of a summary with this text, cut to its length, without a temperature. */
export function summaryOutcome(
  task: SummaryTask,
  { method, text, maxLength = task.maxLength, charactersBefore = task.charactersBefore, part }: SummaryPart,
): StepOutcome<"summary-made"> {
  const cut = excerpt(text, maxLength);
  return {
    type: "summary-made",
    data: {
      for: task.for.id,
      method,
      charactersBefore,
      charactersAfter: cut.length,
      text: cut,
      ...(task.round === undefined ? {} : { round: task.round }),
      ...(part ? { part } : {}),
      ...(task.turns && !part ? { turns: task.turns } : {}),
    },
  };
}

/** The end of a task without anything to summarize: no model is called. */
export const noteNothingToSummarize = (run: StepRunner, task: SummaryTask): Promise<SummaryEvent> =>
  run.derive(
    { key: task.key, outcomes: ["degradation-noted"], work: task.work, input: { contributions: [] } },
    () =>
      degradation({
        ...lost(task),
        failure: { code: "unreadable", message: "nothing has been said yet" },
        participant: task.for.id,
      }),
  );

const lost = ({ for: { persona }, weakens }: SummaryTask, part?: SummaryPart["part"]) =>
  part
    ? {
        what: `the summary of ${part.of} for ${persona.name}`,
        weakens: "its beginning stands in the summary of the whole",
      }
    : { what: `the summary for ${persona.name}`, weakens: weakens ?? "its prompts carry the whole history" };
