import { describe, expect, it } from "vitest";
import { Fault, isEvent } from "../kernel/index.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { alone, listener, staged } from "../../test/support/reactions.ts";

describe("a reaction", () => {
  it("tries a reaction with a bug in it again, with growing pauses, then notes it and goes on", async () => {
    const tries: number[] = [];
    const buggy = listener("buggy", (event) => {
      if (event.data.topic !== "bad") return Promise.resolve(void tries.push(-1));
      tries.push(on.clock.now() - startedAt);
      return Promise.reject(new RangeError("a bug"));
    });
    await using on = staged({ reactors: [buggy] });
    on.worker("w1");
    await on.clock.advance(10);
    const id = await on.open("r1");
    const startedAt = on.clock.now();
    await on.note(id, "bad");
    await on.note(id, "good");
    await on.drive(id); // nobody's answer waits for it
    await on.clock.advance(60_000);
    expect(tries).toEqual([0, 1_000, 3_000, 7_000, 15_000, -1]);
    const noted = (await on.store.for(LOCAL).read(id)).filter(({ origin }) => origin.by === "reactor");
    expect(noted.map((entry) => isEvent(entry, "reaction-failed") && entry.data)).toEqual([
      { code: "reaction-failed", why: "a bug", detail: { event: `${id}/client/bad#0`, tries: 5 } },
    ]);
    expect(await on.store.cursor("buggy")).toBe(await on.store.end());
  });

  it.each([
    new Fault("template-missing", { template: "t" }),
    new Fault("invalid-request", { problem: "no such thing" }),
    new Fault("event-too-large", { type: "t", bytes: 5_000_000 }),
    new Fault("step-ended-wrong", { key: "k", type: "t" }),
  ])("does not try again what cannot succeed: %s", async (fault) => {
    let tries = 0;
    await using on = staged({ reactors: [listener("broken", () => ((tries += 1), Promise.reject(fault)))] });
    on.worker("w1");
    await on.clock.advance(10);
    const id = await on.open("r1");
    await on.note(id, "one");
    await on.clock.advance(60_000);
    const noted = (await on.store.for(LOCAL).read(id)).filter(({ type }) => type === "reaction-failed");
    expect([tries, noted.map((entry) => isEvent(entry, "reaction-failed") && entry.data.detail)]).toEqual([
      1,
      [{ event: `${id}/client/one#0`, tries: 1 }],
    ]);
  });

  it("REACT-10: leaves what an earlier build recorded as it is, and answers what is new", async () => {
    let build = 1;
    const changing = listener("changing", async (event, { run }) => {
      const input = { build, topic: event.data.topic };
      await run.derive({ key: "say", outcomes: ["grade-given"], work: { kind: "grade" }, input }, () => ({
        type: "grade-given",
        data: { of: event.id, score: 3, feedback: "fine", rubric: "toy" },
      }));
    });
    await using on = staged({ reactors: [changing] });
    const id = await on.open("r1");
    const drained = async () => {
      await on.clock.settle(on.engine.drain(id, { worker: "w1", signal: alone }));
      const own = (await on.store.for(LOCAL).read(id)).filter(({ origin }) => origin.by === "reactor");
      return own.map(({ type, origin }) => [type, origin.by === "reactor" && origin.event]);
    };
    await on.note(id, "old");
    await drained();
    build = 2;
    const from = on.clock.now();
    await on.note(id, "new");
    expect(await drained()).toEqual([
      ["grade-given", `${id}/client/old#0`],
      ["grade-given", `${id}/client/new#0`],
    ]);
    expect(on.clock.now() - from).toBeLessThan(1_000);
  });
});
