import {
  defineReactor,
  NOTHING_TO_SAY,
  type Reaction,
  type StepOutcome,
  type Turn,
} from "../../../engine/index.ts";
import { respond, RespondentSettings } from "../protocol/answer.ts";

const NAME = "respondent-b";

/**
 * A second respondent (the seat `respondent-b`) answers the same question, independently: with its own answers of earlier
 * turns and nothing of the first one's. Its answer is on the journal for whoever compares; nothing waits for it.
 */
export const respondentB = defineReactor({
  name: NAME,
  on: ["deliberation-opened"],
  emits: [
    "answer-given",
    "engrams-recalled",
    "tool-called",
    "reply-received",
    "turns-chosen",
    "summary-made",
    "degradation-noted",
    "reaction-failed",
  ],
  settings: RespondentSettings,
  switch: "respondent-b",
  work: "generating",
  async react({ data }, reaction) {
    const by = data.participants.find(({ seat }) => seat === "respondent-b");
    if (!by) return NOTHING_TO_SAY;
    await respond(reaction, { by, respondent: "B", history: await ownTurns(reaction) });
    return undefined;
  },
});

/** What it had answered by the time it was first asked: recorded by reference, so that a redelivery asks the same again. */
async function ownTurns({ opening, ports, run }: Reaction<RespondentSettings>): Promise<readonly Turn[]> {
  if (opening.previous === undefined) return [];
  const turns = async (after: string | null, signal: AbortSignal) =>
    (await ports.turns?.(opening, "B", { after, signal })) ?? [];
  const chosen = async (signal: AbortSignal): Promise<StepOutcome<"turns-chosen">> => ({
    type: "turns-chosen",
    data: { answers: (await turns(NAME, signal)).map(({ of }) => of) },
  });
  const { data } = await run.effect(
    {
      key: "turns",
      outcomes: ["turns-chosen"],
      input: { previous: opening.previous },
      dry: () => chosen(run.signal),
    },
    chosen,
  );
  // The journal never changes: what was there is there, whatever the settings are now.
  return (await turns(null, run.signal)).filter(({ of }) => data.answers.includes(of));
}
