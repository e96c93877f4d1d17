import type { Floor } from "../../engine/index.ts";
import type { Event, ModelRequest, Participant, StepKey } from "../../kernel/index.ts";
import { comparisonPrompt, comparisonSchema, readComparison } from "../../prompts/index.ts";
import { emptiness, speaking } from "../../phases/draft.ts";
import { lossOf } from "../../phases/loss.ts";
import type { Place } from "../../phases/table.ts";
import type { AskSettings } from "./settings.ts";

export type Compared = Event<"comparison-given">["data"];

/** What the chair is asked to compare. */
export const comparisonRequest = (
  floor: Floor<AskSettings>,
  chair: Participant,
  table: readonly Place[],
): ModelRequest => ({
  ...speaking(chair),
  messages: comparisonPrompt(floor, {
    material: floor,
    persona: floor.instructions(chair),
    answers: inLabelOrder(table),
  }),
  maxOutputTokens: floor.settings.maxOutputTokens.review,
  reply: comparisonSchema,
});

/** The answers' claims compared in one call, under `comparison/<chair>`; undefined when it failed or cannot be read, which is recorded. */
export async function compare(
  floor: Floor<AskSettings>,
  chair: Participant,
  table: readonly Place[],
): Promise<Compared | undefined> {
  const labels = inLabelOrder(table).map(({ label }) => label);
  const steps = (named: readonly string[]): StepKey[] =>
    named.flatMap((label) => table.find((place) => place.label === label)?.step ?? []);
  const event = await floor.run.call(
    {
      key: `comparison/${chair.id}`,
      ends: ["comparison-given", "degradation-noted"],
      request: comparisonRequest(floor, chair, table),
      timeoutMs: floor.settings.callTimeoutMs,
    },
    (call) => {
      const read = readComparison(call.ok ? call.reply : "", labels);
      const unread = read.ok ? undefined : { code: "unreadable" as const, message: read.reason };
      const failure = call.ok ? (emptiness(call.reply) ?? unread) : call.failure;
      if (failure || !read.ok) {
        return lossOf({
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

const inLabelOrder = (table: readonly Place[]): readonly Place[] =>
  [...table].sort((a, b) => (a.label < b.label ? -1 : 1));
