import { describe, expect, it } from "vitest";
import type { BenchReport } from "../contract.ts";
import { condorcet } from "../../../stats/ballot-rules.ts";
import type { AppContext } from "../../../app/context.ts";
import type { Models } from "../../../kernel/index.ts";
import type { BenchTask } from "../../../app/tasks.ts";
import { makeTasks } from "../../../sim/tasks/index.ts";
import { readFenced } from "../../../prompts/material.ts";
import { memoryStore } from "../../../testing/memory-store.ts";
import { bench, watched } from "../../../../test/support/bench-place.ts";
import { prepareBench } from "./bench.ts";
import { LOCAL } from "../../../testing/store-samples.ts";
import { isLong, sized } from "../../../../test/support/long.ts";

const yesNo = (count: number): BenchTask[] => makeTasks({ count, seed: "7", kinds: ["yes-no"] });
const mixed = (count: number): BenchTask[] =>
  makeTasks({ count, seed: "7", kinds: ["arithmetic", "logic", "yes-no"] });
const panel = (size: number, parameters = "") =>
  [..."abcdefg"].slice(0, size).map((name, index) => `sim/${name}?skill=0.7&seed=${index + 1}${parameters}`);
const FAMILY = ["a", "b", "c"].map((name) => `sim/${name}?skill=0.7&family=x&seed=1`);

const armOf = ({ arms }: BenchReport, name: string) => {
  const arm = arms.find((one) => one.name === name);
  if (!arm) throw new Error(`no arm ${name}`);
  return arm;
};
const holds = ({ accuracy: { low, high } }: BenchReport["arms"][number], value: number) =>
  low !== null && high !== null && low <= value && value <= high;

/** What a report says, but for when. */
const timeless = (report: BenchReport) => ({
  ...report,
  startedAt: null,
  arms: report.arms.map((arm) => ({ ...arm, perQuestion: { ...arm.perQuestion, latencyMs: 0 } })),
  rows: report.rows.map((row) => ({ ...row, openedAt: "", latencyMs: 0 })),
});

describe("simulated panels of known skill", () => {
  it.each([
    [3, sized(300)],
    [5, sized(200)],
  ])("%i independent members vote as Condorcet's formula says", async (size, count) => {
    const { report } = await bench(await watched({ models: panel(size) }), yesNo(count), {
      arms: ["majority"],
    });
    const arm = armOf(report, "majority");
    expect(arm.accuracy.n).toBe(count);
    expect(holds(arm, condorcet(0.7, size))).toBe(true);
    if (!isLong) return;
    // What would come out if the formula were wrong: no gain at all, or that of another panel.
    expect(holds(arm, 0.7)).toBe(false);
    expect(holds(arm, condorcet(0.7, size + 4))).toBe(false);
    expect(arm.votes.effective).toBeGreaterThan(size * 0.8);
    expect(Math.abs((arm.votes.condorcet ?? 0) - condorcet(0.7, size))).toBeLessThan(0.04);
  });

  it("members that err together are worth one vote, and their majority no more than one of them", async () => {
    const { report } = await bench(await watched({ models: FAMILY }), yesNo(isLong ? 100 : 40), {
      arms: ["single", "majority"],
    });
    const [single, together] = [armOf(report, "single"), armOf(report, "majority")];
    expect(together.votes.effective).toBeCloseTo(1);
    expect(together.accuracy).toEqual(single.accuracy);
    expect(holds(together, 0.7)).toBe(true);
    expect(report.pairs).toMatchObject([{ onlyFirst: 0, onlySecond: 0, p: 1 }]);
  });

  it("two that err together and one of its own are worth nearly two votes", async () => {
    const models = [...FAMILY.slice(0, 2), "sim/c?skill=0.7&seed=9"];
    const { report } = await bench(await watched({ models }), yesNo(isLong ? 150 : 60), {
      arms: ["majority"],
    });
    // Kish: 9 / (3 + 2 · 1 + 4 · 0) = 1.8.
    expect(armOf(report, "majority").votes.effective).toBeGreaterThan(1.5);
    expect(armOf(report, "majority").votes.effective).toBeLessThan(2.1);
  });

  it("self-consistency gains what Condorcet's formula says where samples vary, and nothing where they do not", async () => {
    const tasks = yesNo(isLong ? 120 : 40);
    const arms = ["single", "self-consistency"];
    const varied = await bench(await watched({ models: ["sim/a?skill=0.7&vary=1"] }), tasks, {
      arms,
      samples: 5,
    });
    const arm = armOf(varied.report, "self-consistency");
    expect(holds(arm, condorcet(0.7, 5))).toBe(true);
    expect(!isLong || !holds(arm, 0.7)).toBe(true);
    expect(arm.votes.effective).toBeGreaterThan(isLong ? 4 : 3);
    const same = await bench(await watched({ models: ["sim/a?skill=0.7"] }), tasks.slice(0, 30), {
      arms,
      samples: 3,
    });
    const alike = armOf(same.report, "self-consistency");
    expect(alike.votes.effective).toBeCloseTo(1);
    expect(alike.votes.members.map(({ accuracy }) => accuracy)).toEqual([
      alike.accuracy,
      alike.accuracy,
      alike.accuracy,
    ]);
  });
});

describe("every arm", () => {
  it("answers the same questions, and the report adds up", async () => {
    const all = ["single", "majority", "self-consistency", "ask", "council"];
    const one = await watched({ models: panel(3), seed: "7" });
    const { report, stop } = await bench(one, mixed(12), { arms: all });
    expect(stop).toBeNull();
    expect(report).toMatchObject({ simulated: true, complete: true, seed: "7", tasks: { count: 12 } });
    expect(report.arms.map(({ name, perQuestion: { calls } }) => [name, calls])).toEqual([
      ["single", 1],
      ["majority", 3],
      ["self-consistency", 7],
      ["ask", expect.any(Number)],
      ["council", 7],
    ]);
    for (const arm of report.arms) expect(arm.right + arm.wrong + arm.noAnswer).toBe(12);
    expect(report.spent.calls).toBe(one.requests.length);
    expect(report.arms.map(({ flips }) => flips !== null)).toEqual([false, false, false, true, true]);
    expect(report.pairs).toHaveLength(10);
    const samples = one.requests.filter(({ temperature }) => temperature === 0.7);
    expect(samples).toHaveLength(7 * 12);
    expect(new Set(samples.map(({ messages }) => JSON.stringify(messages))).size).toBe(7 * 12);
  });
});

describe("a bench that is run again", () => {
  const arms = ["majority", "council"];
  const flags = { models: panel(3), seed: "7" };

  it("goes on where it was interrupted, asks nothing twice, and comes to the same report", async () => {
    const tasks = mixed(8);
    const unbroken = await bench(await watched(flags), tasks, { arms });
    const store = memoryStore();
    const first = await watched(flags, { store });
    const stop = new AbortController();
    let seen = 0;
    const broken = await bench(first, tasks, {
      arms,
      signal: stop.signal,
      onRow: () => {
        if ((seen += 1) === 5) stop.abort();
      },
    });
    expect(broken.stop).toBe("interrupted");
    expect(broken.report.complete).toBe(false);
    const second = await watched(flags, { store });
    const resumed = await bench(second, tasks, { arms });
    expect(timeless(resumed.report)).toEqual(timeless(unbroken.report));
    // Only what was in flight when it was interrupted may be asked again.
    const asked = first.requests.length + second.requests.length;
    expect(asked - unbroken.report.spent.calls).toBeLessThanOrEqual(4 * 3);
    const third = await watched(flags, { store });
    expect(timeless((await bench(third, tasks, { arms })).report)).toEqual(timeless(unbroken.report));
    expect(third.requests).toEqual([]);
  });

  it("takes in what is new: more arms, more tasks, a corrected answer", async () => {
    const store = memoryStore();
    await bench(await watched(flags, { store }), mixed(4), { arms: ["majority"] });
    const more = await watched(flags, { store });
    const wider = await bench(more, mixed(5), { arms: ["single", "majority"] });
    expect(wider.report.complete).toBe(true);
    expect(more.requests).toHaveLength(5 + 3);
    const corrected = mixed(4).map((task) => ({ ...task, answer: "987654321" }));
    const again = await watched(flags, { store });
    expect(armOf((await bench(again, corrected, { arms: ["majority"] })).report, "majority").right).toBe(0);
    expect(again.requests).toEqual([]);
  });

  it("is a fresh run under another seed", async () => {
    const store = memoryStore();
    await bench(await watched(flags, { store }), mixed(2), { arms: ["majority"] });
    const other = await watched({ ...flags, seed: "8" }, { store });
    await bench(other, mixed(2), { arms: ["majority"] });
    expect(other.requests).toHaveLength(6);
  });

  it("agrees with another one that runs at the same time", async () => {
    const store = memoryStore();
    const tasks = mixed(6);
    const pair = [await watched(flags, { store }), await watched(flags, { store })];
    const [one, other] = await Promise.all(pair.map((each) => bench(each, tasks, { arms })));
    expect(one?.report.complete).toBe(true);
    expect(timeless(one?.report ?? never())).toEqual(timeless(other?.report ?? never()));
  });
});

const never = (): never => {
  throw new Error("there is no report");
};

describe("a capped bench", () => {
  const arms = ["majority", "council"];
  const flags = { models: panel(3), seed: "7" };
  const tokensOf = ({ rows }: BenchReport) =>
    rows.reduce((sum, { tokens }) => sum + (tokens.in ?? 0) + (tokens.out ?? 0), 0);

  it("never passes its cap, says so, and goes on under a higher one without paying again", async () => {
    const tasks = mixed(8);
    const store = memoryStore();
    const capped = { ...flags, draftTokens: 400, reviewTokens: 800, synthesisTokens: 800 };
    const first = await watched({ ...capped, maxTotalTokens: 20_000 }, { store });
    const stopped = await bench(first, tasks, { arms });
    expect(stopped.stop).toBe("budget");
    expect(stopped.caps).toMatchObject({ budget: { tokens: 20_000 } });
    expect(tokensOf(stopped.report)).toBeLessThanOrEqual(20_000);
    expect(stopped.report.rows.filter(({ finished }) => finished).length).toBeGreaterThan(2);

    const same = await watched({ ...capped, maxTotalTokens: 20_000 }, { store });
    const stillStopped = await bench(same, tasks, { arms });
    expect(stillStopped.stop).toBe("budget");
    expect(tokensOf(stillStopped.report)).toBeLessThanOrEqual(20_000);

    const more = await watched({ ...capped, maxTotalTokens: 10_000_000 }, { store });
    const ended = await bench(more, tasks, { arms });
    expect(ended).toMatchObject({ stop: null, report: { complete: true } });
    const spent = first.requests.length + same.requests.length + more.requests.length;
    expect(ended.report.spent.calls).toBe(spent);
    // What came out is what a bench without any cap comes to.
    const free = await bench(await watched(capped), tasks, { arms });
    const outcomes = ({ report }: typeof free) => report.rows.map(({ answer, outcome }) => [answer, outcome]);
    expect(outcomes(ended)).toEqual(outcomes(free));
  });

  it("takes over what was opened without a cap, or under a higher one", async () => {
    const store = memoryStore();
    const stop = new AbortController();
    const broken = await watched(flags, {
      store,
      answer: () => {
        stop.abort();
        return new Promise(() => undefined);
      },
    });
    expect((await bench(broken, mixed(2), { arms, signal: stop.signal })).stop).toBe("interrupted");
    const ended = await bench(await watched({ ...flags, maxTotalTokens: 1_000_000 }, { store }), mixed(2), {
      arms,
    });
    expect(ended).toMatchObject({ stop: null, report: { complete: true } });
    const open = await store.for(LOCAL).list({ limit: 50 });
    expect(open.filter(({ status }) => status === "open")).toEqual([]);
  });

  it("drives nothing under a rival's cap that is more than its own", async () => {
    const { parley, requests } = await watched({ ...flags, maxTotalTokens: 1_000_000 });
    const engine: AppContext["engine"] = {
      ...parley.engine,
      async open(request, asked) {
        await parley.engine.open(request, { ...asked, budget: {} });
        return parley.engine.open(request, asked);
      },
    };
    const { report } = await bench({ parley: { ...parley, engine }, requests }, mixed(1), {
      arms: ["majority"],
    });
    expect(report.rows[0]?.deliberations).toHaveLength(2);
    expect(report.complete).toBe(true);
    expect(requests).toHaveLength(3);
  });

  it("is refused before anything is asked where a price is unknown", async () => {
    const one = await watched({ models: ["openrouter/nobody/knows"], maxCostUsd: 1 });
    await expect(bench(one, mixed(1), { arms })).rejects.toThrow(
      /price of openrouter\/nobody\/knows is unknown/,
    );
    expect(one.requests).toEqual([]);
  });
});

describe("what fails", () => {
  const failing: Models["complete"] = ({ model }) =>
    Promise.resolve({
      ok: false,
      failure: { code: "unauthorised", message: "no" },
      model,
      family: null,
      tokens: { in: null, out: null, cached: null, reasoning: null },
      cost: { source: "unknown", usd: null },
      latencyMs: 1,
      attempts: 1,
    });

  it("stops a bench that is refused, is not scored, and is asked again when that is wanted", async () => {
    const store = memoryStore();
    const flags = { models: panel(1), seed: "7" };
    const refused = await bench(await watched(flags, { store, answer: failing }), mixed(20), {
      arms: ["single"],
      concurrency: 2,
    });
    expect(refused.stop).toBe("access");
    expect(refused.report.rows.length).toBeLessThanOrEqual(2);
    expect(armOf(refused.report, "single")).toMatchObject({
      accuracy: { n: 0 },
      noAnswer: 0,
      failed: refused.report.rows.length,
    });

    const kept = await bench(await watched(flags, { store }), mixed(20), { arms: ["single"] });
    expect(armOf(kept.report, "single")).toMatchObject({ failed: refused.report.rows.length, accuracy: {} });
    expect(kept.report.rows.find(({ failed }) => failed !== null)?.failed).toContain("no");
    const again = await bench(await watched(flags, { store }), mixed(20), {
      arms: ["single"],
      retryFailed: true,
    });
    expect(armOf(again.report, "single").outcomes).toEqual({ answered: 20 });
  });
});

describe("a bad bench", () => {
  it.each([
    [["majorty"], /"majorty" is not an arm; did you mean majority\?/],
    [["single", "single"], /named twice/],
    [[], /no arm is named/],
  ])("with the arms %j is refused", async (arms, why) => {
    await expect(bench(await watched({ models: panel(1) }), mixed(1), { arms })).rejects.toThrow(why);
  });
});

describe("arms with options", () => {
  it("are named, and change what they say", async () => {
    const arms = [
      "second=single:2",
      "two=majority:2",
      "quick=ask:1",
      "careful=council:risk-averse+mode=vote",
      "debate:1",
    ];
    const { report } = await bench(await watched({ models: panel(3) }), mixed(4), { arms });
    expect(report.arms.map(({ name }) => name)).toEqual(["second", "two", "quick", "careful", "debate:1"]);
    expect(armOf(report, "second").seats.map(({ model }) => model)).toEqual([panel(3)[1]]);
    expect(armOf(report, "two").seats).toHaveLength(2);
    expect(armOf(report, "careful").what).toContain("strategy risk-averse, mode vote");
    expect(armOf(report, "debate:1").protocol).toMatch(/^debate@/);
    expect(report.complete).toBe(true);
    for (const row of report.rows) {
      const { calls, steps } = row;
      expect(steps.reduce((sum, step) => sum + step.calls, 0)).toBe(calls);
    }
  });
  it("are packs and strategies, compared on the same questions with what each costs", async () => {
    const watching = await watched({ models: panel(3) });
    const arms = ["majority", "pack:risk-review", "strategy:risk-averse"];
    const { report } = await bench(watching, mixed(4), { arms });
    expect(report.complete).toBe(true);
    const [majority, pack, strategy] = report.arms;
    expect(pack).toMatchObject({ what: expect.stringContaining("pack risk-review") });
    expect(strategy).toMatchObject({ what: expect.stringContaining("strategy risk-averse") });
    // Three drafts; beside them three reviews and an answer; the pack has a fourth member.
    expect([majority, strategy, pack].map((arm) => arm?.perQuestion.calls)).toEqual([3, 7, 9]);
    const prompts = watching.requests.map(({ messages }) => JSON.stringify(messages));
    expect(prompts.filter((prompt) => prompt.includes("veto that answer"))).toHaveLength(2 * 4);
    expect(report.pairs.length).toBe(3);
  });

  it.each([
    ["pack", /names no pack/],
    ["pack:risk-reviw", /risk-review/],
    ["strategy:risky", /risk-averse/],
  ])("are refused before anything is asked: %s", async (arm, why) => {
    const watching = await watched({ models: panel(3) });
    await expect(bench(watching, mixed(1), { arms: [arm] })).rejects.toThrow(why);
    expect(watching.requests).toEqual([]);
  });

  it("share what they ask: rules over the same drafts call nobody", async () => {
    const parley = await watched({ models: panel(3) });
    const { report } = await bench(parley, yesNo(10), {
      arms: ["majority", "weighted", "best-member", "all=majority:3"],
    });
    expect(parley.requests).toHaveLength(30);
    expect(report.arms.map(({ drafted }) => drafted)).toEqual([
      undefined,
      "majority",
      "majority",
      "majority",
    ]);
    expect(armOf(report, "all").right).toBe(armOf(report, "majority").right);
  });
  it.each([
    [["counsel"], /"counsel" is not an arm.*did you mean council/],
    [["x=counsel:a"], /"counsel" is not an arm/],
    [["council", "council"], /the arm council is named twice/],
    [["a=council", "a=ask"], /the arm a is named twice/],
    [["single:4"], /there is no member 4 of 3/],
    [["majority:0"], /there are 3 members, and not 0/],
    [["council:risk-adverse"], /risk-adverse.*nearest is risk-averse/],
    [["council:mod=vote"], /unknown field "mod"|mod/],
    [["ask:9"], /effort/],
    [["ask:effort=x"], /effort/],
    [["debate:0"], /rounds/],
    [["self-consistency:0"], /samples|member/],
    [[""], /"" is not an arm/],
    [[], /no arm is named/],
  ])("are refused before anything is asked: %j", async (arms, why) => {
    const parley = await watched({ models: panel(3) });
    await expect(bench(parley, yesNo(1), { arms })).rejects.toThrow(why);
    expect(parley.requests).toHaveLength(0);
  });
});

describe("open questions", () => {
  const OPEN: BenchTask[] = ["services", "queues", "retries", "names"].map((about, index) => ({
    id: `line ${index + 1}`,
    question: `How should a team of five decide about ${about}?`,
  }));
  const ARMS = ["single", "council"];
  const judged = async (
    flags: Readonly<Record<string, unknown>>,
    tasks: readonly BenchTask[],
    judge: string,
  ) => {
    const place = await watched({ models: panel(3), ...flags });
    return { place, ...(await bench(place, tasks, { arms: ARMS, judge })) };
  };

  it("are judged in both orders, and count as neither right nor wrong", async () => {
    const known = { id: "sum", question: "What is 17 * 23?", answer: "391" };
    const { report, stop } = await judged({}, [...OPEN, known], "sim/j?skill=1");
    expect(stop).toBeNull();
    expect(report.tasks).toMatchObject({ count: 5, open: 4 });
    for (const arm of report.arms) {
      expect(arm.accuracy.n).toBe(1);
      expect([arm.unfinished, arm.right + arm.wrong + arm.noAnswer]).toEqual([0, 1]);
    }
    const open = report.rows.filter(({ task }) => task !== "sum");
    expect(open.map(({ right, control }) => [right, control])).toEqual(open.map(() => [null, null]));
    expect(open.every(({ answer }) => (answer ?? "").length > 40)).toBe(true);
    const [council] = report.judged?.arms ?? [];
    expect(report.judged).toMatchObject({ against: "single", model: "sim/j?skill=1", calls: 8 });
    expect(council).toMatchObject({ arm: "council", n: 4, missing: 0 });
    expect((council?.won ?? 0) + (council?.tied ?? 0) + (council?.lost ?? 0)).toBe(4);
    expect(report.pairs[0]?.n).toBe(1);
  });
  it("are ties to a judge that keeps to the first place", async () => {
    const { report } = await judged({}, OPEN, "sim/j?position=1");
    expect(report.judged?.arms).toMatchObject([{ n: 4, won: 0, tied: 4, lost: 0, orderSensitive: 4, p: 1 }]);
    expect(report.judged?.arms[0]?.preferred.value).toBe(0.5);
  });
  it("are won by the arm whose answers the judge prefers", async () => {
    const real = await watched({ models: panel(3) });
    // The longer one, but of queues the shorter one.
    const choosy: Models["complete"] = async (request, options) => {
      const call = await real.parley.models.complete(request, options);
      if (request.model !== "sim/j" || !call.ok) return call;
      const prompt = request.messages.map(({ text }) => text).join("\n");
      const [a = "", b = ""] = readFenced(prompt).flatMap(({ kind, text }) =>
        kind === "answer" ? [text] : [],
      );
      const isFirst = a.length > b.length !== prompt.includes("decide about queues");
      return { ...call, reply: `Feedback: it is better. [RESULT] ${isFirst ? "A" : "B"}` };
    };
    const place = await watched({ models: panel(3) }, { answer: choosy });
    const { report } = await bench(place, OPEN, { arms: ARMS, judge: "sim/j" });
    const length = (arm: string, { id }: BenchTask) =>
      report.rows.find((row) => row.arm === arm && row.task === id)?.answer?.length ?? 0;
    const won = OPEN.filter(
      (task) => length("council", task) > length("single", task) !== task.question.includes("queues"),
    ).length;
    expect(report.judged?.arms).toMatchObject([{ won, tied: 0, lost: OPEN.length - won }]);
    expect(won).not.toBe(OPEN.length - won);
  });
  it("are judged once: the same bench asks nothing again", async () => {
    const { place, report } = await judged({ seed: "1" }, OPEN, "sim/j");
    const asked = place.requests.length;
    const again = await bench(place, OPEN, { arms: ARMS, judge: "sim/j" });
    expect(place.requests).toHaveLength(asked);
    expect(again.report.judged).toEqual(report.judged);
  });
  it("share the caps of the bench with their judge", async () => {
    const whole = (await judged({}, OPEN, "sim/j")).report;
    const calls = whole.spent.calls - (whole.judged?.calls ?? 0);
    const { report, stop } = await judged({ maxCalls: calls }, OPEN, "sim/j");
    expect([report.complete, report.judged, stop]).toEqual([true, null, "budget"]);
  });
  it("need a judge, and two arms; a judge of a member's family is noted", async () => {
    const place = await watched({ models: panel(2, "&family=x") });
    const prepare = (judge?: string, arms: readonly string[] = ARMS) =>
      prepareBench(place.parley, { file: "t.jsonl", tasks: OPEN, arms, judge });
    await expect(prepare()).rejects.toThrow("t.jsonl, line 1: answer is missing");
    await expect(prepare("sim/j", ["single"])).rejects.toThrow("there is only one");
    await expect(prepare("nobody/j")).rejects.toThrow(/nobody/);
    const judges = async (ref: string) =>
      (await prepare(ref)).notes.filter(({ code }) => code === "judge-shares-family").length;
    expect([await judges("sim/j?family=x"), await judges("sim/j?family=y")]).toEqual(
      [3, 2].map((n) => n - 2),
    );
  });
});
