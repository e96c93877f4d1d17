import { describe, expect, it } from "vitest";
import { extractAnswer } from "../../replies/extract-answer.ts";
import { Digest, Participant, StepKey } from "../../kernel/index.ts";
import { toyParticipant } from "../../testing/kit.ts";
import type { Draft } from "./table.ts";
import { chooseControl, leadingDraft } from "./control.ts";

const draft = (name: string, text: string): Draft => ({
  by: Participant.parse({
    ...toyParticipant(name, "member"),
    persona: { name, instructions: Digest.parse("0".repeat(64)) },
  }),
  step: StepKey.parse(`draft/${name}`),
  text,
  final: extractAnswer(text),
});

const APART = [
  draft("ada", "Adding the partial products of tens and units gives it.\nFinal answer: 391"),
  draft("bob", "Twenty lots less three lots by the distributive law.\nFinal answer: 391"),
  draft(
    "cyd",
    "Adding the products of tens and units less three lots by the law gives it.\nFinal answer: 381",
  ),
];

describe("without a standing", () => {
  it("leads who says what most say, though another text is nearer to all", () => {
    expect(leadingDraft(APART).final?.value).toBe("391");
    expect(leadingDraft(APART.map((one) => ({ ...one, final: null }))).by.id).toBe("cyd");
  });

  it("is compared with the majority where most have a final answer, else with the central draft", () => {
    const answered = extractAnswer("Final answer: 381");
    expect(chooseControl(APART, undefined, answered)).toMatchObject({
      kind: "draft-majority",
      answer: { value: "391" },
      agrees: false,
    });
    const open = APART.map((one) => ({ ...one, final: null }));
    expect(chooseControl(open, undefined, null)).toEqual({
      kind: "leading-draft",
      step: "draft/cyd",
      answer: null,
      agrees: null,
    });
  });
});
