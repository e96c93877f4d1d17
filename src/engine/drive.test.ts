import { alterStore } from "../../test/support/altered-store.ts";
import { describe, expect, it } from "vitest";
import { OrganizationId, SeriesId, type Entry, type NewEvent, type Origin } from "../kernel/index.ts";
import { council } from "../../test/support/toys/council.ts";
import { answerOf, nothingToSay, toyAsked, toyParticipant, toyProtocol, toyRequest } from "../testing/kit.ts";
import { memoryStore } from "../testing/memory-store.ts";
import { stage, type StageOptions } from "../testing/stage.ts";
import { waiting } from "../../test/support/toys/waiting.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { defineProtocol, fenceMark, phase, type StepRunner } from "./index.ts";

// DESIGN section 3, points 5, 6, 11, 12; DRIVE-1 to DRIVE-4 of drive.ts.

const ada = toyParticipant("ada", "member");
const ask = (run: StepRunner, key: string, text = key) =>
  run.call(
    { key, outcomes: ["answer-given", "degradation-noted"], request: toyRequest(ada, text) },
    answerOf(ada.id),
  );
const alone = new AbortController().signal;
const FOLLOW_MS = 200;

async function opened(options: StageOptions, protocol = "toy") {
  const on = stage(options);
  const { opened } = await on.engine.open("r1", toyAsked(protocol));
  const id = opened.deliberation;
  const say = (request: string, text = "so") => {
    const said: NewEvent = { type: "clarification-answered", data: { answers: [{ id: "q1", text }] } };
    return on.store.for(LOCAL).append(id, [said], { by: "client", request });
  };
  return { ...on, id, say };
}

describe("closing (point 5)", () => {
  it("DRIVE-1: is one, whoever recorded it: two drivers and a cancelling client agree", async () => {
    const on = await opened(
      { protocols: [council], script: { ada: () => "a", bob: () => "b", cyd: () => "c", chair: () => "d" } },
      "toy-council",
    );
    const [one, two, cancelled] = await Promise.all([
      on.drive(on.id),
      on.drive(on.id, on.start().engine),
      on.engine.cancel(on.id, "enough"),
    ]);
    expect(cancelled).toBe(true);
    for (const driven of [one, two]) {
      expect(driven).toMatchObject({
        status: "closed",
        closing: { data: { outcome: "cancelled", why: "enough" } },
      });
    }
    expect(await on.engine.cancel(on.id, "again")).toBe(false);
    expect((await on.lines(on.id)).filter((line) => line.endsWith("< close"))).toHaveLength(1);
  });

  it("stops a driver of another process within its follow interval, and aborts its calls", async () => {
    const on = await opened({
      protocols: [toyProtocol(async ({ run }) => (await ask(run, "a"), nothingToSay))],
      script: { ada: { hang: true } },
    });
    let ended = 0;
    const driving = on.engine
      .drive(on.id, { signal: alone })
      .then((driven) => ((ended = on.clock.now()), driven));
    await on.clock.advance(1_010);
    const cancelledAt = on.clock.now();
    await on.start().engine.cancel(on.id, "enough");
    expect(await on.clock.settle(driving)).toMatchObject({
      status: "closed",
      closing: { data: { outcome: "cancelled" } },
    });
    expect(ended - cancelledAt).toBeLessThanOrEqual(FOLLOW_MS);
    expect(on.models.calls.map(({ outcome }) => outcome)).toEqual(["aborted"]);
  });

  it("DRIVE-3: is not done by an interruption, and the next driver goes on", async () => {
    const on = await opened(
      {
        protocols: [council],
        script: {
          ada: () => "a",
          bob: () => "b",
          cyd: (_, nth) => (nth === 1 ? { hang: true } : "c"),
          chair: () => "d",
        },
      },
      "toy-council",
    );
    const stop = new AbortController();
    const driving = on.engine.drive(on.id, { signal: stop.signal });
    await on.clock.advance(50);
    stop.abort();
    expect(await driving).toEqual({ status: "interrupted" });
    expect(await on.lines(on.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "answer-given < protocol/draft/ada",
        "answer-given < protocol/draft/bob",
      ]
    `);
    expect(await on.drive(on.id)).toMatchObject({ status: "closed" });
    expect(on.models.calls.map(({ name }) => name)).toEqual(["ada", "bob", "cyd", "cyd", "chair"]);
  });

  it("DRIVE-3: is not done by an interruption that the protocol took for a failure", async () => {
    const stubborn = toyProtocol(async ({ run }) => {
      await ask(run, "a").catch(() => undefined);
      return { outcome: "failed", why: "nobody answered" };
    });
    const on = await opened({ protocols: [stubborn], script: { ada: { hang: true } } });
    const stop = new AbortController();
    const driving = on.engine.drive(on.id, { signal: stop.signal });
    await on.clock.advance(50);
    stop.abort();
    expect(await driving).toEqual({ status: "interrupted" });
    expect(await on.lines(on.id)).toEqual(["deliberation-opened < open"]);
  });

  it("DRIVE-3: is not done by a signal that was aborted before the drive", async () => {
    const on = await opened({
      protocols: [toyProtocol(async ({ run }) => (await run.awaits("word"), nothingToSay))],
    });
    expect(await on.clock.settle(on.engine.drive(on.id, { signal: AbortSignal.abort() }))).toEqual({
      status: "interrupted",
    });
  });

  it("refuses steps afterwards, and takes reactions and a person's feedback", async () => {
    const on = await opened({ protocols: [toyProtocol(() => Promise.resolve(nothingToSay))] });
    await on.drive(on.id);
    const note: NewEvent = { type: "note-taken", data: { topic: "t", reason: "r", body: null } };
    const feedback: NewEvent = { type: "feedback-given", data: { thumb: "up" } };
    const { engine } = on;
    const [closing] = (await on.store.for(LOCAL).read(on.id)).slice(-1);
    const step = { step: "s", digest: "0".repeat(64), after: [] };
    // Brands of ids that the test writes out.
    const protocol = { by: "protocol", ...step } as unknown as Origin;
    const reactor = { by: "reactor", reactor: "critic", event: closing?.id, ...step } as unknown as Origin;
    expect(await on.store.for(LOCAL).append(on.id, [note], protocol)).toEqual({
      ok: false,
      reason: "closed",
    });
    expect(await on.store.for(LOCAL).append(on.id, [feedback], protocol)).toEqual({
      ok: false,
      reason: "closed",
    });
    expect(await on.store.for(LOCAL).append(on.id, [note], { by: "client", request: "late" })).toEqual({
      ok: false,
      reason: "closed",
    });
    expect(await on.store.for(LOCAL).append(on.id, [note], reactor)).toMatchObject({ ok: true, fresh: true });
    expect(
      await on.store.for(LOCAL).append(on.id, [feedback], { by: "client", request: "thumb" }),
    ).toMatchObject({ ok: true, fresh: true });
    expect(await engine.drive(on.id, { signal: alone })).toMatchObject({ status: "closed" });
  });

  it("shows every entry once to who listens, the past included", async () => {
    const on = await opened(
      { protocols: [council], script: { ada: () => "a", bob: () => "b", cyd: () => "c", chair: () => "d" } },
      "toy-council",
    );
    const heard: Entry[] = [];
    await on.clock.settle(on.engine.drive(on.id, { signal: alone, onEntry: (entry) => heard.push(entry) }));
    expect(heard).toEqual(await on.store.for(LOCAL).read(on.id));
  });
});

describe("a series (point 6)", () => {
  const place = (organization: string, index = 0) => ({
    ...toyAsked("toy", { organization: OrganizationId.parse(organization) }),
    series: { id: SeriesId.parse("talk"), index },
  });

  it("has one deliberation at each place, whichever rival opens it", async () => {
    const { engine, store } = stage({ protocols: [toyProtocol(() => Promise.resolve(nothingToSay))] });
    const [one, two] = await Promise.all([
      engine.open("r1", place("local")),
      engine.open("r2", place("local")),
    ]);
    expect(one.fresh).toBe(!two.fresh);
    expect(one.opened.id).toBe(two.opened.id);
    await engine.open("r3", place("local", 1));
    const listed = await store.for(LOCAL).list({ series: place("local").series.id, limit: 9 });
    expect(listed).toHaveLength(2);
  });

  it("belongs to its organization: another one's of the same name is another", async () => {
    const { engine } = stage({ protocols: [toyProtocol(() => Promise.resolve(nothingToSay))] });
    const one = await engine.open("r1", place("acme"));
    const two = await engine.open("r1", place("rivals"));
    expect(two).toMatchObject({ fresh: true, opened: { data: { organization: "rivals" } } });
    expect(two.opened.deliberation).not.toBe(one.opened.deliberation);
  });
});

describe("waiting for a client (point 11)", () => {
  const script = {
    ada: (request: { messages: unknown }) => `ada: ${JSON.stringify(request.messages)}`,
    bob: () => ({ text: "b", latencyMs: 3_000 }),
  };

  it("ends the drive when nothing else is left to do, and another process goes on days later", async () => {
    const on = await opened({ protocols: [waiting], script }, "toy-waiting");
    const startedAt = on.clock.now();
    expect(await on.drive(on.id)).toEqual({ status: "waiting", requests: ["clarification"] });
    expect(on.clock.now() - startedAt).toBe(3_000);
    expect(await on.lines(on.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "clarification-asked < protocol/clarify",
        "answer-given < protocol/aside",
      ]
    `);
    await on.clock.advance(3 * 86_400_000);
    await on.say("clarification");
    const later = stage({ protocols: [waiting], script, store: () => on.store });
    expect(await later.drive(on.id)).toMatchObject({ status: "closed" });
    expect(later.models.count()).toBe(1);
  });

  it("goes on with an answer that comes while it is driving", async () => {
    const on = await opened({ protocols: [waiting], script }, "toy-waiting");
    const driving = on.engine.drive(on.id, { signal: alone });
    await on.clock.advance(1_000);
    await on.say("clarification");
    expect(await on.clock.settle(driving)).toMatchObject({ status: "closed" });
    expect(on.models.count()).toBe(3);
  });

  it("is not what a drive reports that is closing while somebody's word is still wanted", async () => {
    const slow = memoryStore();
    const lazy = alterStore(slow, (part) => ({
      async append(...args) {
        for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        return part.append(...args);
      },
    }));
    const impatient = toyProtocol(async ({ run }) => {
      await Promise.race([run.awaits("word"), ask(run, "a")]);
      return nothingToSay;
    });
    const on = await opened({ protocols: [impatient], script: { ada: "!" }, store: () => lazy });
    expect(await on.drive(on.id)).toMatchObject({ status: "closed" });
  });

  it("works inside a phase: a person can be a member", async () => {
    const withPerson = toyProtocol(async ({ run }) => {
      const heard = await phase<string>(
        run,
        { name: "draft", members: ["ada", "person"] },
        async (id, part) => {
          if (id === "person") return { in: true, value: (await part.awaits("word")).id };
          await ask(part, "draft/ada");
          return { in: true, value: "ada's" };
        },
      );
      return { outcome: "failed", why: heard.in.map(({ id, value }) => `${id} ${value}`).join() };
    });
    const on = await opened({ protocols: [withPerson], script: { ada: "!" } });
    expect(await on.drive(on.id)).toEqual({ status: "waiting", requests: ["word"] });
    await on.say("word");
    expect(await on.drive(on.id)).toMatchObject({
      closing: { data: { why: `ada ada's,person ${on.id}/client/word#0` } },
    });
    await on.engine.replay(on.id);
    const { opened: forked } = await on.engine.fork(on.id, { request: "f", changes: {} });
    await on.drive(forked.deliberation);
    expect((await on.lines(forked.deliberation)).slice(1, -1).sort()).toMatchInlineSnapshot(`
      [
        "answer-given < adopted: protocol/draft/ada",
        "clarification-answered < client/word",
        "roster-fixed < adopted: protocol/draft/roster",
      ]
    `);
    on.models.done();
  });

  it("is over when a phase went on without the person", async () => {
    const withPerson = toyProtocol(async ({ run }) => {
      await phase<string>(
        run,
        { name: "draft", members: ["ada", "person"], quorum: 1, patienceMs: 1_000 },
        async (id, part) => {
          if (id === "person") await part.awaits("word");
          else await ask(part, "draft/ada");
          return { in: true, value: id };
        },
      );
      await ask(run, "after");
      return nothingToSay;
    });
    const on = await opened({
      protocols: [withPerson],
      script: { ada: ["!", { text: "?", latencyMs: 500 }] },
    });
    expect(await on.drive(on.id)).toMatchObject({ status: "closed" });
    expect(await on.lines(on.id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "answer-given < protocol/draft/ada",
        "roster-fixed < protocol/draft/roster",
        "answer-given < protocol/after",
        "deliberation-closed < close",
      ]
    `);
  });
});

describe("what an opening pins (point 12)", () => {
  const pinned = defineProtocol({
    ...council,
    templates: [{ name: "ask", slots: [], text: "" }],
    async deliberate({ template, instructions, seats, context, question }) {
      const [first] = seats("member");
      const why = [template("ask"), first ? instructions(first) : "", context[0]?.text, question].join("|");
      return Promise.resolve({ outcome: "failed", why });
    },
  });
  const asked = (ask: string) =>
    toyAsked("toy-council", { templates: { ask }, context: [{ name: "file", text: `${ask} \ud800` }] });

  it("is what every driver uses, whatever the files say by then", async () => {
    const on = stage({ protocols: [pinned] });
    const { opened } = await on.engine.open("r1", asked("old"));
    expect(await on.engine.open("r1", asked("new"))).toEqual({
      fresh: false,
      differing: ["context", "templates"],
      opened,
    });
    expect(await on.drive(opened.deliberation)).toMatchObject({
      closing: { data: { why: "old|be ada|old \ufffd|why?" } },
    });
  });

  it("names a protocol version that is no longer shipped, and points at fork", async () => {
    const on = stage({ protocols: [toyProtocol(() => Promise.resolve(nothingToSay), { version: 2 })] });
    const before = stage({
      protocols: [toyProtocol(() => Promise.resolve(nothingToSay))],
      store: () => on.store,
    });
    const { opened } = await before.engine.open("r1", toyAsked("toy"));
    const id = opened.deliberation;
    const refused = on.drive(id);
    await expect(refused).rejects.toMatchObject({ code: "protocol-unknown" });
    await expect(refused).rejects.toThrow(/no protocol toy@1 \(it has toy@2\).*fork/);
    const changes = { protocol: { name: "toy", version: 2 } };
    const { opened: forked } = await on.engine.fork(id, { request: "f", changes });
    expect(await on.drive(forked.deliberation)).toMatchObject({ status: "closed" });
  });

  it("fences each text with a mark of its own, the same one every time", async () => {
    const seen: string[] = [];
    const on = await opened({
      protocols: [
        toyProtocol(({ mark }) => {
          seen.push(...["one", "two", "one", "two"].map(mark));
          return Promise.resolve(nothingToSay);
        }),
      ],
    });
    await on.drive(on.id);
    const marks = ["one", "two"].map((text) => fenceMark(toyAsked("toy").seed, text));
    expect(seen).toEqual([...marks, ...marks]);
  });

  it("must be in the store, as must the deliberation", async () => {
    const on = await opened({
      protocols: [
        toyProtocol(({ template }) => Promise.resolve({ outcome: "failed", why: template("absent") })),
      ],
    });
    await expect(on.drive(on.id)).rejects.toMatchObject({ code: "template-missing" });
    const nowhere = on.id.replaceAll(/./g, "z");
    // A brand that the test writes out.
    await expect(on.drive(nowhere as typeof on.id)).rejects.toMatchObject({ code: "deliberation-missing" });
  });
});
