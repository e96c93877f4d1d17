import type { ProtocolContext } from "../../engine/index.ts";
import type { Event, Message, ModelRequest, Participant, StepKey } from "../../kernel/index.ts";
import { ANSWERS_SLOTS, answersValues, type AnswersPrompt, type Desk } from "../../prompts/material.ts";
import { defineTemplate, replySchema } from "../../prompts/template.ts";
import { ComparisonReply, parseComparison } from "../../replies/comparison.ts";
import { emptyReplyFailure, modelParams } from "../phases/draft.ts";
import { degradation } from "../phases/loss.ts";
import type { SeatedDraft } from "../phases/table.ts";
import type { AskSettings } from "./rungs.ts";
import { texts } from "./templates/index.ts";

export const comparisonTemplate = defineTemplate("ask-comparison", ANSWERS_SLOTS, texts["ask-comparison"]);

/** What whoever compares the answers' claims is asked; `parseComparison` reads what comes back. */
export const comparisonPrompt = (desk: Desk, prompt: AnswersPrompt): Message[] =>
  comparisonTemplate.render(desk, answersValues(desk, prompt));

/** The JSON Schema of a comparison, for providers that can hold a model to it. */
export const comparisonSchema = replySchema("comparison", ComparisonReply);

export type DraftComparison = Event<"comparison-given">["data"];

/** What the chair is asked to compare. */
export const comparisonRequest = (
  context: ProtocolContext<AskSettings>,
  chair: Participant,
  table: readonly SeatedDraft[],
): ModelRequest => ({
  ...modelParams(chair),
  messages: comparisonPrompt(context, {
    material: context,
    persona: context.instructions(chair),
    answers: inLabelOrder(table),
  }),
  maxOutputTokens: context.settings.maxOutputTokens.review,
  reply: comparisonSchema,
});

/** The answers' claims compared in one call, under `comparison/<chair>`; undefined when it failed or cannot be read, which is recorded. */
export async function compareDrafts(
  context: ProtocolContext<AskSettings>,
  chair: Participant,
  table: readonly SeatedDraft[],
): Promise<DraftComparison | undefined> {
  const labels = inLabelOrder(table).map(({ label }) => label);
  const steps = (named: readonly string[]): StepKey[] =>
    named.flatMap((label) => table.find((place) => place.label === label)?.step ?? []);
  const event = await context.run.call(
    {
      key: `comparison/${chair.id}`,
      outcomes: ["comparison-given", "degradation-noted"],
      work: { kind: "comparison", by: chair.id },
      request: comparisonRequest(context, chair, table),
      timeoutMs: context.settings.callTimeoutMs,
    },
    (call) => {
      const read = parseComparison(call.ok ? call.reply : "", labels);
      const unread = read.ok ? undefined : { code: "unreadable" as const, message: read.reason };
      const failure = call.ok ? (emptyReplyFailure(call.reply) ?? unread) : call.failure;
      if (failure || !read.ok) {
        return degradation({
          what: `the comparison by ${chair.persona.name}`,
          failure: failure ?? { code: "unreadable", message: "" },
          participant: chair.id,
          weakens: "whether the drafts contradict each other is not known",
        });
      }
      const stance = ({ claim, answers }: (typeof read.unique)[number]) => ({ claim, of: steps(answers) });
      return {
        type: "comparison-given",
        data: {
          by: chair.id,
          agreements: read.agreements.map(stance),
          contradictions: read.contradictions.map(({ topic, stances }) => ({
            topic,
            stances: stances.map(stance),
          })),
          unique: read.unique.map(stance),
        },
      };
    },
  );
  return event.type === "comparison-given" ? event.data : undefined;
}

const inLabelOrder = (table: readonly SeatedDraft[]): readonly SeatedDraft[] =>
  [...table].sort((a, b) => (a.label < b.label ? -1 : 1));
