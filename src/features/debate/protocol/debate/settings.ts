import { countMajority } from "../../../../engine/index.ts";
import * as z from "zod";
import { MAX_ROUNDS, RoundFields } from "../../../../contract/rounds.ts";
import { ReplyLimit, Json, ParticipantId } from "../../../../kernel/index.ts";
import { ConversationWindow } from "../../../../protocols/phases/conversation.ts";
import { toolSettings } from "../../../../protocols/phases/tools.ts";

const count = z.int().positive();

/** When and how an agent's perspective is summarized for it; lengths are in UTF-16 units. */
export const Summarization = z.strictObject({
  enabled: z.boolean().default(true),
  /** The length of the perspective from which it is summarized. */
  threshold: count.default(5_000),
  maxLength: count.default(2_500),
  /** One of `summaryMethods`. */
  method: z.string().min(1).default("length-based"),
  /** The cosine from which two passages say the same. */
  semanticThreshold: z.number().min(0).max(1).default(0.8),
  embeddingModel: z.string().min(1).optional(),
  /** `own`: the agent's perspective alone; `all`: everybody's, where a method retrieves. */
  scope: z.enum(["own", "all"]).default("own"),
});
export type Summarization = z.infer<typeof Summarization>;

/** When a debate ends before its last round. */
const Termination = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("fixed") }),
  /** Measured: final answers that agree, or refinements that hardly change. `similarity`: see `textSimilarity`. */
  z.strictObject({ type: z.literal("convergence"), similarity: z.number().min(0).max(1).default(0.9) }),
  /** The judge's confidence, 0 to 100. */
  z.strictObject({ type: z.literal("quality"), threshold: z.number().min(0).max(100).default(90) }),
]);

/** The tools that every debate has for its agents, files where it has a folder. */
export const DEBATE_TOOLS: readonly string[] = ["context_search", "file_read", "list_files"];

/** All that the opening of a debate reads from a request. */
export const DebateFields = RoundFields.extend({ config: z.unknown().optional() });

export const DebateSettings = z.strictObject({
  /** The maximum number of rounds. */
  rounds: count.max(MAX_ROUNDS).default(3),
  termination: Termination.prefault({ type: "fixed" }),
  /** From round 2 on: the last refinement is carried over as the proposal, or every agent writes a fresh one. */
  proposals: z.enum(["carried", "fresh"]).default("carried"),
  /** Who criticizes whom: all each other, each the next one, or the first agent and the others each other. */
  topology: z.enum(["full", "ring", "star"]).default("full"),
  /** The minimum number of proposals; by default more than half of the agents. */
  quorum: count.optional(),
  clarifications: z
    .strictObject({
      enabled: z.boolean().default(false),
      perAgent: count.max(20).default(5),
      rounds: count.max(10).default(3),
    })
    .prefault({}),
  /** Of all participants; `summarizationOf` overrides it for single ones. */
  summarization: Summarization.prefault({}),
  summarizationOf: z.record(ParticipantId, Summarization).default({}),
  /** Whether an agent without a summary sees its perspective at all. */
  includeFullHistory: z.boolean().default(true),
  /** Whether a judge below its threshold sees the critiques of all rounds; earlier openings do not say so. */
  critiquesForJudge: z.boolean().default(false),
  /**
   * Whether the rounds end where the budget does not reach for all critiques of the next one. Earlier openings do not say so,
   * and went on with some of them.
   */
  endsEarly: z.boolean().default(false),
  /** By participant, the role it argues for: shown to people, not to models. */
  roles: z.record(ParticipantId, z.string()).default({}),
  /** By participant, the sources of its texts; the texts themselves are pinned. */
  promptSources: z.record(ParticipantId, Json).default({}),
  ...toolSettings,
  /** The folder that file tools see. */
  contextFolder: z.string().min(1).optional(),
  maxOutputTokens: z
    .strictObject({
      ...{ clarification: ReplyLimit, proposal: ReplyLimit, critique: ReplyLimit, refinement: ReplyLimit },
      ...{ summary: ReplyLimit, confidence: ReplyLimit, synthesis: ReplyLimit },
    })
    .prefault({}),
  /** Bounds every call, retries included. */
  callTimeoutMs: count.default(180_000),
  /** How long a phase waits for stragglers once a quorum is in; null waits for their timeouts. */
  patienceMs: count.nullable().default(null),
  conversation: ConversationWindow.optional(),
});
export type DebateSettings = z.infer<typeof DebateSettings>;

/** How this participant's perspective is summarized. */
export const summarizationFor = (
  { summarization, summarizationOf: own }: DebateSettings,
  id: ParticipantId,
): Summarization => (Object.hasOwn(own, id) ? own[id] : undefined) ?? summarization;

export const requiredProposals = ({ quorum }: DebateSettings, agents: number): number =>
  quorum ?? countMajority(agents);
