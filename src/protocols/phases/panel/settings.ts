import * as z from "zod";
import { type SeatSpec, countMajority } from "../../../engine/index.ts";
import { ReplyLimit, ParticipantId } from "../../../kernel/index.ts";
import type { DraftLimits } from "../draft.ts";
import { ConversationWindow } from "../conversation.ts";
import { toolSettings } from "../tools.ts";

export const panelSeats: readonly SeatSpec[] = [
  { name: "member", filledBy: "models", min: 1, person: "member" },
  { name: "chair", filledBy: "chair", min: 0, fallbacks: true, persona: "chair", person: "judge" },
  { name: "judge", filledBy: "reviewers", min: 0, persona: "judge", person: "reviewer" },
  { name: "tie-break", filledBy: "people", min: 0, max: 1, person: "tie-break" },
];

/** How the chair synthesizes: its directive is the template `strategy`. */
export const Strategy = z.strictObject({
  name: z.string().min(1),
  goal: z.string().optional(),
  /** What the chair sees beyond drafts and reviews. */
  sees: z.array(z.enum(["standing"])).default([]),
});
export type Strategy = z.infer<typeof Strategy>;

/** How a fork has the synthesis written again, to measure the contributions of its material's parts. */
export const Rewriting = z.strictObject({
  /** The chair that writes, without a fallback. */
  by: ParticipantId,
  /** The participants whose drafts, reviews, ranks and remarks the standing and the chair do not see. */
  withheld: z.array(ParticipantId),
  /** Tells calls with the same material apart: 0 is the parent's own. */
  nth: z.int().nonnegative(),
});
export type Rewriting = z.infer<typeof Rewriting>;

export const PanelSettings = z.strictObject({
  /** `consensus`: the chair writes one answer under a strategy. `vote`: the winner's draft is the answer. */
  mode: z
    .enum(["consensus", "vote"])
    .default("consensus")
    .meta({ flag: "--mode <mode>", description: "consensus (the chair writes) or vote (best draft)" }),
  strategy: Strategy.default({ name: "balanced", sees: [] }),
  /** The minimum number of drafts; by default more than half of the members. */
  quorum: z.int().positive().optional(),
  maxOutputTokens: z
    .strictObject({ draft: ReplyLimit, review: ReplyLimit, synthesis: ReplyLimit })
    .prefault({}),
  /** Bounds every call, retries included. */
  callTimeoutMs: z.int().positive().default(180_000),
  /** How long a phase waits for stragglers once a quorum is in; null waits for their timeouts. */
  patienceMs: z.int().positive().nullable().default(null),
  rewriting: Rewriting.optional(),
  ...toolSettings,
  conversation: ConversationWindow.optional(),
});
export type PanelSettings = z.infer<typeof PanelSettings>;

export const draftLimits = (
  { quorum, maxOutputTokens, callTimeoutMs, patienceMs, tools, toolSpecs }: PanelSettings,
  members: number,
): DraftLimits => ({
  quorum: quorum ?? countMajority(members),
  maxOutputTokens: maxOutputTokens.draft,
  timeoutMs: callTimeoutMs,
  patienceMs,
  tools: { tools, toolSpecs },
});
