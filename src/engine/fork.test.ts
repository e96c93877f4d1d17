import { describe, expect, it } from "vitest";
import { callOf, Opening, OrganizationId, type DeliberationId } from "../kernel/index.ts";
import { council } from "../../test/support/toys/council.ts";
import { nothingToSay, toyAsked, toyProtocol } from "../testing/kit.ts";
import { stage } from "../testing/stage.ts";
import { thrifty } from "../../test/support/toys/thrifty.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { textDigest, type ForkChanges } from "./index.ts";

// DESIGN section 3, point 14; DRIVE-4 of drive.ts.

const alone = new AbortController().signal;
const settings = { quorum: 2, patienceMs: 1_000 };
const script = {
  ada: () => "a",
  bob: () => "b",
  cyd: () => ({ hang: true }) as const,
  eve: () => ({ text: "e", latencyMs: 10 }),
  chair: ({ messages }: { messages: readonly unknown[] }) => JSON.stringify(messages),
};

async function parent(lines: Parameters<typeof stage>[0]["script"] = script) {
  const on = stage({ protocols: [council, thrifty], script: lines ?? {} });
  const { opened } = await on.engine.open("r1", toyAsked("toy-council", { settings }));
  await on.drive(opened.deliberation);
  let forks = 0;
  const fork = async (changes: ForkChanges, from = opened.deliberation) => {
    const { opened: forked } = await on.engine.fork(from, { request: `f${(forks += 1)}`, changes });
    const before = on.models.count();
    await on.drive(forked.deliberation);
    return {
      id: forked.deliberation,
      opening: forked.data,
      calls: on.models.calls.slice(before).map(({ name }) => name),
    };
  };
  const withEve = async (id: string) => {
    await on.store.for(LOCAL).putTexts(new Map([[textDigest("be eve"), "be eve"]]));
    const persona = { name: "eve", instructions: textDigest("be eve") };
    return Opening.shape.participants.parse(
      opened.data.participants.map((one) => (one.id === id ? { ...one, model: "sim/eve", persona } : one)),
    );
  };
  return { ...on, id: opened.deliberation, opening: opened.data, fork, withEve };
}

const costOf = async (on: Awaited<ReturnType<typeof parent>>, id: DeliberationId) =>
  (await on.store.for(LOCAL).read(id)).filter((entry) => entry.origin.by !== "adopted" && callOf(entry))
    .length;

describe("a fork", () => {
  it("with another strategy makes one call, and adopts everything else, the straggler's roster included", async () => {
    const on = await parent();
    const fork = await on.fork({ settings: { ...settings, strategy: "bold" } });
    expect(fork.calls).toEqual(["chair"]);
    expect(await on.lines(fork.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "answer-given < adopted: protocol/draft/ada",
        "answer-given < adopted: protocol/draft/bob",
        "roster-fixed < adopted: protocol/draft/roster",
        "synthesis-given < protocol/synthesis",
        "deliberation-closed < close",
      ]
    `);
    expect(await costOf(on, fork.id)).toBe(1);
    expect(fork.opening.seed).toBe(on.opening.seed);
    await on.engine.replay(fork.id);
  });

  it("keeps data and causality of what it adopts, under new ids and its own origin", async () => {
    const on = await parent();
    const fork = await on.fork({});
    expect(fork.calls).toEqual([]);
    const [old, now] = [await on.store.for(LOCAL).read(on.id), await on.store.for(LOCAL).read(fork.id)];
    const steps = (entries: typeof old) =>
      entries.flatMap(({ type, data, origin }) =>
        origin.by === "protocol" || origin.by === "adopted"
          ? [{ step: origin.step, type, data, after: origin.after }]
          : [],
      );
    const byStep = (a: { step: string }, b: { step: string }) => (a.step < b.step ? -1 : 1);
    expect(steps(now).sort(byStep)).toEqual(steps(old).sort(byStep));
    expect(now.every(({ id }) => id.startsWith(`${fork.id}/`))).toBe(true);
    expect(now.filter(({ origin }) => origin.by === "adopted")).toHaveLength(4);
  });

  it("with another straggler keeps the parent's roster, and asks nobody", async () => {
    const on = await parent();
    expect((await on.fork({ participants: await on.withEve("cyd") })).calls).toEqual([]);
  });

  it("whose drafts changed makes its roster anew, and so does its own fork adopt that", async () => {
    const on = await parent();
    const fork = await on.fork({ participants: await on.withEve("ada") });
    expect(fork.calls).toEqual(["eve", "cyd", "chair"]);
    expect(await on.lines(fork.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "answer-given < adopted: protocol/draft/bob",
        "answer-given < protocol/draft/ada",
        "roster-fixed < protocol/draft/roster",
        "synthesis-given < protocol/synthesis",
        "deliberation-closed < close",
      ]
    `);
    const again = await on.fork({ settings: { ...settings, strategy: "bold" } }, fork.id);
    expect(again.calls).toEqual(["chair"]);
    await on.engine.replay(again.id);
  });

  it("without a member asks only the chair", async () => {
    const on = await parent();
    const participants = on.opening.participants.filter(({ id }) => id !== "bob");
    // One of two left: the quorum is never reached, so the straggler has to end by itself.
    const fork = await on.fork({ participants, settings: { quorum: 1, patienceMs: 100 } });
    expect(fork.calls).toEqual(["cyd", "chair"]);
  });

  it("adopts only up to the seq that it names", async () => {
    const on = await parent();
    const { opened } = await on.engine.open("r2", {
      ...toyAsked("toy-council", { settings }),
      parent: { id: on.id, upToSeq: 2 },
    });
    const before = on.models.count();
    await on.drive(opened.deliberation);
    expect(on.models.calls.slice(before).map(({ name }) => name)).toEqual(["bob", "cyd", "chair"]);
    expect((await on.lines(opened.deliberation))[1]).toBe("answer-given < adopted: protocol/draft/ada");
  });

  it("of another organization's deliberation finds nothing there", async () => {
    const on = await parent();
    const organization = OrganizationId.parse("thief");
    const { opened } = await on.engine.open("r2", {
      ...toyAsked("toy-council", { settings, organization }),
      parent: { id: on.id, upToSeq: 5 },
    });
    await expect(on.drive(opened.deliberation)).rejects.toMatchObject({ code: "deliberation-missing" });
    expect(await on.lines(opened.deliberation)).toEqual(["deliberation-opened < open"]);
  });

  it("stands beside its parent's series, and one request forks once", async () => {
    const on = stage({ protocols: [toyProtocol(() => Promise.resolve(nothingToSay))] });
    // A brand that the test writes out.
    const { opened } = await on.engine.open("r1", { ...toyAsked("toy"), series: { id: "s", index: 0 } });
    const [one, two] = await Promise.all(
      [1, 2].map(() => on.engine.fork(opened.deliberation, { request: "f", changes: {} })),
    );
    expect(one?.opened).toEqual(two?.opened);
    expect(one?.opened.data).not.toHaveProperty("series");
    expect(one?.opened.data.parent).toEqual({ id: opened.deliberation, upToSeq: 1 });
  });

  it("DRIVE-4: with a larger budget asks who was cut, and with the same one does not", async () => {
    const on = await parent({ ...script, cyd: () => "c" });
    const { opened } = await on.engine.open("r2", toyAsked("toy-thrifty", { budget: { calls: 2 } }));
    expect(await on.drive(opened.deliberation)).toMatchObject({
      closing: { data: { outcome: "answered-degraded" } },
    });
    expect(await on.lines(opened.deliberation)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "roster-fixed < protocol/draft/admitted",
        "answer-given < protocol/draft/ada",
        "roster-fixed < protocol/draft/roster",
        "answer-given < protocol/chair",
        "degradation-noted < protocol/clerk",
        "deliberation-closed < close",
      ]
    `);
    expect((await on.fork({}, opened.deliberation)).calls).toEqual([]);
    const richer = await on.fork({ budget: { calls: 20 } }, opened.deliberation);
    expect(richer.calls).toEqual(["bob", "cyd", "chair", "chair"]);
    expect(await on.lines(richer.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "roster-fixed < protocol/draft/admitted",
        "answer-given < adopted: protocol/draft/ada",
        "answer-given < protocol/draft/bob",
        "answer-given < protocol/draft/cyd",
        "roster-fixed < protocol/draft/roster",
        "answer-given < protocol/chair",
        "answer-given < protocol/clerk",
        "deliberation-closed < close",
      ]
    `);
  });

  it("DRIVE-4: with a larger budget makes the roster anew from which a member was cut in the middle", async () => {
    const on = await parent({ ...script, cyd: () => "c" });
    const { opened } = await on.engine.open(
      "r2",
      toyAsked("toy-council", { settings: {}, budget: { calls: 2 } }),
    );
    await on.drive(opened.deliberation);
    const fork = await on.fork({ budget: { calls: 20 } }, opened.deliberation);
    expect(fork.calls).toEqual(["cyd", "chair"]);
  });

  const codes = ["network", "rate-limited", "overloaded", "unauthorised", "out-of-credit"] as const;
  it.each(codes)("that asks outages asks anew whom %s failed, and adopts the others", async (fail) => {
    const on = await parent({
      ...script,
      bob: (_request, nth) => (nth === 1 ? { fail } : "b"),
      cyd: () => "c",
    });
    const { opened } = await on.engine.fork(on.id, { request: "f", changes: {}, asksOutages: true });
    const before = on.models.count();
    await on.drive(opened.deliberation);
    expect(on.models.calls.slice(before).map(({ name }) => name)).toEqual(["bob", "chair"]);
    expect(await on.lines(opened.deliberation)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "answer-given < adopted: protocol/draft/ada",
        "answer-given < adopted: protocol/draft/cyd",
        "answer-given < protocol/draft/bob",
        "roster-fixed < protocol/draft/roster",
        "synthesis-given < protocol/synthesis",
        "deliberation-closed < close",
      ]
    `);
    await on.engine.replay(opened.deliberation);
    // A fork that measures, and one of an earlier version, takes over what failed, too.
    expect((await on.fork({})).calls).toEqual([]);
  });

  it.each(["refused", "context-too-long", "timed-out", "unreadable"] as const)(
    "that asks outages adopts what failed as %s, for it would fail so again",
    async (fail) => {
      const on = await parent({ ...script, bob: () => ({ fail }), cyd: () => "c" });
      const { opened } = await on.engine.fork(on.id, { request: "f", changes: {}, asksOutages: true });
      const before = on.models.count();
      await on.drive(opened.deliberation);
      expect(on.models.count()).toBe(before);
    },
  );

  it("goes on after a crash as it would have: adopted and made steps are not mixed up", async () => {
    const on = await parent();
    const participants = await on.withEve("ada");
    const { opened } = await on.engine.fork(on.id, { request: "f", changes: { participants } });
    const doomed = on.start({ at: "append", nth: 2, when: "after" }); // bob adopted, eve recorded
    await on.clock.settle(
      Promise.race([doomed.died, doomed.engine.drive(opened.deliberation, { signal: alone })]),
    );
    await on.drive(opened.deliberation);
    expect(await on.lines(opened.deliberation)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "answer-given < adopted: protocol/draft/bob",
        "answer-given < protocol/draft/ada",
        "roster-fixed < protocol/draft/roster",
        "synthesis-given < protocol/synthesis",
        "deliberation-closed < close",
      ]
    `);
  });
});
