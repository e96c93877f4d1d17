import type { ProtocolContext } from "../../../engine/index.ts";
import { StepKey, type Closing } from "../../../kernel/index.ts";
import { draftPrompt, personaText } from "../draft.ts";
import { modelParams, readFinal, readReply, writeAnswer, stepOf } from "../reply.ts";
import type { Draft } from "../table.ts";
import type { AnsweredClosing } from "./conclude.ts";
import type { PanelSettings } from "./settings.ts";

const CHOSEN =
  "Yours was chosen as the answer. Write it now for whoever asked, in full; where one of the tools is needed for it, call the tool first.";

/** Has the author of the chosen answer write it with its client's tools, under `synthesis/<author>`. Its draft stands where that fails. */
export async function writeAsWinner(
  context: ProtocolContext<PanelSettings>,
  { by, text }: Draft,
  closing: AnsweredClosing,
): Promise<Closing> {
  const step = StepKey.parse(`synthesis/${by.id}`);
  const loss = { what: `the answer of ${by.persona.name} with tools`, participant: by.id };
  const event = await writeAnswer(
    context,
    {
      key: step,
      outcomes: ["synthesis-given", "degradation-noted"],
      work: { kind: "synthesis", by: by.id },
      request: {
        ...modelParams(by, context.settings.maxOutputTokens.synthesis),
        messages: [
          ...draftPrompt(context, { material: context, persona: personaText(context, by) }),
          { role: "assistant", text },
          { role: "user", text: CHOSEN },
        ],
      },
      timeoutMs: context.settings.callTimeoutMs,
      limitedBy: "synthesis-tokens",
    },
    readReply<"synthesis-given">({ ...loss, weakens: "its draft is the answer" }, (reply, call) => ({
      type: "synthesis-given",
      data: {
        ...{ by: by.id, text: reply, final: readFinal(reply, call), strategy: null },
        ...{ dissent: [], insights: [], vetoed: [] },
      },
    })),
  );
  return event.type === "synthesis-given"
    ? { ...closing, answer: stepOf(event, step) }
    : { ...closing, outcome: "answered-degraded" };
}
