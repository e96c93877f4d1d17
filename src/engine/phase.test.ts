import { describe, expect, it } from "vitest";
import { OrganizationId } from "../kernel/index.ts";
import { council } from "../../test/support/toys/council.ts";
import { answerOf, nothingToSay, toyAsked, toyParticipant, toyProtocol, toyRequest } from "../testing/kit.ts";
import { stage, type StageOptions } from "../testing/stage.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { createEngine, phase, type PhaseResult, type StepRunner } from "./index.ts";

// DESIGN section 3, point 10; PHASE-1.

const patient = { quorum: 2, patienceMs: 1_000 };
const alone = new AbortController().signal;

async function opened(options: StageOptions, settings: Record<string, number> = patient) {
  const on = stage(options);
  const { opened } = await on.engine.open("r1", toyAsked("toy-council", { settings }));
  return { ...on, id: opened.deliberation };
}

const rosterOf = async (on: Awaited<ReturnType<typeof opened>>) =>
  (await on.store.for(LOCAL).read(on.id)).find(({ type }) => type === "roster-fixed")?.data;

describe("a phase", () => {
  it("PHASE-1: ends in a recorded roster, of which the later steps are made", async () => {
    const on = await opened({
      protocols: [council],
      script: {
        ada: { text: "a", latencyMs: 30 },
        bob: "b",
        cyd: { fail: "refused" },
        chair: ({ messages }) => JSON.stringify(messages),
      },
    });
    await on.drive(on.id);
    expect(await on.lines(on.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "answer-given < protocol/draft/bob",
        "degradation-noted < protocol/draft/cyd",
        "answer-given < protocol/draft/ada",
        "roster-fixed < protocol/draft/roster",
        "synthesis-given < protocol/synthesis",
        "deliberation-closed < close",
      ]
    `);
    expect(await rosterOf(on)).toEqual({
      phase: "draft",
      in: ["ada", "bob"],
      out: [{ id: "cyd", why: "refused" }],
    });
    expect(on.models.calls.at(-1)?.request.messages[0]).toMatchObject({ text: "balanced\nada: a\nbob: b" });
    const { origin } =
      (await on.store.for(LOCAL).read(on.id)).find(({ type }) => type === "roster-fixed") ?? {};
    expect(origin).toMatchObject({ after: ["draft/ada", "draft/bob", "draft/cyd"] });
  });

  it("waits for nobody longer than its patience once the quorum is in, and aborts the straggler", async () => {
    const on = await opened({
      protocols: [council],
      script: {
        ada: { text: "a", latencyMs: 100 },
        bob: { text: "b", latencyMs: 500 },
        cyd: { hang: true },
        chair: "d",
      },
    });
    const startedAt = on.clock.now();
    await on.drive(on.id);
    expect(on.clock.now() - startedAt).toBe(1_500);
    expect(on.models.calls.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      "ada answered",
      "bob answered",
      "cyd aborted",
      "chair answered",
    ]);
    expect(await rosterOf(on)).toMatchObject({
      out: [{ id: "cyd", why: "it had not answered when the others had" }],
    });
  });

  it("aborts the straggler with the roster, not only with the drive", async () => {
    const on = await opened({
      protocols: [council],
      script: { ada: "a", bob: "b", cyd: { hang: true }, chair: { text: "d", latencyMs: 60_000 } },
    });
    const driving = on.engine.drive(on.id, { signal: alone });
    await on.clock.advance(30_000);
    expect(on.models.calls.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      "ada answered",
      "bob answered",
      "cyd aborted",
      "chair pending",
    ]);
    await on.clock.settle(driving);
  });

  it("does not run out of patience before the quorum is in", async () => {
    const on = await opened({
      protocols: [council],
      script: {
        ada: { text: "a", latencyMs: 100 },
        bob: { text: "b", latencyMs: 60_000 },
        cyd: { fail: "refused" },
        chair: "d",
      },
    });
    await on.drive(on.id);
    expect(await rosterOf(on)).toMatchObject({ in: ["ada", "bob"] });
  });

  it("takes who comes within the patience", async () => {
    const on = await opened({
      protocols: [council],
      script: { ada: "a", bob: "b", cyd: { text: "c", latencyMs: 999 }, chair: "d" },
    });
    await on.drive(on.id);
    expect(await rosterOf(on)).toMatchObject({ in: ["ada", "bob", "cyd"] });
  });

  it("waits for all when no patience is given, and sets no timer for it", async () => {
    const on = await opened(
      {
        protocols: [council],
        script: { ada: "a", bob: "b", cyd: { text: "c", latencyMs: 90_000 }, chair: "d" },
      },
      { quorum: 1 },
    );
    const asked: number[] = [];
    const { store, models, frames } = on;
    const sleep: typeof on.clock.sleep = (ms, signal) => {
      asked.push(ms);
      return on.clock.sleep(ms, signal);
    };
    const world = { ...on.clock, now: on.clock.now, sleep };
    const engine = createEngine({ store, models, frames, world, protocols: [council], reactors: [] });
    await on.clock.settle(engine.drive(on.id, { signal: alone }));
    expect(await rosterOf(on)).toMatchObject({ in: ["ada", "bob", "cyd"] });
    expect(asked.filter((ms) => !Number.isFinite(ms))).toEqual([]);
  });

  it("PHASE-1: keeps its roster when a straggler's record comes late, and replays with it", async () => {
    const on = await opened({
      protocols: [council],
      script: {
        ada: () => "a",
        bob: () => "b",
        cyd: () => ({ text: "late", latencyMs: 1_000 }), // ready at the very moment when patience ends
        chair: () => ({ text: "d", latencyMs: 5_000 }),
      },
    });
    const slow = on.start();
    const part = slow.store.for(OrganizationId.parse("local"));
    const { append } = part;
    part.append = async (id, events, origin) => {
      if (origin.by === "protocol" && origin.step === "draft/cyd") await on.clock.sleep(500, alone);
      return append(id, events, origin);
    };
    await on.clock.settle(slow.engine.drive(on.id, { signal: alone }));
    expect(await on.lines(on.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "answer-given < protocol/draft/ada",
        "answer-given < protocol/draft/bob",
        "roster-fixed < protocol/draft/roster",
        "answer-given < protocol/draft/cyd",
        "synthesis-given < protocol/synthesis",
        "deliberation-closed < close",
      ]
    `);
    expect(await rosterOf(on)).toMatchObject({ in: ["ada", "bob"] });
    await on.engine.replay(on.id);
  });

  it("makes no member's step any more on a resume after the roster", async () => {
    const on = await opened({
      protocols: [council],
      script: { ada: () => "a", bob: () => "b", cyd: () => ({ hang: true }), chair: () => "d" },
    });
    const doomed = on.start({ at: "call", nth: 4, when: "before" });
    await on.clock.settle(Promise.race([doomed.died, doomed.engine.drive(on.id, { signal: alone })]));
    expect((await on.lines(on.id)).at(-1)).toBe("roster-fixed < protocol/draft/roster");
    await on.drive(on.id);
    expect(on.models.calls.map(({ name }) => name)).toEqual(["ada", "bob", "cyd", "chair"]);
  });

  it("adopts a rival's different roster, and recalls its members' steps", async () => {
    // The first driver would take ada and bob; the rival, who began with cyd's answer, takes bob and cyd.
    const on = await opened({
      protocols: [council],
      script: {
        ada: (_, nth) => (nth === 1 ? { text: "a", latencyMs: 3_000 } : { hang: true }),
        bob: () => ({ text: "b", latencyMs: 10 }),
        cyd: (_, nth) => (nth === 1 ? { hang: true } : { text: "c", latencyMs: 10 }),
        chair: ({ messages }) => ({ text: JSON.stringify(messages), latencyMs: 50 }),
      },
    });
    const first = on.start();
    const blind = { ...first.store.changed };
    first.store.changed = async (after) => ({ ...blind, cursor: after, heads: [] }); // it learns of nothing but by its appends
    const one = first.engine.drive(on.id, { signal: alone });
    await on.clock.advance(100);
    const two = on.engine.drive(on.id, { signal: alone });
    const [mine, theirs] = await on.clock.settle(Promise.all([one, two]));
    expect(await rosterOf(on)).toMatchObject({ in: ["bob", "cyd"] });
    expect(mine).toEqual(theirs);
    expect(on.models.count("chair")).toBeLessThanOrEqual(2);
    const chairs = on.models.calls
      .filter(({ name }) => name === "chair")
      .map(({ request }) => request.messages[0]);
    for (const message of chairs) expect(message).toMatchObject({ text: "balanced\nbob: b\ncyd: c" });
    await on.engine.replay(on.id);
  });

  it("fails as a whole when a member's part throws: a bug is not a degradation", async () => {
    const ada = toyParticipant("ada", "member");
    const broken = toyProtocol(
      async ({ run }) => {
        await phase(
          run,
          { name: "draft", members: ["ada", "bob"] },
          async (id, part): Promise<PhaseResult<string>> => {
            if (id === "bob") throw new RangeError("a bug");
            await ask(part);
            return { in: true, value: id };
          },
        );
        return nothingToSay;
      },
      { name: "toy-council" },
    );
    const ask = (run: StepRunner) =>
      run.call(
        { key: "draft/ada", outcomes: ["answer-given", "degradation-noted"], request: toyRequest(ada, "?") },
        answerOf(ada.id),
      );
    const on = stage({ protocols: [broken], script: { ada: { hang: true } } });
    const { opened } = await on.engine.open("r1", toyAsked("toy-council"));
    await expect(on.drive(opened.deliberation)).rejects.toThrow("a bug");
    await on.clock.advance(10);
    expect(on.models.calls.map(({ outcome }) => outcome)).toEqual(["aborted"]);
  });

  it("is nothing without members, and its roster says so", async () => {
    const empty = toyProtocol(
      async ({ run }) => {
        const heard = await phase(run, { name: "draft", members: [] }, () =>
          Promise.reject(new Error("nobody")),
        );
        return { outcome: "failed", why: JSON.stringify(heard) };
      },
      { name: "toy-council" },
    );
    const on = stage({ protocols: [empty] });
    const { opened } = await on.engine.open("r1", toyAsked("toy-council"));
    expect(await on.drive(opened.deliberation)).toMatchObject({
      closing: { data: { why: '{"in":[],"out":[]}' } },
    });
  });
});
