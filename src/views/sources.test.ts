import { expect, it } from "vitest";
import {
  draftGiven,
  byStep,
  opened,
  participantId,
  sampleMember,
} from "../../test/support/sample-council.ts";
import { resultOf } from "./result.ts";

const page = (name: string) => `https://${name}.example/`;

it("numbers sources by seats and by calls, whoever answered and whichever tool was done first", () => {
  const members = ["ana", "ben"].map((id) => sampleMember(id, { search: ["web__find"] }));
  const { add, entries } = opened({ participants: [...members] });
  const called = (by: string, nth: number, [tool, found]: readonly [tool: string, found: string]) =>
    add(
      {
        type: "tool-called",
        data: {
          by: participantId(by),
          tool,
          arguments: {},
          result: `See ${page(found)}, and ${page("both")}.`,
        },
      },
      byStep(`draft/${by}/tool-${nth}`),
    );
  called("ben", 1, ["web__find", "third"]);
  add(draftGiven("ben", "B"), byStep("draft/ben"));
  called("ana", 2, ["web__find", "second"]);
  called("ana", 3, ["notes__read", "no-search"]);
  called("ana", 1, ["web__find", "first"]);
  add(draftGiven("ana", "A"), byStep("draft/ana"));
  // Who found something and gave no answer has no sources.
  called("cyd", 1, ["web__find", "unanswered"]);
  const sources = (count?: number) =>
    resultOf(entries.slice(0, count))?.sources.map(({ n, url, by }) => [n, url, ...by]);
  expect(sources()).toEqual([
    [1, page("first"), "ana"],
    [2, page("both"), "ana", "ben"],
    [3, page("second"), "ana"],
    [4, page("third"), "ben"],
  ]);
  expect(sources(3)).toEqual([
    [1, page("third"), "ben"],
    [2, page("both"), "ben"],
  ]);
});
