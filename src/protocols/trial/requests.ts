import type { ProtocolContext } from "../../engine/index.ts";
import type { ModelRequest } from "../../kernel/index.ts";
import { draftPrompt } from "../phases/draft.ts";
import { modelParams } from "../phases/reply.ts";
import type { TrialSettings } from "./work.ts";

/** What a child is compared with: its parent, or an answer without a persona. */
export type Rival = "parent" | "none";
export type TrialItem = TrialSettings["items"][number];
type Asking = Pick<
  ProtocolContext<TrialSettings>,
  "context" | "settings" | "seats" | "instructions" | "template" | "mark"
>;

const textOf = ({ context }: Pick<Asking, "context">, name: string): string | undefined =>
  context.find((one) => one.name === name)?.text;

export function materialOf(context: Pick<Asking, "context">, { name }: TrialItem) {
  const more = textOf(context, `${name}/context`);
  return {
    question: textOf(context, `${name}/question`) ?? "",
    context: more === undefined ? [] : [{ name: "context", text: more }],
  };
}

/** The request for an answer in this seat (TRIAL-1). */
export function answerRequest(context: Asking, item: TrialItem, seat: "child" | Rival): ModelRequest {
  const [by] = context.seats(seat);
  if (!by) throw new RangeError(`nobody has the seat ${seat}`);
  const messages = draftPrompt(context, {
    material: materialOf(context, item),
    persona: context.instructions(by),
  });
  return { ...modelParams(by), messages, maxOutputTokens: context.settings.answerTokens };
}
