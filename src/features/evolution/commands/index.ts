import { defineCommand, flag, integer, requiredText, text, type Command } from "../../../cli/command.ts";
import { AGAIN, DRY_RUN, JSON_FLAG, JUDGE, LIMITS, MODELS, QUIET } from "../../../cli/options.ts";

export const FEEDBACK_OF = {
  limit: integer("-n, --limit <n>", "maximum number (of reviewed runs)", { min: 1, max: 10_000, or: 50 }),
  summarize: flag("--summarize", "have a model say what the remarks come to: one call, kept"),
  ...MODELS,
  ...LIMITS,
  ...JSON_FLAG,
  ...QUIET,
};
export const BREED = {
  name: text("--name <name>", "name (of the child; default: those of its parents)"),
  project: flag("--project", "write to this project: its .parley, not your own folder"),
  again: AGAIN,
  ...MODELS,
  ...LIMITS,
  ...JSON_FLAG,
  ...QUIET,
};
export const TRIAL = {
  against: text("--against <id>", "persona: the parent to compare with (default: the first)"),
  tasks: text("--tasks <file>", "questions, with answers where they are known (default: held-out ones)"),
  again: AGAIN,
  ...MODELS,
  ...JUDGE,
  ...DRY_RUN,
  ...LIMITS,
  ...JSON_FLAG,
  ...QUIET,
};
const ACCEPT = {
  override: requiredText("--override <why>", "the reason (recorded with your name)"),
  ...JSON_FLAG,
};
const DECIDE = {
  why: requiredText("--why <text>", "the reason: it is recorded with your name"),
  ...JSON_FLAG,
};

/** What is done with personas beyond their files. */
export const commands: readonly Command[] = [
  defineCommand("feedback <id>", "Show what peers wrote about a persona's answers", {
    details:
      "Each remark with its run. Held-out questions are left out. With --summarize a model writes it in short.",
    options: FEEDBACK_OF,
    examples: ["personas feedback analyst", "personas feedback analyst --summarize -m sim/ada"],
    run: async (io, given, [id = ""]) => (await import("./personas.ts")).feedback(io, given, id),
  }),
  defineCommand("breed <ids...>", "Breed a persona from two or three others", {
    details: "It is on trial until it is accepted, and may not take part before.",
    options: BREED,
    examples: [
      "personas breed analyst historian -m sim/ada",
      'personas breed analyst historian --name "Archivist"',
    ],
    run: async (io, given, ids) => (await import("./personas.ts")).breedCommand(io, given, ids),
  }),
  defineCommand("lineage <id>", "Draw a persona's parents, versions and trials", {
    options: JSON_FLAG,
    examples: ["personas lineage archivist", "personas lineage archivist --json"],
    run: async (io, given, [id = ""]) => (await import("./personas.ts")).lineage(io, given, id),
  }),
  defineCommand("trial <id>", "Compare a bred persona with its parent and with none", {
    details:
      "On questions that nobody saw who made it. It is accepted if two sequential tests say that it is better; a trial that was interrupted goes on.",
    options: TRIAL,
    examples: [
      "personas trial archivist --dry-run",
      "personas trial archivist --tasks tasks.jsonl -m sim/ada",
    ],
    run: async (io, given, [id = ""]) => (await import("./personas.ts")).trial(io, given, id),
  }),
  defineCommand("accept <id>", "Let a bred persona take part without a trial's verdict", {
    options: ACCEPT,
    examples: [
      'personas accept archivist --override "for a demo"',
      'personas accept archivist --override "x" --json',
    ],
    run: async (io, { override: why, json }, [id = ""]) =>
      (await import("./personas.ts")).decide(io, { id, decision: "accepted", why, json }),
  }),
  defineCommand("retire <id>", "Take a persona out of use", {
    options: DECIDE,
    examples: ['personas retire archivist --why "superseded"', 'personas retire archivist --why "x" --json'],
    run: async (io, given, [id = ""]) =>
      (await import("./personas.ts")).decide(io, { id, decision: "retired", ...given }),
  }),
  defineCommand("rollback <id>", "Put a persona's earlier version back", {
    options: DECIDE,
    examples: ['personas rollback archivist --why "worse"', 'personas rollback archivist --why "x" --json'],
    run: async (io, given, [id = ""]) =>
      (await import("./personas.ts")).decide(io, { id, decision: "rolled-back", ...given }),
  }),
];
