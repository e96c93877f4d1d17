import { describe, expect, it } from "vitest";
import {
  answering,
  judging,
  preferring,
  seatIn,
  trialAsked,
} from "../../../../../test/support/trial-table.ts";
import { isEvent, type Entry, type ModelRequest } from "../../../../kernel/index.ts";
import { closingOf, crashPoints, eventsOf, factsOf, stage } from "../../../../testing/stage.ts";
import type { Script } from "../../../../testing/scripted-models.ts";
import { sectionParts } from "./report.ts";
import { trial } from "./index.ts";
import { lostCalls, sectionOf } from "./view.ts";
import { sampled } from "../../../../../test/support/long.ts";

const on = (script: Script) => stage({ protocols: [trial], script: { ...answering, ...script } });
const verdictIn = (entries: readonly Entry[]) => eventsOf(entries, "trial-decided")[0]?.data;

describe("a trial", () => {
  it("gives child, parent and nobody the same questions, on one model", async () => {
    const table = on({ "judge-1": preferring(1) });
    await table.play(trialAsked({ questions: 14 }));
    const asked = table.models.calls.filter(({ name }) => name === "model").map(({ request }) => request);
    const plain = (request: ModelRequest) =>
      JSON.stringify(request)
        .replaceAll(/be (CHILD|PARENT)/g, "")
        .replaceAll(/(\\n)+/g, " ");
    const byQuestion = new Map<string, Set<string>>();
    for (const request of asked) {
      const key = /question-\d+/.exec(JSON.stringify(request))?.[0] ?? "";
      byQuestion.set(key, (byQuestion.get(key) ?? new Set()).add(plain(request)));
    }
    expect(asked.map(seatIn).filter((seat) => seat === "none")).toHaveLength(14);
    expect([...byQuestion.values()].every((prompts) => prompts.size === 1)).toBe(true);
  });

  it("accepts a child that is preferred to both, and ends as soon as it can", async () => {
    const table = on({ "judge-1": preferring(1) });
    const { id, entries } = await table.play(trialAsked({ questions: 40, wave: 6 }));
    expect(verdictIn(entries)).toMatchObject({
      accepted: true,
      tests: [
        { against: "parent", wins: 14, losses: 0, ties: 0, decision: "better" },
        { against: "none", wins: 14, losses: 0, ties: 0, decision: "better" },
      ],
    });
    expect(closingOf(entries)).toMatchObject({ outcome: "answered", answer: "verdict" });
    // Three waves of six: three answers each, and two rivals in both orders.
    expect(table.models.count()).toBe(18 * 7);
    expect(await table.engine.replay(id)).toMatchObject({ calls: 18 * 7 });
  });

  it("does not accept one that only beats an answer without a persona", async () => {
    const { entries } = await on({
      "judge-1": judging((_, rival) => (rival === "none" ? "child" : "rival")),
    }).play(trialAsked());
    expect(verdictIn(entries)).toMatchObject({ accepted: false, why: expect.stringContaining("its parent") });
  });

  it("asks no more against a rival that it has beaten", async () => {
    const table = on({
      "judge-1": judging((question, rival) =>
        rival === "none" || Number(/\d+/.exec(question)?.[0]) % 3 > 0 ? "child" : "rival",
      ),
    });
    await table.play(trialAsked({ questions: 60 }));
    const seats = table.models.calls
      .filter(({ name }) => name === "model")
      .map(({ request }) => seatIn(request));
    const count = (seat: string) => seats.filter((one) => one === seat).length;
    expect(count("none")).toBe(18);
    expect(count("parent")).toBeGreaterThan(18);
    expect(count("child")).toBe(count("parent"));
  });

  it("counts what a judge splits on as a tie", async () => {
    const { entries } = await on({ "judge-1": judging(() => "first") }).play(trialAsked({ questions: 20 }));
    const verdict = verdictIn(entries);
    expect(verdict?.tests.map(({ ties, decision }) => [ties, decision])).toEqual([
      [20, "open"],
      [20, "open"],
    ]);
    expect(verdict).toMatchObject({ accepted: false, why: expect.stringContaining("do not tell") });
    expect(eventsOf(entries, "preference-given").every(({ data }) => data.orderSensitive)).toBe(true);
  });

  it("adds up judges, and what they split on is a tie", async () => {
    const { entries } = await on({ "judge-1": preferring(1), "judge-2": preferring(0) }).play(
      trialAsked({ questions: 14, judges: 2 }),
    );
    expect(verdictIn(entries)?.tests[0]).toMatchObject({ wins: 0, losses: 0, ties: 14 });
  });

  it("asks no judge where answers are known, and what both have right or wrong is a tie", async () => {
    const table = on({
      model: (request) => {
        const nth = Number(/question-(\d+)/.exec(JSON.stringify(request))?.[1]);
        const isRight = seatIn(request) === "child" ? nth % 4 > 0 : nth % 2 === 0;
        return { text: `Final answer: ${isRight ? nth : -1}`, latencyMs: 5 };
      },
    });
    const { entries } = await table.play(trialAsked({ questions: 60, judges: 0, answer: String }));
    const [parent] = verdictIn(entries)?.tests ?? [];
    expect(table.models.count("judge-1")).toBe(0);
    // Of four questions the child alone is right on two, the parent alone on one, both on one.
    expect(parent).toMatchObject({ losses: expect.any(Number), decision: expect.any(String) });
    const pairs = eventsOf(entries, "preference-given").filter(
      ({ origin }) => "step" in origin && origin.step.includes("/parent/"),
    );
    expect(
      pairs
        .slice(0, 4)
        .map(({ data }) => data.winner)
        .toSorted(),
    ).toEqual(["A", "A", "B", "tie"]);
  });

  it("risks less the more siblings were tried", async () => {
    const pairs = async (siblings: number) => {
      const { entries } = await on({ "judge-1": preferring(1) }).play(
        trialAsked({ questions: 60, siblings }),
      );
      return verdictIn(entries)?.tests[0]?.wins ?? 0;
    };
    expect([await pairs(0), await pairs(1), await pairs(9)]).toEqual([14, 18, 29]);
  });

  it("goes on over a lost answer, which makes no pair, and says that it is degraded", async () => {
    const { entries } = await on({
      model: (request, nth) =>
        nth === 3 ? { fail: "network" } : { text: `I am ${seatIn(request)}.`, latencyMs: 5 },
      "judge-1": preferring(1),
    }).play(trialAsked({ questions: 40 }));
    expect(verdictIn(entries)).toMatchObject({ accepted: true });
    expect(closingOf(entries)).toMatchObject({ outcome: "answered-degraded" });
  });

  it("ends without a verdict where a budget or every call fails; a fork asks for the rest", async () => {
    const cut = on({ "judge-1": preferring(1) });
    const { id, entries } = await cut.play({ ...trialAsked({ questions: 20 }), budget: { calls: 50 } });
    expect(closingOf(entries)).toMatchObject({ outcome: "stopped-by-budget" });
    expect([verdictIn(entries), sectionOf(entries)?.accepted]).toEqual([undefined, null]);
    const made = cut.models.count();
    const { opened } = await cut.engine.fork(id, { request: "r2", changes: { budget: {} } });
    await cut.drive(opened.deliberation);
    const organization = await cut.store.findOrganization(opened.deliberation);
    const forked =
      organization === undefined ? [] : await cut.store.for(organization).read(opened.deliberation);
    expect(verdictIn(forked)).toMatchObject({ accepted: true });
    expect(cut.models.count() - made).toBe(18 * 7 - made);

    const lost = await on({ model: () => ({ fail: "unauthorised" }) }).play(trialAsked());
    expect(closingOf(lost.entries)).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining("unauthorised"),
    });
    expect(lostCalls(lost.entries).length).toBeGreaterThan(0);
  });

  it("says how it stands while it runs, and in words", async () => {
    const { entries } = await on({ "judge-1": preferring(1) }).play(trialAsked({ questions: 20 }));
    const before = entries.filter((entry) => !isEvent(entry, "trial-decided")).slice(0, -1);
    expect(sectionOf(before)).toMatchObject({ accepted: null, tests: [{ wins: 14 }, { wins: 14 }] });
    expect(sectionOf([])).toBeUndefined();
    const section = sectionOf(entries);
    expect(section && JSON.stringify(sectionParts(section))).toContain("kid: accepted");
  });
});

describe("a trial that is killed", () => {
  const asked = () => trialAsked({ questions: 14, wave: 7 });
  const script = { "judge-1": preferring(1) };

  /** One that nobody killed, played once. */
  const whole = on(script);
  let played: ReturnType<typeof whole.play> | undefined;

  // Every call is one like its neighbors.
  const points = crashPoints({ calls: 14 * 7, appends: 0 });
  it.each(sampled(points))(
    "ends in the same verdict, and repeats only what was in flight: $when $at $nth",
    async (point) => {
      const { entries: expected } = await (played ??= whole.play(asked()));
      const table = on(script);
      const { entries } = await table.playKilled(asked(), point);
      expect(factsOf(entries)).toEqual(factsOf(expected));
      // Seven questions at once, of which each has at most four calls in flight.
      expect(table.models.count() - whole.models.count()).toBeLessThanOrEqual(28);
    },
  );
});
