import * as z from "zod";

export const MAX_ROUNDS = 20;

/** What a request may say of rounds, for a protocol that has them. */
export const RoundFields = z.object({
  /** The roles of the agents; a configuration names its own. */
  agents: z
    .array(z.string())
    .readonly()
    .optional()
    .meta({
      flag: "-a, --agents <roles>",
      description: "architect, security, performance, testing, kiss, data-modeling, generalist, or your own",
    }),
  /** At most this many rounds. */
  rounds: z
    .int()
    .min(1)
    .max(MAX_ROUNDS)
    .optional()
    .meta({
      expects: `an integer from 1 to ${MAX_ROUNDS}`,
      flag: "-r, --rounds <n>",
      description: "maximum number of rounds (default: 3)",
    }),
  /** Other models for the agents and the judge; see `mapModels`. */
  mapModels: z
    .string()
    .optional()
    .meta({
      flag: "--map-models <refs>",
      description: "replace models: a list, dealt out in turn, or FROM=TO pairs",
    }),
  until: z
    .enum(["fixed", "convergence", "quality"])
    .optional()
    .meta({
      flag: "--until <when>",
      description: "end early: fixed (never), convergence of answers, or quality by the judge",
    }),
  topology: z
    .enum(["full", "ring", "star"])
    .optional()
    .meta({ flag: "--topology <form>", description: "who criticizes whom: full, ring or star" }),
  proposals: z
    .enum(["carried", "fresh"])
    .optional()
    .meta({
      flag: "--proposals <kind>",
      description: "from round 2 on: carried refinements, or fresh proposals",
    }),
  clarify: z
    .boolean()
    .optional()
    .meta({ flag: "--clarify", description: "let the agents ask questions first" }),
  /** Whether the notes say who takes part. */
  verbose: z
    .boolean()
    .optional()
    .meta({ flag: "-v, --verbose", description: "show participants and prompts" }),
});

export type RoundRequest = {
  readonly [K in keyof z.infer<typeof RoundFields>]?: z.infer<typeof RoundFields>[K] | undefined;
} & {
  /** Who takes part and under which rules, for a protocol that reads it. */
  readonly config?: object | undefined;
};
