import { defineReactor, type Reaction, type Turn } from "../engine/index.ts";
import { OWN_TURNS } from "../kernel/index.ts";
import { respond, RespondentSettings } from "../phases/respond.ts";

/**
 * A second respondent (the seat `respondent-b`) answers the same question, independently: with its own answers of earlier
 * turns and nothing of the first one's. Its answer is on the journal for whoever compares; nothing waits for it.
 */
export const respondentB = defineReactor({
  name: "respondent-b",
  on: ["deliberation-opened"],
  emits: ["answer-given", "engrams-recalled", "tool-called", "reply-received", "note-taken"],
  settings: RespondentSettings,
  async react({ data }, reaction) {
    const by = data.participants.find(({ seat }) => seat === "respondent-b");
    if (by) await respond(reaction, { by, respondent: "B", history: await ownTurns(reaction) });
  },
});

/** What it had answered by the time it was first asked: recorded by reference, so that a redelivery asks the same again. */
async function ownTurns({ opening, ports, run }: Reaction): Promise<readonly Turn[]> {
  if (opening.previous === undefined) return [];
  const turns = async (recorded: boolean, signal: AbortSignal) =>
    (await ports.turns?.(opening, "B", { recorded, signal })) ?? [];
  const { data } = await run.effect(
    { key: "turns", ends: ["note-taken"], input: { previous: opening.previous } },
    async (signal) => ({
      type: "note-taken",
      data: {
        topic: OWN_TURNS,
        reason: "what the second respondent had answered before in this conversation",
        body: (await turns(false, signal)).map(({ of }) => of),
      },
    }),
  );
  const used: readonly unknown[] = Array.isArray(data.body) ? data.body : [];
  // The journal never changes: what was there is there, whatever the settings are now.
  return (await turns(true, run.signal)).filter(({ of }) => used.includes(of));
}
