import { describe, expect, test } from "vitest";
import {
  askedIn,
  faultyDiff,
  fault,
  honest,
  playReview,
  reviewOpening,
  says,
} from "../../../../test/support/review-table.ts";
import { closingOf, crashPoints, factsOf, stage } from "../../../testing/stage.ts";
import { splitFenced } from "../../../prompts/material.ts";
import { review } from "./index.ts";

const blind = says({});
const alone = says({ findings: [fault()], verdict: () => "reject" });

describe("a review", () => {
  test("finds, merges, checks and decides, and a replay proves it", async () => {
    const { id, entries, section, table } = await playReview(faultyDiff(), {
      ada: alone,
      bob: blind,
      cyd: honest,
    });
    expect(await table.lines(id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "note-taken < protocol/find/ada",
        "note-taken < protocol/find/bob",
        "note-taken < protocol/find/cyd",
        "roster-fixed < protocol/find/roster",
        "note-taken < protocol/merge",
        "note-taken < protocol/check/bob",
        "roster-fixed < protocol/check/roster",
        "gate-decided < protocol/verdict",
        "deliberation-closed < close",
      ]
    `);
    expect(section).toMatchObject({ verdict: "block", findings: [{ id: "f1", state: "confirmed" }] });
    expect(closingOf(entries)).toMatchObject({ outcome: "answered", answer: "verdict" });
    expect(await table.engine.replay(id)).toMatchObject({ calls: table.models.count() });
  });

  test("hears who raised what the others reject, with what they say, and drops it only by its word", async () => {
    const { entries, section, table, verdict } = await playReview(faultyDiff(), {
      ada: says({ findings: [fault()], stand: "withdraw" }),
      ...{ bob: blind, cyd: blind },
    });
    expect(verdict).toBe("pass");
    expect(section?.findings).toMatchObject([
      {
        state: "withdrawn",
        checks: [{ by: "bob" }, { by: "cyd" }],
        stands: [{ by: "ada", stand: "withdraw" }],
      },
    ]);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
    const heard = table.models.calls.filter(({ request }) => askedIn(request).form === "stands");
    expect(heard.map(({ name }) => name)).toEqual(["ada"]);
    const { pieces } = splitFenced(askedIn(heard[0]?.request as never).text);
    expect(pieces.filter(({ kind }) => kind === "objection").map(({ text }) => text)).toEqual([
      "reject: so",
      "reject: so",
    ]);
    expect((await playReview(faultyDiff(), { ada: alone, bob: blind, cyd: blind })).verdict).toBe(
      "inconclusive",
    );
  });

  test("asks nobody to check what it raised itself, and names nobody", async () => {
    const { table } = await playReview(faultyDiff(), { ada: honest, bob: honest, cyd: blind });
    const checked = table.models.calls.filter(({ request }) => askedIn(request).form === "checks");
    expect(checked.map(({ name }) => name)).toEqual(["cyd"]);
    const prompt = askedIn(checked[0]?.request as never).text;
    expect(prompt).not.toMatch(/\b(?:ada|bob)\b/);
  });

  test("passes where nobody finds anything, after one call each", async () => {
    const { table, verdict } = await playReview(faultyDiff(), { ada: blind, bob: blind, cyd: blind });
    expect({ verdict, calls: table.models.count() }).toEqual({ verdict: "pass", calls: 3 });
  });

  test("shows each line with the number that it has after the change, and the files whole", async () => {
    const { table } = await playReview(faultyDiff(["  // \u2028 odd\r"]), { ada: blind, bob: blind });
    const { pieces } = splitFenced(askedIn(table.models.calls[0]?.request as never).text);
    expect(
      pieces
        .find(({ kind }) => kind === "diff")
        ?.text.split("\n")
        .slice(4),
    ).toEqual([
      "@@ -5,4 +5,5 @@",
      "    5  export async function save(text, write) {",
      '    6    if (text === "") return false;',
      "      -  await write(text);",
      "    7 +  write(text);",
      "    8 +  // \u2028 odd\r",
      "    9    return true;",
      "",
    ]);
  });
});

describe("there is no verdict", () => {
  const broken = () => "LGTM";
  const failing = () => ({ fail: "overloaded" as const });
  const cut = () => ({ text: '{"findings": []}', finish: "length" });

  test.each([
    ["two replies of three cannot be read", { ada: broken, bob: broken, cyd: blind }],
    ["two calls of three fail", { ada: failing, bob: blind, cyd: failing }],
    ["replies are cut off at their limits", { ada: cut, bob: cut, cyd: blind }],
  ])("where %s", async (_, manners) => {
    const { entries, section, table } = await playReview(faultyDiff(), manners);
    expect(section).toMatchObject({
      verdict: "inconclusive",
      why: "1 of 2 reviews that are needed could be read",
    });
    expect(closingOf(entries)).toMatchObject({ outcome: "inconclusive" });
    expect(table.models.count()).toBe(3);
  });

  test("and one of three that is missing is no loss but of a voice", async () => {
    const { entries, verdict } = await playReview(faultyDiff(), { ada: broken, bob: blind, cyd: blind });
    expect({ verdict, outcome: closingOf(entries)?.outcome }).toEqual({
      verdict: "pass",
      outcome: "answered-degraded",
    });
  });

  test("where all checks fail", async () => {
    const mute = (request: Parameters<typeof blind>[0]) =>
      askedIn(request).form === "findings" ? blind(request) : "?";
    const { section } = await playReview(faultyDiff(), { ada: alone, bob: mute, cyd: mute });
    expect(section).toMatchObject({ verdict: "inconclusive", findings: [{ state: "open", checks: [] }] });
  });

  test("where whoever raised a fault is not heard", async () => {
    const deaf = (request: Parameters<typeof blind>[0]) =>
      askedIn(request).form === "stands" ? "?" : alone(request);
    expect((await playReview(faultyDiff(), { ada: deaf, bob: blind, cyd: blind })).verdict).toBe(
      "inconclusive",
    );
  });

  const binary =
    "diff --git a/p.bin b/p.bin\nindex 1111111..2222222 100644\nBinary files a/p.bin and b/p.bin differ\n";
  test.each([
    ["a file was not shown", faultyDiff(), { unseen: [{ path: ".env", why: "it holds keys" }] }, ".env"],
    ["a file is binary", faultyDiff() + binary, {}, "p.bin"],
    ["the diff cannot be read", `${faultyDiff()}+one line more\n`, {}, "cannot be read"],
    ["nothing changed", "", {}, "no change"],
    ["the rules need more reviewers than there are", faultyDiff(), { rules: { reviewers: 4 } }, "3 of 4"],
  ])("where %s", async (...[, diff, settings, why]) => {
    const { section } = await playReview(diff, { ada: blind, bob: blind, cyd: blind }, settings);
    expect(section?.verdict).toBe("inconclusive");
    expect(section?.why).toContain(why);
  });

  test("and nobody is asked to check where there are too few reviews", async () => {
    const manners = { ada: alone, bob: blind, cyd: blind };
    const { table } = await playReview(faultyDiff(), manners, { rules: { reviewers: 4 } });
    expect(table.models.count()).toBe(3);
  });

  test("where the budget does not reach for two reviews", async () => {
    const script = { ada: blind, bob: blind, cyd: blind };
    const table = stage({ protocols: [review], script });
    const { entries } = await table.play({ ...reviewOpening(faultyDiff()), budget: { calls: 1 } });
    expect(closingOf(entries)).toMatchObject({ outcome: "inconclusive" });
  });
});

test("a review that is killed anywhere comes to the same, without a call paid twice", async () => {
  const manners = { ada: alone, bob: blind, cyd: honest };
  const of = () => stage({ protocols: [review], script: manners });
  const whole = of();
  const first = await whole.play(reviewOpening(faultyDiff()));
  const counts = { calls: whole.models.count(), appends: (await whole.lines(first.id)).length };
  for (const point of crashPoints(counts)) {
    const table = of();
    const ended = await table.playKilled(reviewOpening(faultyDiff()), point);
    expect(factsOf(ended.entries)).toEqual(factsOf(first.entries));
  }
});
