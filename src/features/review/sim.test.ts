import { expect, test } from "vitest";
import { faultyDiff, playReview, type Manner } from "../../../test/support/review-table.ts";
import type { ModelRequest } from "../../kernel/index.ts";
import { simulateReply } from "../../sim/reply.ts";
import { script } from "./sim.ts";

/** A simulated reviewer of a skill, as the process has it. */
const reviewer =
  (name: string, skill: number): Manner =>
  (request: ModelRequest) => {
    const parameters = {
      name,
      seed: name,
      skill,
      family: null,
      vary: 0,
      care: 0,
      fail: 0,
      malformed: 0,
      calls: null,
    };
    const reply = simulateReply({
      parameters: parameters as never,
      facts: [],
      request,
      scripts: [script],
      attempt: 1,
    });
    return reply.text;
  };

test("simulated reviewers find what they are skilled for, and bear each other out", async () => {
  const skilled = { ada: reviewer("ada", 1), bob: reviewer("bob", 1), cyd: reviewer("cyd", 1) };
  expect((await playReview(faultyDiff(), skilled)).section).toMatchObject({
    verdict: "block",
    findings: [{ file: "src/save.ts", from: 7, title: "[simulated] nothing is awaited any more" }],
  });
  const blind = { ada: reviewer("ada", 0.01), bob: reviewer("bob", 0.01), cyd: reviewer("cyd", 0.01) };
  expect((await playReview(faultyDiff(), blind)).section?.findings).toEqual([]);
  const mixed = { ada: reviewer("ada", 1), bob: reviewer("bob", 0.01), cyd: reviewer("cyd", 0.01) };
  expect((await playReview(faultyDiff(), mixed)).verdict).toBe("inconclusive");
});

test("a simulated reviewer sees no fault in a change without one", async () => {
  const clean = faultyDiff().replace("+  write(text);", "+  await write( text );");
  const skilled = { ada: reviewer("ada", 1), bob: reviewer("bob", 1) };
  expect((await playReview(clean, skilled)).verdict).toBe("pass");
});

test("a simulated reviewer reviews a file with a quoted name, and takes no line of it for a name", async () => {
  const skilled = { ada: reviewer("ada", 1), bob: reviewer("bob", 1) };
  const quoted = faultyDiff(["++ b/other.ts"]).replaceAll(
    /([ab])\/src\/save.ts/g,
    String.raw`"$1/\303\251 x.ts"`,
  );
  const { section } = await playReview(
    quoted.replace("+  write", "--- a note\n+  write").replace("5,4", "5,5"),
    skilled,
  );
  expect(section).toMatchObject({ verdict: "block", findings: [{ file: "é x.ts" }] });
});
