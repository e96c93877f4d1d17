import { describe, expect, it } from "vitest";
import { resultOf } from "../views/result.ts";
import { isEvent } from "../kernel/index.ts";
import { deliberationMarkdown } from "./deliberation.ts";
import { answerText } from "./answer.ts";
import { climbed } from "../../test/support/sample-climb.ts";

describe("a climb", () => {
  const entries = climbed();
  const result = resultOf(entries);
  const document = deliberationMarkdown(entries);

  it("is told rung by rung, with reasons and calls", () => {
    expect(result?.ladder.map(({ rung, calls, reason }) => [rung, calls, reason])).toEqual([
      ["draft", 2, "1 of 2 drafts comes to 391, 1 to 381"],
      ["revision", 1, "after revision 2 of 2 answers come to 391"],
    ]);
    expect(document).toContain("| draft | 1 of 2 drafts comes to 391, 1 to 381 | 2 |");
    expect(document).toContain("| 391 | Ada | Ada, Bob |");
    const text = result ? answerText(result, { color: false, width: 80 }) : "";
    expect(text).toMatch(
      /^Ladder +draft, 2 calls, \$0.0042: 1 of 2 drafts comes to 391, 1 to 381\n +revision, 1 call/m,
    );
    expect(text).toMatch(/^Votes +391 +1 at first +2 at last/m);
  });

  it("names who criticised whom, and who contradicts whom", () => {
    expect(document).toContain("### Bob of Ada\n\n> It is right.");
    expect(document).toContain("### Contradiction: the result\n\n- Ada: It is 391.\n- Bob: It is 381.");
    expect(result?.comparison?.unique).toEqual([{ claim: "a check", members: ["ada"] }]);
  });

  it("counts nothing twice in a fork that adopted it", () => {
    const adopted = entries.map((entry) =>
      isEvent(entry, "answer-given") && entry.origin.by === "protocol"
        ? { ...entry, origin: { ...entry.origin, by: "adopted" as const, from: entry.deliberation } }
        : entry,
    );
    expect(resultOf(adopted)?.ladder.map(({ calls }) => calls)).toEqual([0, 0]);
  });
});
