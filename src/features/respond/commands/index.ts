import { defineSurface, flag, negation, setting } from "../../../cli/command.ts";
import * as options from "../../../cli/options.ts";

/** Grading, memory and the conversation. */
export const CONVERSATION = {
  ...options.RESPONDENT,
  ...options.JUDGE,
  critic: setting("--critic", "score answers with the judge of critic.yaml", { off: "do not score answers" }),
  memory: setting("--no-memory", "do not use memory"),
  ...options.USER,
  ...options.CONTINUE,
  folder: options.FOLDER,
  ...options.TOOLS,
};
export const WAIT = {
  wait: negation("--no-wait", "exit after the answer; grade and store it with parley resume"),
};
export const ALL_ANSWERS = {
  second: flag("--second", "the second model's answers: show them too", { old: "--all" }),
};

export const respond = defineSurface({
  arguments: "[question...]",
  options: {
    ...CONVERSATION,
    ...options.ATTACHMENTS,
    ...options.SEED,
    ...options.LIMITS,
    ...WAIT,
    ...options.DRY_RUN,
    ...options.SHOWING,
  },
  examples: [
    'respond "What is the capital of France?" --model sim/ada',
    'respond "And of Italy?" --continue',
  ],
  run: async (io, given, call) => (await import("./turn.ts")).respond(io, given, call),
});

export const chat = defineSurface({
  protocol: "respond",
  summary: "Chat with a model, with memory and scores",
  options: {
    ...CONVERSATION,
    ...options.LIMITS,
    ...ALL_ANSWERS,
    ...options.ENV_FILE,
    events: flag("--events", "print events, text and the result as lines of JSON"),
    ...options.QUIET,
  },
  examples: ["chat --model sim/ada", "chat --continue"],
  run: async (io, given, call) => (await import("./chat.ts")).chat(io, given, call),
});
