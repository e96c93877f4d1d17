import type { Entry, NewEvent } from "../../src/kernel/index.ts";
import { byStep, opened, participantId, sampleCall, sampleMember, stepKey } from "./sample-council.ts";

/** A made-up climb: two drafts that differ, their comparison, and a round in which one of them gives way. */
export function climbed(): readonly Entry[] {
  const sample = opened({
    protocol: { name: "ask", version: 1 },
    participants: [sampleMember("ada"), sampleMember("bob"), sampleMember("chair", { seat: "chair" })],
  });
  const answer = (by: string, value: string, round = 1): NewEvent => ({
    type: "answer-given",
    data: {
      by: participantId(by),
      kind: round === 1 ? "draft" : "refinement",
      round,
      text: `${by} comes to ${value}.`,
      final: { kind: "number", value },
      call: sampleCall(value),
    },
  });
  const note = (rung: string, next: string | null, reason: string): NewEvent => ({
    type: "note-taken",
    data: { topic: "ladder", reason, body: { rung, next } },
  });
  const stance = (claim: string, ...of: readonly string[]) => ({
    claim,
    of: of.map((id) => stepKey(`draft/${id}`)),
  });
  sample.add(answer("ada", "391"), byStep("draft/ada"));
  sample.add(answer("bob", "381"), byStep("draft/bob"));
  sample.add(note("draft", "revision", "1 of 2 drafts comes to 391, 1 to 381"), byStep("ladder/draft"));
  sample.add(
    {
      type: "comparison-given",
      data: {
        by: participantId("chair"),
        agreements: [],
        contradictions: [
          { topic: "the result", stances: [stance("It is 391.", "ada"), stance("It is 381.", "bob")] },
        ],
        unique: [stance("a check", "ada")],
      },
    },
    byStep("comparison/chair"),
  );
  sample.add(answer("bob", "391", 2), byStep("round-2/revision/bob"));
  sample.add(
    {
      type: "critique-given",
      data: { by: participantId("bob"), of: stepKey("draft/ada"), text: "It is right." },
    },
    byStep("round-2/critique/bob/of/ada"),
  );
  sample.add(
    note("revision", null, "after revision 2 of 2 answers come to 391"),
    byStep("ladder/revision-1"),
  );
  return sample.entries;
}
