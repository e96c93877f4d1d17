import type { Ending } from "../engine/index.ts";
import type { Failure, ParticipantId } from "../kernel/index.ts";

export type Loss = {
  /** What is missing: `the draft of Analyst`. */
  readonly what: string;
  readonly failure: Failure;
  readonly participant: ParticipantId;
  /** What it weakens; by default that one voice is missing. */
  readonly weakens?: string;
};

/** A final failure of a call as the event that its step ends in. */
export const lossOf = ({ what, failure, participant, weakens }: Loss): Ending<"degradation-noted"> => ({
  type: "degradation-noted",
  data: {
    what,
    why: failure.message === "" ? failure.code : `${failure.code}: ${failure.message}`,
    weakens: weakens ?? "the answer rests on one voice less",
    participant,
  },
});
