import type { StepOutcome, StepRunner } from "../../../engine/index.ts";
import type { DataOf, Event } from "../../../kernel/index.ts";
import { emptyReplyFailure, modelParams } from "../../phases/draft.ts";
import { degradation } from "../../phases/loss.ts";
import { excerpt } from "./passages.ts";
import type { Contribution, SummaryTask } from "./method.ts";

export type SummaryEvent = Event<"summary-made"> | Event<"degradation-noted">;

/** A text and what it is: `Round 2, critique`. */
export type Section = { readonly heading: string; readonly text: string };

export const SEPARATOR = "\n\n";

export const formatSection = ({ heading, text }: Section): string => `${heading}:\n${text}`;

/** Several texts as one, each under its heading. */
export const formatSections = (texts: readonly Section[]): string => texts.map(formatSection).join(SEPARATOR);

export const formatHeading = ({ round, kind, label }: Contribution): string =>
  `Round ${round}, ${kind}${label === undefined ? "" : ` by ${label}`}`;

export const createSection = (contribution: Contribution): Section => ({
  heading: formatHeading(contribution),
  text: contribution.text,
});

/** Those that say anything, each step's text once. */
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
        ...modelParams(task.for),
        messages: task.prompt(text, maxLength),
        maxOutputTokens: task.maxOutputTokens,
      },
      timeoutMs: task.timeoutMs,
    },
    (call) => {
      const failure = call.ok ? emptyReplyFailure(call.reply) : call.failure;
      if (failure) return degradation({ ...lost(task, part), failure, participant: task.for.id });
      const made = summaryOutcome(task, { ...condensing, text: call.ok ? call.reply : "" });
      return { ...made, data: { ...made.data, temperature: task.for.temperature ?? null } };
    },
  );
};

/** The event of a summary that reads `text`, cut to its length; nobody's temperature is in it. */
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
    },
  };
}

/** The end of a task without anything to summarise: nobody is asked. */
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

const lost = ({ for: { persona } }: SummaryTask, part?: SummaryPart["part"]) =>
  part
    ? {
        what: `the summary of ${part.of} for ${persona.name}`,
        weakens: "its beginning stands in the summary of the whole",
      }
    : { what: `the summary for ${persona.name}`, weakens: "its prompts carry the whole history" };
