import { defineCommand, flag, negation, text, type Feature } from "../../../cli/command.ts";
import * as options from "../../../cli/options.ts";

export const SEAT = {
  answer: text("--answer <text>", "the answer: a text, a file, or - for stdin"),
  abstain: flag("--abstain", "leave the step unanswered for good"),
  step: text("--step <key>", "which step, where several wait"),
  resume: negation("--no-resume", "record the answer and do not continue the run"),
  ...options.PERSON,
  ...options.SHOWING,
};
export const INBOX = { ...options.PERSON, ...options.JSON_FLAG };

export const seat = (features: readonly Feature[]) =>
  defineCommand("seat [id]", "Answer a step that waits for you, and continue the run", {
    details:
      "Without an id, of the newest run that waits. Shows the prompt, and reads the answer from the terminal or --answer. " +
      "--abstain has the run go on without you, for this step.",
    options: { ...SEAT, ...options.filesOf(features) },
    examples: ["seat", 'seat ID --answer "B > A > C"'],
    run: async (io, given, [id]) => (await import("./seat.ts")).seat(io, given, id),
  });

export const inbox = defineCommand("inbox", "List everything that waits for you", {
  options: INBOX,
  examples: ["inbox", "inbox --user ana --json"],
  run: async (io, given) => (await import("./seat.ts")).inbox(io, given),
});
