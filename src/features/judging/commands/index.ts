import { choice, defineCommand, integer, requiredText, text, type Command } from "../../../cli/command.ts";
import { AGAIN, JSON_FLAG, LIMITS, QUIET } from "../../../cli/options.ts";

const SHARED = { again: AGAIN, ...LIMITS, ...JSON_FLAG, ...QUIET };
export const JUDGING = {
  model: requiredText("-m, --model <ref>", "model, provider/model (the judge)", { isList: true }),
  rubric: text("--rubric <name>", "name or file of a rubric (default: answer-quality)"),
  form: choice("--form <form>", "prompt form, prometheus or json (default: by the model)", [
    "prometheus",
    "json",
  ]),
  ...SHARED,
};
export const VALIDATE = {
  repeat: integer("--repeat <n>", "how often every prompt is asked", { min: 1, max: 20, or: 1 }),
  ...JUDGING,
};
export const COMPARE = {
  question: requiredText("--question <text>", "the question, or its file"),
  ...JUDGING,
};
export const GRADE = {
  ...COMPARE,
  reference: text("--reference <text>", "an answer that deserves a 5, or its file"),
};
export const ANONYMITY = {
  model: requiredText("-m, --model <ref>", "model, provider/model (who guesses)", { isList: true }),
  ...SHARED,
};

export const judges: readonly Command[] = [
  defineCommand("validate <file>", "Measure a judge against labeled pairs or scores", {
    details: "The file has one JSON object a line. It resumes where an earlier run stopped.",
    options: VALIDATE,
    examples: [
      "judge validate pairs.jsonl --model sim/judy",
      "judge validate pairs.jsonl --model sim/judy --repeat 2",
    ],
    run: async (io, given, [file = ""]) => (await import("./judge.ts")).validate(io, given, file),
  }),
  defineCommand("grade <answer...>", "Score answers in files from 1 to 5", {
    options: GRADE,
    examples: [
      'judge grade a.md --question "Why?" --model sim/judy',
      "judge grade a.md b.md --question why.md --model sim/judy --json",
    ],
    run: async (io, given, files) => (await import("./judge.ts")).grade(io, given, files),
  }),
  defineCommand("compare <a> <b>", "Compare two answers in files, asking in both orders", {
    aliases: ["prefer"],
    options: COMPARE,
    examples: [
      'judge compare a.md b.md --question "Why?" --model sim/judy',
      "judge compare a.md b.md --question why.md --model sim/judy --json",
    ],
    run: async (io, given, files) => (await import("./judge.ts")).compare(io, given, files),
  }),
];

export const audits: readonly Command[] = [
  defineCommand("anonymity [ids...]", "Measure how often a model can tell who wrote a draft", {
    details:
      "The model sees each draft of ask or council alone and guesses its author; the guesses of all runs are compared with chance. Without an id, of the newest run.",
    options: ANONYMITY,
    examples: ["votes anonymity --model sim/eva", "votes anonymity ID ID --model sim/eva --json"],
    run: async (io, given, ids) =>
      (await import("./anonymity.ts")).anonymity(io, given, ids.length > 0 ? ids : ["last"]),
  }),
];
