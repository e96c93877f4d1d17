import type { Floor } from "../../engine/index.ts";
import { requirementsOf } from "../../judging/index.ts";
import type { Participant } from "../../kernel/index.ts";
import type { DebateSettings } from "./settings.ts";
import type { SummaryMethod } from "./summaries/index.ts";

/** The floor, and the ways to summarise that settings may name. */
export type DebateFloor = Floor<DebateSettings> & { readonly methods: readonly SummaryMethod[] };

export type Requirements = { readonly major: readonly string[]; readonly minor: readonly string[] };
export type Clarified = { readonly question: string; readonly answer: string };

/** What everybody is told, in these words: it stands first in every prompt, so that providers can cache it. */
export type Brief = {
  readonly material: DebateFloor;
  readonly requirements: Requirements;
  readonly clarifications: readonly Clarified[];
};

/** Requirements first: what the problem says must and should be, recorded as `requirements`. */
export async function readRequirements({ run, question, context }: DebateFloor): Promise<Requirements> {
  const problem = [question, ...context.map(({ text }) => text)].join("\n\n");
  const found = requirementsOf(problem);
  await run.derive({ key: "requirements", ends: ["note-taken"], input: { problem } }, () => ({
    type: "note-taken",
    data: {
      topic: "requirements",
      reason: `${found.major.length} major, ${found.minor.length} minor`,
      body: { major: [...found.major], minor: [...found.minor] },
    },
  }));
  return found;
}

/** A participant's own text of this kind, where the opening pins one: `summary/<id>`, `clarification/<id>`. */
export const ownText = (
  { opening, template }: DebateFloor,
  kind: "summary" | "clarification",
  { id }: Participant,
): string | undefined => {
  const name = `${kind}/${id}`;
  return Object.hasOwn(opening.templates, name) ? template(name) : undefined;
};
