import "../../../app/outcome.ts"; // The clock of a stage does not wait for what is loaded on use.
import {
  ask,
  council,
  agreeable,
  councilAsked,
  type CouncilAsked,
  promptOf,
  reviewOf,
  synthesisOf,
  taskOf,
} from "../../../../test/support/council-table.ts";
import { describe, expect, it } from "vitest";
import { type Engine, type LocalFrames, type NewDeliberation } from "../../../engine/index.ts";
import {
  type DeliberationId,
  isEvent,
  type ModelRequest,
  type Models,
  OrganizationId,
  originKey,
  type Store,
  type World,
} from "../../../kernel/index.ts";
import { readFenced } from "../../../prompts/material.ts";
import "../../../app/result.ts"; // which a run loads when it has ended: the clock of these tests waits for no import
import type { CrashPoint } from "../../../testing/crash.ts";
import type { Script, ScriptedLine } from "../../../testing/scripted-models.ts";
import { stage, type Stage, type StageOptions } from "../../../testing/stage.ts";
import { panelSection } from "../../../views/panel.ts";
import { resultOf } from "../../../views/result.ts";
import { usualTimes } from "../../../app/usual-times.ts";
import { measureContributions, type MeasureRequest, type RerunContext } from "./leave-one-out.ts";

await Promise.all([ask.view?.(), council.view?.()]); // as above

const DRAFTS: Readonly<Record<string, string>> = {
  ada: "ada moves the queue tonight. Waiting costs more than moving.",
  bob: "bob keeps Redis until load figures are known for certain.",
  cyd: "cyd tries one small shard and compares latency first.",
};
const OWN = "Nothing else convinces me, so ask again next month.";

type Line = (request: ModelRequest, nth: number) => ScriptedLine;

/** Open drafts, reviews by label, a comparison without contradictions, and a chair of the test's own. */
const script = (chair: Line, changes: Script = {}): Script => ({
  ...Object.fromEntries(
    Object.entries(DRAFTS).map(([name, text]) => [
      name,
      (request: ModelRequest) => ({
        text: taskOf(request) === "draft" ? text : reviewOf(request),
        latencyMs: 5,
      }),
    ]),
  ),
  chair: (request, nth) => (taskOf(request) === "comparison" ? comparing : chair(request, nth)),
  ...changes,
});

const comparing = JSON.stringify({
  agreements: [{ claim: "the queue matters", answers: ["A", "B"] }],
  contradictions: [],
  unique: [
    { claim: "unique to A", answers: ["A"] },
    { claim: "unique to B", answers: ["B"] },
    { claim: "unique to C", answers: ["C"] },
  ],
});

/** Writes down the draft of one member, whose name it begins with, as long as it is shown. */
const copying =
  (name: string): Line =>
  (request) => {
    const found = answersIn(request).find(({ text }) => text.startsWith(name));
    return synthesisOf(request, found?.text ?? OWN);
  };

const answersIn = (request: ModelRequest) =>
  readFenced(promptOf(request)).filter(({ kind }) => kind === "answer");

const table = (chair: Line = copying("ada"), options: Partial<StageOptions> = {}) =>
  stage({ protocols: [ask, council], script: script(chair), ...options });

async function held(on: Stage, asked: CouncilAsked = {}): Promise<DeliberationId> {
  const { opened } = await on.engine.open("r1", councilAsked(asked));
  await on.drive(opened.deliberation);
  return opened.deliberation;
}

const alone = new AbortController().signal;

const LOCAL = OrganizationId.parse("local");

const tools = (
  {
    store,
    engine,
    models,
    frames,
    clock,
  }: {
    readonly store: Store;
    readonly engine: Engine;
    readonly models: Models;
    readonly frames: LocalFrames;
    readonly clock: World;
  },
  settings: RerunContext["settings"] = {
    maxCostUsd: undefined,
    maxTotalTokens: undefined,
    maxCalls: undefined,
    timeoutMs: undefined,
  },
): RerunContext => ({
  ...{ store: store.for(LOCAL), engine: engine.for(LOCAL), models, frames, settings },
  process: { store },
  world: clock,
  usual: usualTimes(clock.now),
  protocols: [ask, council],
  checkModel: async () => undefined,
});

async function measured(
  on: Stage,
  id: DeliberationId,
  { settings, ...changes }: Partial<MeasureRequest> & { settings?: Partial<RerunContext["settings"]> } = {},
) {
  const given = tools(on);
  const contributions = await on.clock.settle(
    measureContributions(
      { ...given, settings: { ...given.settings, ...settings } },
      { id, calls: true, repeats: 1, signal: alone, note: () => undefined, ...changes },
    ),
  );
  if (!contributions) throw new Error("it was interrupted");
  const of = Object.fromEntries(contributions.members.map((member) => [member.id, member]));
  return { ...contributions, of };
}

/** What the stage's models were asked since `before`, by task. */
const since = (on: Stage, before: number) => on.models.calls.slice(before);

describe("leaving each member out", () => {
  it.each([
    ["a council", {}],
    ["an ask that compares, without reviews", { protocol: "ask", settings: { effort: 3 } }],
    ["an ask that reviews and revises", { protocol: "ask", settings: { effort: 5 } }],
    ["a council under a budget", { budget: { calls: 9, tokens: 100_000 } }],
  ] satisfies [string, CouncilAsked][])("of %s costs one call each and one more", async (_, asked) => {
    const on = table();
    const id = await held(on, asked);
    const before = on.models.calls.length;
    const first = await measured(on, id);
    expect(since(on, before).map(({ name, request }) => [name, taskOf(request)])).toEqual(
      Array(4).fill(["chair", "synthesis"]),
    );
    expect(first).toMatchObject({ calls: 4, leaveOneOut: { status: "measured", noise: 0 } });
  });

  it("costs nothing a second time, and records once", async () => {
    const on = table();
    const id = await held(on);
    const first = await measured(on, id);
    const { length: before } = on.models.calls;
    const { length: recorded } = await on.store.for(LOCAL).read(id);
    const again = await measured(on, id);
    expect(on.models.calls).toHaveLength(before);
    expect(await on.store.for(LOCAL).read(id)).toHaveLength(recorded);
    expect({ ...again, calls: 0, tokens: 0, cost: 0 }).toEqual({ ...first, calls: 0, tokens: 0, cost: 0 });
    expect(again).toMatchObject({ calls: 0, cost: { source: "none" } });
    expect(panelSection(await on.store.for(LOCAL).read(id)).contributions.measured).toHaveLength(3 * 3);
  });

  it("asks once more alone for another repetition, and what it says then holds", async () => {
    const on = table();
    const id = await held(on);
    await measured(on, id);
    expect(await measured(on, id, { repeats: 2 })).toMatchObject({ calls: 1 });
    const entries = await on.store.for(LOCAL).read(id);
    expect(entries.filter(({ type }) => type === "contribution-measured")).toHaveLength(4);
    expect(panelSection(entries).contributions.measured).toHaveLength(3 * 3);
  });

  it("gives all to the member whose draft the chair copies", async () => {
    const on = table(copying("bob"));
    const { of } = await measured(on, await held(on));
    expect(of["bob"]).toMatchObject({
      leaveOneOut: { weight: 1, changed: null, gone: 1, withinNoise: false },
      overlap: 1,
      kept: 1,
      lost: [],
    });
    for (const name of ["ada", "cyd"])
      expect(of[name]).toMatchObject({
        leaveOneOut: { weight: 0, gone: 0, withinNoise: true },
        overlap: 0,
        kept: 0,
        claimed: expect.closeTo(1 / 3),
      });
    expect(of["ada"]?.lost).toEqual(["ada moves the queue tonight.", "Waiting costs more than moving."]);
  });

  it("measures by the final answer where there is one", async () => {
    const on = table((request) => {
      const ada = answersIn(request).some(({ text }) => text.startsWith("ada"));
      return synthesisOf(request, `It comes out so.\n\nFinal answer: ${ada ? "391" : "400"}`);
    });
    const { of } = await measured(on, await held(on));
    expect(of["ada"]?.leaveOneOut).toMatchObject({ changed: true, effect: 1, weight: 1 });
    expect(of["bob"]?.leaveOneOut).toMatchObject({ changed: false, effect: 0, weight: 0 });
  });

  it("counts nothing that is no larger than the chair's own variation", async () => {
    const words = [
      "alpha beta gamma",
      "delta epsilon zeta",
      "eta theta iota",
      "kappa lambda mu",
      "nu xi omicron",
    ];
    const on = table((request, nth) => synthesisOf(request, `${words[nth % words.length]}.`));
    const { leaveOneOut, members } = await measured(on, await held(on), { repeats: 2 });
    expect(leaveOneOut).toMatchObject({ status: "measured", noise: 1 });
    expect(leaveOneOut.again).toHaveLength(2);
    for (const { leaveOneOut: one } of members.slice(0, 3))
      expect(one).toMatchObject({ weight: 0, withinNoise: true });
  });

  it("withholds the draft, what was said of it and the own review, under the labels as they were", async () => {
    const on = table();
    const id = await held(on, { settings: { strategy: { name: "mine", sees: ["standing"] } } });
    const [whole] = on.models.calls.filter(({ name }) => name === "chair");
    const { length: before } = on.models.calls;
    await measured(on, id);
    const labels = new Map(whole && answersIn(whole.request).map(({ label, text }) => [text, label]));
    const without = since(on, before).find(
      ({ request }) => !answersIn(request).some(({ text }) => text.startsWith("ada")),
    );
    const prompt = without ? promptOf(without.request) : "";
    const label = labels.get(DRAFTS["ada"] ?? "") ?? "?";
    expect(prompt).not.toContain("ada");
    expect(prompt).not.toMatch(new RegExp(`(good|bad|answer) ${label}\\b`));
    expect(prompt).not.toMatch(new RegExp(`^\\d\\. ${label}$`, "m"));
    for (const { label: kept, text } of without ? answersIn(without.request) : [])
      expect(labels.get(text)).toBe(kept);
    // bob and cyd reviewed two each, of which one is ada's.
    expect(readFenced(prompt).filter(({ kind }) => kind === "review")).toHaveLength(2);
  });

  it("takes out of a comparison what it found of the withheld draft alone", async () => {
    const on = table();
    const id = await held(on, { protocol: "ask", settings: { effort: 3 } });
    const { length: before } = on.models.calls;
    await measured(on, id);
    const comparisons = since(on, before).map(
      ({ request }) => readFenced(promptOf(request)).find(({ kind }) => kind === "comparison")?.text,
    );
    expect(comparisons[0]).toContain("Agreed (A, B): the queue matters");
    for (const label of ["A", "B", "C"]) {
      const rest = comparisons.filter((text) => !text?.includes(`unique to ${label}`));
      expect(rest).toHaveLength(1);
      expect(rest[0]).not.toMatch(new RegExp(`[(, ]${label}[,):]`));
    }
    expect(comparisons.filter((text) => text?.includes("Only A: the queue matters"))).toHaveLength(1);
    expect(comparisons.filter((text) => /Agreed \(.\):/.test(text ?? ""))).toEqual([]);
  });

  it("asks the chair that wrote, not the one that failed before it", async () => {
    const on = table(undefined, { script: script(() => ({ fail: "refused" }), { second: copying("ada") }) });
    const id = await held(on, { chairs: ["chair", "second"] });
    const { length: before } = on.models.calls;
    const { leaveOneOut } = await measured(on, id);
    expect(since(on, before).map(({ name }) => name)).toEqual(Array(4).fill("second"));
    expect(leaveOneOut).toMatchObject({ status: "measured", chair: "second" });
  });

  it("says what failed, weighs nothing, and asks that alone again the next time", async () => {
    const on = table((request, nth) => (nth === 3 ? { fail: "refused" } : copying("ada")(request, nth)));
    const id = await held(on);
    const broken = await measured(on, id);
    expect(broken.leaveOneOut).toMatchObject({ status: "failed", why: expect.stringContaining("refused") });
    expect(broken.members.map(({ leaveOneOut }) => leaveOneOut?.weight ?? null)).toEqual([null, null, null]);
    expect(await measured(on, id)).toMatchObject({ calls: 1, leaveOneOut: { status: "measured" } });
  });

  it("leaves forks that nobody grades or remembers", async () => {
    const on = table();
    const id = await held(on, { reactions: { critic: { judge: "jo" } } });
    await measured(on, id);
    const all = await on.store.for(LOCAL).list({ limit: 100 });
    const pinned = await Promise.all(
      all.map(async (one) => {
        const [opened] = await on.store.for(LOCAL).read(one.id);
        return opened && isEvent(opened, "deliberation-opened")
          ? Object.keys(opened.data.reactions ?? {})
          : [];
      }),
    );
    expect(pinned).toEqual([[], [], [], [], ["critic"]]);
  });

  it("leaves forks that replay, and that say what they withhold", async () => {
    const on = table();
    const { of, leaveOneOut } = await measured(on, await held(on));
    const forks = [of["ada"]?.leaveOneOut?.fork, leaveOneOut.again[0]?.fork].map(
      (fork) => fork as DeliberationId,
    );
    for (const fork of forks) expect(await on.engine.replay(fork)).toMatchObject({ calls: 7 });
    const results = await Promise.all(
      forks.map(async (fork) => resultOf(await on.store.for(LOCAL).read(fork))),
    );
    expect(results.map((result) => result?.degraded.map(({ what }) => what))).toEqual([
      ["the draft of ada"],
      [],
    ]);
  });
});

describe("a measuring that is killed", () => {
  const points: CrashPoint[] = (["call", "append"] as const).flatMap((at) =>
    [1, 2, 3, 4].map((nth) => ({ at, nth: at === "call" ? nth : nth * 13 - 2, when: "after" as const })),
  );

  it.each(points)("goes on to the same figures: $at $nth", async (point) => {
    const whole = table();
    const expected = await measured(whole, await held(whole));
    const on = table();
    const id = await held(on);
    const { length: before } = on.models.calls;
    const first = on.start(point);
    const measuring = { id, calls: true, repeats: 1, signal: alone, note: () => undefined };
    await on.clock.settle(
      Promise.race([
        measureContributions(tools({ ...first, frames: on.frames, clock: on.clock }), measuring),
        first.died,
      ]),
    );
    const { length: wasted } = since(on, before);
    const { calls, tokens: _tokens, cost: _cost, ...rest } = await measured(on, id);
    const { calls: _all, tokens: _every, cost: _paid, ...same } = expected;
    expect(rest).toEqual(same);
    // All four are in flight at once.
    expect(wasted + calls).toBeLessThanOrEqual(8);
    expect(since(on, before)).toHaveLength(wasted + calls);
    const origins = (await on.store.for(LOCAL).read(id)).map(({ origin }) => originKey(origin));
    expect(new Set(origins).size).toBe(origins.length);
  });

  it("is undefined when it is interrupted, records nothing on the parent, and can go on", async () => {
    const stop = new AbortController();
    const on = table((request, nth) => {
      if (nth === 3) stop.abort();
      return copying("ada")(request, nth);
    });
    const id = await held(on);
    const { length: recorded } = await on.store.for(LOCAL).read(id);
    const measuring = { id, calls: true, repeats: 1, signal: stop.signal, note: () => undefined };
    expect(await on.clock.settle(measureContributions(tools(on), measuring))).toBeUndefined();
    expect(await on.store.for(LOCAL).read(id)).toHaveLength(recorded);
    expect(await measured(on, id)).toMatchObject({ leaveOneOut: { status: "measured" } });
  });
});

describe("a measuring under caps", () => {
  it("asks as often as they reach for, and goes on with more", async () => {
    const on = table();
    const id = await held(on);
    const { length: before } = on.models.calls;
    const some = await measured(on, id, { settings: { maxCalls: 2 } });
    expect(some.leaveOneOut).toMatchObject({
      status: "over-budget",
      noise: 0,
      why: "2 of 4 re-runs of the chair are missing: they would exceed the budget",
    });
    expect(some.of["ada"]?.leaveOneOut).toMatchObject({ weight: null, gone: 1 });
    expect(since(on, before)).toHaveLength(2);
    expect(await measured(on, id)).toMatchObject({ calls: 2, leaveOneOut: { status: "measured" } });
  });

  it("counts what a call took, not its worst case, once it has ended", async () => {
    // The worst case of one is 110 tokens, a call takes 30.
    const on = table();
    const id = await held(on);
    expect(await measured(on, id, { settings: { maxTotalTokens: 200 } })).toMatchObject({
      calls: 4,
      leaveOneOut: { status: "measured" },
    });
    const poor = table();
    const other = await held(poor);
    expect(await measured(poor, other, { settings: { maxTotalTokens: 109 } })).toMatchObject({ calls: 0 });
    expect(await poor.store.for(LOCAL).list({ limit: 9 })).toHaveLength(1);
  });

  it("refuses, before any call, a chair that cannot be asked any more", async () => {
    const on = table();
    const id = await held(on);
    const { length: before } = on.models.calls;
    const keyless = {
      ...tools(on),
      checkModel: async () => ({ code: "authentication", reason: "NO_KEY is not set" }) as const,
    };
    const measuring = { id, calls: true, repeats: 1, signal: alone, note: () => undefined };
    await expect(measureContributions(keyless, measuring)).rejects.toMatchObject({
      code: "authentication",
      message: expect.stringContaining("measure without calls"),
    });
    expect(on.models.calls).toHaveLength(before);
    expect(await measureContributions(keyless, { ...measuring, calls: false })).toMatchObject({ calls: 0 });
  });

  it("refuses a cap in money where the chair's price is unknown", async () => {
    const on = table(undefined, { quote: () => ({ tokensIn: 10, tokensOut: 100, usd: null }) });
    const id = await held(on);
    await expect(measured(on, id, { settings: { maxCostUsd: 1 } })).rejects.toMatchObject({ code: "budget" });
  });

  it("calls nobody when no calls are wanted", async () => {
    const on = table();
    const id = await held(on);
    const { length: before } = on.models.calls;
    const { leaveOneOut, overlap, standing } = await measured(on, id, { calls: false });
    expect(on.models.calls).toHaveLength(before);
    expect([leaveOneOut.status, overlap.status, standing.status]).toEqual([
      "not-asked",
      "measured",
      "measured",
    ]);
  });
});

describe("votes and standings", () => {
  const finals = (answers: Readonly<Record<string, string>>): Script => ({
    ...agreeable(["ada", "bob", "cyd", "chair"]),
    ...Object.fromEntries(
      Object.entries(answers).map(([name, answer]) => [
        name,
        (request: ModelRequest): ScriptedLine =>
          taskOf(request) === "review"
            ? reviewOf(request)
            : taskOf(request) === "revision"
              ? `## My answer\n${name} keeps it.\nFinal answer: ${answer}`
              : `${name} says so.\nFinal answer: ${answer}`,
      ]),
    ),
  });

  it("credits the members of an elected answer, and says that no chair wrote it", async () => {
    const on = stage({ protocols: [ask], script: finals({ ada: "391", bob: "391", cyd: "381" }) });
    const { of, vote, decidedBy, leaveOneOut } = await measured(on, await held(on, { protocol: "ask" }));
    expect([vote.total, decidedBy, leaveOneOut.status]).toEqual([1, "vote", "not-applicable"]);
    expect(of["ada"]?.vote).toBe(of["bob"]?.vote);
    expect(of["ada"]?.vote).toBeGreaterThan(0.5);
    expect(of["cyd"]?.vote).toBeLessThan(0);
  });

  it("measures a council's vote by its standing, and adds judges to the rows", async () => {
    const on = stage({
      protocols: [council],
      script: { ...finals({ ada: "391", bob: "391", cyd: "391" }), jud: (request) => reviewOf(request) },
    });
    const { members, standing, decidedBy } = await measured(
      on,
      await held(on, { judges: ["jud"], settings: { mode: "vote" } }),
    );
    expect(decidedBy).toBe("standing");
    expect(members.map(({ id }) => id)).toEqual(["ada", "bob", "cyd", "jud"]);
    expect(members.reduce((sum, member) => sum + (member.standing ?? 0), 0)).toBeCloseTo(standing.total ?? 9);
    expect(members.at(-1)).toMatchObject({ seat: "judge", drafted: false, vote: null, overlap: null });
  });
});

describe("what cannot be measured", () => {
  it("is refused with the next step", async () => {
    const on = table();
    const { opened } = await on.engine.open("open", councilAsked());
    await expect(measured(on, opened.deliberation)).rejects.toThrow(/still open.*resume \S+ first/);
    await expect(measured(on, "nobody" as DeliberationId)).rejects.toMatchObject({
      code: "deliberation-missing",
    });
    const id = await held(on);
    const { of } = await measured(on, id);
    const fork = of["ada"]?.leaveOneOut?.fork as DeliberationId;
    await expect(measured(on, fork)).rejects.toThrow(`measure ${id}`);
    const nothing = stage({ protocols: [council], script: { ada: () => ({ fail: "refused" }) } });
    await expect(measured(nothing, await held(nothing, { members: ["ada"] }))).rejects.toThrow(
      "without an answer (failed)",
    );
  });

  it("measures a fork like any other", async () => {
    const on = table();
    const id = await held(on);
    const [opening] = await on.store.for(LOCAL).read(id);
    if (!opening || !isEvent(opening, "deliberation-opened")) throw new Error("no opening");
    const settings = { ...opening.data.settings, strategy: { name: "risk-averse", sees: ["standing"] } };
    const fork = await on.engine.fork(id, { request: "fork", changes: { settings } });
    await on.drive(fork.opened.deliberation);
    const { calls, leaveOneOut } = await measured(on, fork.opened.deliberation);
    expect([calls, leaveOneOut.status]).toEqual([4, "measured"]);
  });

  it("leaves out who failed to draft, and has nothing to leave out of one draft", async () => {
    const failing: Script = { ...script(copying("bob")), ada: () => ({ fail: "refused" }) };
    const on = table(undefined, { script: failing });
    const { calls, of, leaveOneOut } = await measured(on, await held(on));
    expect([calls, leaveOneOut.status]).toEqual([3, "measured"]);
    expect(of["ada"]).toMatchObject({
      drafted: false,
      leaveOneOut: null,
      vote: null,
      overlap: null,
      lost: [],
    });
    const single = table(copying("bob"));
    expect((await measured(single, await held(single, { members: ["bob"] }))).leaveOneOut).toMatchObject({
      status: "not-applicable",
      why: expect.stringContaining("one draft"),
    });
  });

  it("asks nobody anew for a protocol that is no more, and measures the rest", async () => {
    const on = table(undefined, { protocols: [{ ...council, version: 1 }] });
    const old: NewDeliberation = { ...councilAsked(), protocol: { name: "council", version: 1 } };
    const { opened } = await on.engine.open("r1", old);
    await on.drive(opened.deliberation);
    const { leaveOneOut, overlap, calls } = await measured(on, opened.deliberation);
    expect([calls, overlap.status, leaveOneOut.status]).toEqual([0, "measured", "not-applicable"]);
    expect(leaveOneOut.why).toContain("council@1");
  });
});
