import { describe, expect, it } from "vitest";
import { isEvent } from "../../../kernel/index.ts";
import { deliberationMarkdown } from "../../../reports/deliberation.ts";
import { answerText } from "../../../reports/answer.ts";
import { climbed } from "../../../../test/support/sample-climb.ts";
import { shownClimb } from "../../../../test/support/shown.ts";
import { sectionOf } from "./view.ts";

describe("a climb", () => {
  const entries = climbed();
  const section = sectionOf(entries);
  const document = deliberationMarkdown(entries, shownClimb(entries));

  it("is told rung by rung, with reasons and calls", () => {
    expect(section.ladder.map(({ rung, calls, reason }) => [rung, calls, reason])).toEqual([
      ["draft", 2, "1 of 2 drafts comes to 391, 1 to 381"],
      ["revision", 1, "after revision 2 of 2 answers come to 391"],
    ]);
    expect(document).toContain("- **draft**: 2 calls, $0.0042: 1 of 2 drafts comes to 391, 1 to 381\n");
    expect(document).toContain("| 391 | Ada | Ada, Bob |");
    const text = answerText(shownClimb(entries), { color: false, width: 80 });
    expect(text).toMatch(
      /^Steps +draft: 2 calls, \$0.0042: 1 of 2 drafts comes to 391, 1 to 381\n +revision: 1 call/m,
    );
    expect(text).toMatch(/^Votes +Answer +At first +At last\n +391 +Ada +Ada, Bob$/m);
  });

  it("names who criticised whom, and who contradicts whom", () => {
    expect(document).toContain("### Bob of Ada\n\n> It is right.");
    expect(document).toContain("## Contradiction: the result\n\n- Ada: It is 391.\n- Bob: It is 381.");
    expect(section.comparison?.unique).toEqual([{ claim: "a check", members: ["ada"] }]);
  });

  it("counts nothing twice in a fork that adopted it", () => {
    const adopted = entries.map((entry) =>
      isEvent(entry, "answer-given") && entry.origin.by === "protocol"
        ? { ...entry, origin: { ...entry.origin, by: "adopted" as const, from: entry.deliberation } }
        : entry,
    );
    expect(sectionOf(adopted).ladder.map(({ calls }) => calls)).toEqual([0, 0]);
  });
});
