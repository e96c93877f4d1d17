import type { NewDeliberation } from "../../src/engine/index.ts";
import { ParticipantId, UserId, type Json } from "../../src/kernel/index.ts";
import { toyAsked, toyParticipant } from "../../src/testing/kit.ts";
import { shippedText } from "./templates.ts";

export const RESPONDENT_SETTINGS: Record<string, Json> = {
  maxOutputTokens: 1_000,
  callTimeoutMs: 60_000,
  recall: null,
  tools: { specs: [], limit: 5 },
};

const RECALL_RULES = {
  minimum: 0.75,
  minimumWords: 0.6,
  most: 2,
  extraAt: 0.9,
  weights: { words: 0.05, entities: 0.05, grade: 0.05, preference: 0.05, thumb: 0.05 },
  timeoutMs: 2_000,
};

export const USER = UserId.parse("ada");

export const RECALL: Json = { user: USER, rules: RECALL_RULES };

/** A question to respondent A (model `sim/first`), and to B (`sim/second`) where reactions name `respondent-b`. */
export function respondAsked(changes: Partial<NewDeliberation> = {}): NewDeliberation {
  const seat = (id: string, { name, model }: { name: string; model: string }) => ({
    ...toyParticipant(model, name, "be of help"),
    id: ParticipantId.parse(id),
  });
  const second = changes.reactions?.["respondent-b"] !== undefined;
  return toyAsked("respond", {
    question: "What is 17 * 23?",
    settings: RESPONDENT_SETTINGS,
    participants: [
      seat("A", { name: "respondent", model: "first" }),
      ...(second ? [seat("B", { name: "respondent-b", model: "second" })] : []),
    ],
    templates: { respond: shippedText("respond") },
    ...changes,
  });
}
