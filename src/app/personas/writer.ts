import type { SeatedParticipant } from "../../engine/opening-part.ts";
import { familyOf, ParticipantId, refusal } from "../../kernel/index.ts";
import type { AppContext } from "../context.ts";
import { choosePanel } from "../panel.ts";

/** The model that breeds personas and summarizes feedback: the chair, or else the first of the panel. @throws Fault */
export async function seatWriter(context: AppContext): Promise<SeatedParticipant> {
  const { chairs, members } = await choosePanel(context);
  const model = chairs[0] ?? members[0];
  if (model === undefined) throw refusal("no model is set", "set a model, e.g. openai/gpt-5-mini");
  return {
    id: ParticipantId.parse("writer"),
    seat: "writer",
    persona: { name: "Writer", instructions: "" },
    model,
    family: familyOf(model, context.settings.families),
  };
}
