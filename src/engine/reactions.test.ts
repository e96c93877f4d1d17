import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Cursor, Fault, isEvent, type Entry, type Store, type StoredEvent } from "../kernel/index.ts";
import { memoryStore } from "../testing/memory-store.ts";
import { council } from "../../test/support/toys/council.ts";
import { critic } from "../../test/support/toys/critic.ts";
import { nothingToSay, toyProtocol } from "../testing/kit.ts";
import { stage } from "../testing/stage.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { alone, listener, script, staged } from "../../test/support/reactions.ts";
import { defineReactor, loadReactors, NOTHING_TO_SAY, type AnyReactor } from "./index.ts";

// DESIGN section 3, point 16; REACT-2, REACT-3, REACT-5.

describe("a worker of reactors", () => {
  it("reacts to each event once, with steps of its own", async () => {
    await using on = staged({ reactors: [critic] });
    on.worker("w1");
    await on.clock.advance(10);
    const id = await on.open("r1");
    await on.drive(id);
    await on.clock.advance(10);
    expect((await on.lines(id)).sort()).toMatchInlineSnapshot(`
      [
        "answer-given < protocol/draft/ada",
        "answer-given < protocol/draft/bob",
        "answer-given < protocol/draft/cyd",
        "deliberation-closed < close",
        "deliberation-opened < open",
        "grade-given < reactor/critic/9bgzcxpf86bt/protocol/draft/ada#0/grade",
        "grade-given < reactor/critic/9bgzcxpf86bt/protocol/draft/bob#0/grade",
        "grade-given < reactor/critic/9bgzcxpf86bt/protocol/draft/cyd#0/grade",
        "note-taken < reactor/critic/9bgzcxpf86bt/protocol/draft/ada#0/score",
        "note-taken < reactor/critic/9bgzcxpf86bt/protocol/draft/bob#0/score",
        "note-taken < reactor/critic/9bgzcxpf86bt/protocol/draft/cyd#0/score",
        "roster-fixed < protocol/draft/roster",
        "synthesis-given < protocol/synthesis",
      ]
    `);
    expect(on.models.count("judge")).toBe(6);
    await on.engine.drain(id, { worker: "w2", signal: alone }); // the worker has the lease
    expect(on.models.count("judge")).toBe(6);
  });

  it("starts at now, unless it is told to start at the beginning", async () => {
    const graded = async (backfill: boolean) => {
      await using on = staged({ reactors: [critic] });
      const old = await on.open("r1");
      await on.drive(old);
      on.worker("w1", { backfill });
      await on.clock.advance(10);
      const fresh = await on.open("r2");
      await on.drive(fresh);
      await on.clock.advance(10);
      return Promise.all(
        [old, fresh].map(
          async (id) =>
            (await on.store.for(LOCAL).read(id)).filter(({ type }) => type === "grade-given").length,
        ),
      );
    };
    expect(await graded(false)).toEqual([0, 3]);
    expect(await graded(true)).toEqual([3, 3]);
  });

  it("reacts in order within a deliberation, and sixteen at a time across them", async () => {
    const log: string[] = [];
    let most = 0;
    let atWork = 0;
    const slow = listener("slow", async (event, { run }) => {
      most = Math.max(most, (atWork += 1));
      log.push(`${event.deliberation} ${event.data.topic}`);
      await on.clock.sleep(1_000, run.signal);
      atWork -= 1;
    });
    await using on = staged({ reactors: [slow] });
    on.worker("w1");
    await on.clock.advance(10);
    const ids = await Promise.all(Array.from({ length: 40 }, (_, index) => on.open(`r${index}`)));
    for (const topic of ["one", "two", "three"]) for (const id of ids) await on.note(id, topic);
    await on.clock.advance(900);
    expect(log).toHaveLength(16);
    await on.clock.advance(60_000);
    expect(most).toBe(16);
    for (const id of ids)
      expect(log.filter((line) => line.startsWith(id)).map((line) => line.slice(13))).toEqual([
        "one",
        "two",
        "three",
      ]);
    expect(await on.store.cursor("slow")).toBe(await on.store.end());
  });

  it("lets no slow deliberation hold up the others", async () => {
    const done: string[] = [];
    const slow = listener("slow", async (event, { run }) => {
      if (event.data.topic === "stuck") await on.clock.sleep(1_000_000, run.signal);
      done.push(event.data.topic);
    });
    await using on = staged({ reactors: [slow] });
    on.worker("w1");
    await on.clock.advance(10);
    const stuck = await on.open("stuck");
    await on.note(stuck, "stuck");
    const other = await on.open("other");
    for (let n = 0; n < 200; n += 1) await on.note(other, `n${n}`);
    await on.clock.advance(10_000);
    expect(done).toHaveLength(200);
  });

  it("REACT-2: keeps its cursor below the lowest unfinished event, and begins there again", async () => {
    let stuck = true;
    const seen: string[] = [];
    const slow = listener("slow", async (event, { run }) => {
      seen.push(event.data.topic);
      if (stuck && event.data.topic === "first") await on.clock.sleep(1_000_000, run.signal);
    });
    await using on = staged({ reactors: [slow] });
    const worker = on.worker("w1");
    await on.clock.advance(10);
    const [one, two] = [await on.open("r1"), await on.open("r2")];
    await on.note(one, "first");
    await on.note(two, "second");
    await on.clock.advance(10);
    const first = (await on.store.for(LOCAL).read(one)).at(-1);
    expect([seen, await on.store.cursor("slow")]).toEqual([["first", "second"], (first?.cursor ?? 0) - 1]);
    await worker.stop();
    expect(await on.store.cursor("slow")).toBe((first?.cursor ?? 0) - 1);
    stuck = false;
    on.worker("w2");
    await on.clock.advance(10);
    expect(seen).toEqual(["first", "second", "first", "second"]);
    expect(await on.store.cursor("slow")).toBe(await on.store.end());
  });

  it("REACT-2: does not take a call that was cancelled by somebody else for a finished reaction", async () => {
    await using on = staged({
      reactors: [critic],
      script: { ...script, judge: (_, nth) => (nth === 1 ? { fail: "cancelled" } : "fine") },
    });
    on.worker("w1");
    await on.clock.advance(10);
    const id = await on.open("r1");
    await on.drive(id);
    await on.clock.advance(10_000);
    expect((await on.store.for(LOCAL).read(id)).filter(({ type }) => type === "grade-given")).toHaveLength(3);
  });

  it("REACT-2: advances in order over a store that answers in any", async () => {
    const store = memoryStore();
    let slowOnes = 0;
    const reordering: Store = {
      ...store,
      async advance(...args) {
        if ((slowOnes += 1) % 2 === 0)
          for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        return store.advance(...args);
      },
    };
    let begun = 0;
    const quick = listener("quick", () => Promise.resolve(void (begun += 1)));
    await using on = staged({ reactors: [quick], store: () => reordering });
    on.worker("w1");
    await on.clock.advance(10);
    const ids = await Promise.all(Array.from({ length: 10 }, (_, index) => on.open(`r${index}`)));
    await Promise.all(ids.map((id) => on.note(id, "n")));
    for (let turn = 0; turn < 100; turn += 1) await on.clock.advance(1);
    expect(begun).toBe(10);
    expect(await on.store.cursor("quick")).toBe(await on.store.end());
  });

  it("REACT-3: is one at a time, and a dead one's heir takes over when the lease runs out", async () => {
    await using on = staged({ reactors: [critic] });
    const first = on.start();
    on.worker("w1", { engine: first.engine });
    await on.clock.advance(10);
    const second = on.start();
    on.worker("w2", { engine: second.engine });
    const id = await on.open("r1");
    await on.drive(id);
    await on.clock.advance(60_000);
    expect([first.begun("call"), second.begun("call")]).toEqual([6, 0]);
    first.kill();
    const other = await on.open("r2");
    await on.drive(other);
    expect(second.begun("call")).toBe(0);
    await on.clock.advance(20_000);
    expect(second.begun("call")).toBe(6);
  });

  it("REACT-3: stops when its lease is taken from it", async () => {
    const seen: string[] = [];
    const quick = listener("quick", (event) => Promise.resolve(void seen.push(event.data.topic)));
    await using on = staged({ reactors: [quick] });
    on.worker("w1");
    await on.clock.advance(10);
    await on.store.release("reactor/quick", "w1");
    expect(await on.store.lease("reactor/quick", "thief", 3_600_000)).toBe(true);
    await on.clock.advance(6_000);
    await on.note(await on.open("r1"), "late");
    await on.clock.advance(6_000);
    expect(seen).toEqual([]);
  });

  it("REACT-5: adopted events trigger nothing", async () => {
    await using on = staged({ reactors: [critic] });
    const id = await on.open("r1");
    await on.drive(id);
    on.worker("w1");
    await on.clock.advance(10);
    const { opened } = await on.engine.fork(id, {
      request: "f",
      changes: { settings: { strategy: "bold" } },
    });
    await on.drive(opened.deliberation);
    await on.clock.advance(10);
    expect(on.models.count("judge")).toBe(0);
  });

  it("REACT-5: failures of two reactors to notes do not feed each other for ever", async () => {
    let reactions = 0;
    const broken = (name: string) =>
      listener(name, () => ((reactions += 1), Promise.reject(new Error("broken"))));
    await using on = staged({ reactors: [broken("one"), broken("two")] });
    on.worker("w1");
    await on.clock.advance(10);
    await on.note(await on.open("r1"), "n");
    await on.clock.advance(600_000);
    expect(reactions).toBe(10);
  });

  it("REACT-5: a reactor that emits what it did not declare does not react to itself", async () => {
    let reactions = 0;
    const secretive = listener("secretive", async (event, { run }) => {
      reactions += 1;
      await run.derive({ key: "again", outcomes: ["note-taken"], input: event.id }, () => ({
        type: "note-taken",
        data: { topic: "again", reason: "test", body: null },
      }));
    });
    await using on = staged({ reactors: [secretive] });
    on.worker("w1");
    await on.clock.advance(10);
    await on.note(await on.open("r1"), "n");
    await on.clock.advance(60_000);
    expect(reactions).toBe(1);
  });

  it("an event that a reactor has nothing to say to is answered, and told to nobody", async () => {
    const heard: string[] = [];
    const silent = (name: string) =>
      listener(name, (event) => {
        heard.push(`${name} ${event.data.topic}`);
        return Promise.resolve(NOTHING_TO_SAY);
      });
    await using on = staged({ reactors: [silent("one"), silent("two")] });
    const id = await on.open("r1");
    await on.note(id, "good");
    await on.engine.drain(id, { worker: "w", signal: alone });
    await on.engine.drain(id, { worker: "w", signal: alone });
    const notes = (await on.store.for(LOCAL).read(id)).flatMap((entry) =>
      isEvent(entry, "note-taken") && entry.origin.by === "reactor" ? [entry.data] : [],
    );
    expect(notes).toEqual(
      ["one", "two"].map(() => ({
        topic: "nothing-to-say",
        reason: "the reactor had nothing to say",
        body: { event: `${id}/client/good#0` },
      })),
    );
    expect([...new Set(heard)].sort()).toEqual(["one good", "two good"]);
  });

  it("answers the events that its pinned settings choose", async () => {
    const chosen = defineReactor({
      name: "chooser",
      on: ["note-taken"],
      emits: ["grade-given"],
      settings: z.strictObject({ topic: z.string() }),
      shouldReact: ({ data }, _before, { topic }) => data.topic === topic,
      react: ({ data }) => (heard.push(data.topic), Promise.resolve()),
    });
    const heard: string[] = [];
    await using on = staged({ reactors: [chosen] });
    const id = await on.open("r1", { reactions: { chooser: { topic: "two" } } });
    for (const topic of ["one", "two", "three"]) await on.note(id, topic);
    await on.engine.drain(id, { worker: "w", signal: alone });
    expect(heard).toEqual(["two"]);
  });

  it("begins again at its cursor when the store was away, and brings nothing down", async () => {
    const unhandled: unknown[] = [];
    const noteUnhandled = (error: unknown) => unhandled.push(error);
    process.on("unhandledRejection", noteUnhandled);
    const store = memoryStore();
    let away = false;
    const gone = () => Promise.reject(new Fault("store-unavailable", { where: "memory", why: "test" }));
    const flaky: Store = {
      ...store,
      advance: (...args) => (away ? gone() : store.advance(...args)),
      lease: (...args) => (away ? gone() : store.lease(...args)),
    };
    const seen: string[] = [];
    const quick = listener("quick", (event) => Promise.resolve(void seen.push(event.data.topic)));
    await using on = staged({ reactors: [quick], store: () => flaky });
    on.worker("w1");
    await on.clock.advance(10);
    const id = await on.open("r1");
    away = true;
    await on.note(id, "while away");
    await on.clock.advance(30_000);
    away = false;
    await on.clock.advance(10_000);
    expect(seen.at(-1)).toBe("while away");
    expect(await on.store.cursor("quick")).toBe(await on.store.end());
    process.off("unhandledRejection", noteUnhandled);
    expect(unhandled).toEqual([]);
  });

  it("says so when a store cannot be read at all", async () => {
    const store = memoryStore();
    const newer: Store = {
      ...store,
      // eslint-disable-next-line require-yield -- it fails before it yields
      async *subscribe() {
        await Promise.resolve();
        throw new Fault("schema-newer", { what: "an event", found: 2, known: 1 });
      },
    };
    await using on = staged({ reactors: [critic], store: () => newer });
    const worker = on.worker("w1");
    await on.clock.advance(10);
    await expect(worker.ended).rejects.toMatchObject({ code: "schema-newer" });
  });
});

describe("a deliberation that cannot be read", () => {
  it.each<[string, string, Partial<StoredEvent> | undefined]>([
    ["a newer schema", "answer-given", { schema: 99 }],
    ["broken JSON", "answer-given", { data: "{" }],
    ["a missing field", "deliberation-opened", { data: "{}" }],
    ["another place", "answer-given", { seq: 99 }],
    ["a missing event", "roster-fixed", undefined],
  ])("is passed over for %s in its %s, once, and all others are served", async (_, type, change) => {
    const rows: (StoredEvent | undefined)[] = [];
    const store = memoryStore(Date.now, rows);
    const other = listener("other", () => Promise.resolve(NOTHING_TO_SAY));
    await using on = staged({ reactors: [critic, other], store: () => store });
    const ids = [await on.open("r1"), await on.open("r2"), await on.open("r3")];
    const [, damaged] = ids;
    for (const id of ids) await on.drive(id);
    const place = rows.findIndex((row) => row?.deliberation === damaged && row?.type === type);
    const row = rows[place];
    rows[place] = row && change && { ...row, ...change };
    const told: string[] = [];
    const stop = new AbortController();
    const ended = on.engine.react({
      ...{ worker: "w1", signal: stop.signal, backfill: true },
      onUnreadable: (id, { code, message }) => void told.push(`${id} ${code} ${message.includes(id)}`),
    });
    await on.clock.advance(60_000);
    const fresh = await on.open("r4");
    await on.drive(fresh);
    await on.clock.advance(10);
    for (const id of [...ids, fresh].filter((one) => one !== damaged))
      expect((await store.for(LOCAL).read(id)).filter(({ type: of }) => of === "grade-given")).toHaveLength(
        3,
      );
    const code = change?.schema === undefined ? "journal-damaged" : "schema-newer";
    expect(told).toEqual([`${damaged} ${code} true`]);
    for (const name of ["critic", "other"]) expect(await store.cursor(name)).toBe(await store.end());
    expect(rows.filter((one) => one?.deliberation === damaged && one?.origin.includes("reactor"))).toEqual(
      [],
    );
    await expect(on.drive(damaged as typeof fresh)).rejects.toThrow(String(damaged));
    stop.abort();
    await on.clock.settle(ended);
  });

  it("is passed over where a text that it pins is missing, and answered when that is back", async () => {
    let missing = true;
    const whole = memoryStore();
    const withoutText: Store = {
      ...whole,
      for(organization) {
        const part = whole.for(organization);
        const text: typeof part.text = async (digest) => {
          const found = await part.text(digest);
          if (missing && found === "only here") throw new Fault("text-missing", { digest });
          return found;
        };
        return { ...part, text };
      },
    };
    await using on = staged({ reactors: [critic], store: () => withoutText });
    const context = [{ name: "notes", text: "only here" }];
    const ids = [await on.open("r1"), await on.open("r2", { context }), await on.open("r3")];
    missing = false;
    for (const id of ids) await on.drive(id);
    missing = true;
    const told: string[] = [];
    const stop = new AbortController();
    const ended = on.engine.react({
      ...{ worker: "w1", signal: stop.signal, backfill: true },
      onUnreadable: (id, { code }) => void told.push(`${id} ${code}`),
    });
    await on.clock.advance(60_000);
    stop.abort();
    await on.clock.settle(ended);
    const reactions = async () => {
      const journals = await Promise.all(ids.map((id) => whole.for(LOCAL).read(id)));
      return journals.map((journal) => journal.filter(({ origin }) => origin.by === "reactor").length);
    };
    expect([told, await reactions()]).toEqual([[`${ids[1]} text-missing`], [6, 0, 6]]);
    expect(await on.store.cursor("critic")).toBe(await on.store.end());
    missing = false;
    const [, second = ""] = ids;
    await on.clock.settle(on.engine.drain(second as (typeof ids)[0], { worker: "w2", signal: alone }));
    expect(await reactions()).toEqual([6, 6, 6]);
  });
});

describe("a reactor", () => {
  it("never listens to a type that it emits", () => {
    const loop = () =>
      defineReactor({
        name: "loop",
        on: ["grade-given"],
        emits: ["grade-given"],
        react: () => Promise.resolve(),
      });
    expect(loop).toThrowError(expect.objectContaining({ code: "reactor-loops" }));
  });

  const declares = (name: string, on: string, ...emits: string[]): AnyReactor =>
    // A test names types that exist.
    ({ name, on: [on], emits, react: () => Promise.resolve() }) as unknown as AnyReactor;

  it.each([
    ["two", [declares("a", "note-taken", "grade-given"), declares("b", "grade-given", "note-taken")], "a b"],
    [
      "three, behind one that is in no circle",
      [
        declares("x", "deliberation-opened", "note-taken"),
        declares("a", "note-taken", "grade-given"),
        declares("b", "grade-given", "preference-given", "feedback-given"),
        declares("c", "feedback-given", "note-taken"),
      ],
      "a b c",
    ],
    ["one that was not defined by defineReactor", [declares("a", "note-taken", "note-taken")], "a"],
    [
      "the shorter of two circles",
      [
        declares("a", "note-taken", "grade-given"),
        declares("b", "grade-given", "feedback-given"),
        declares("c", "feedback-given", "note-taken"),
        declares("d", "grade-given", "note-taken"),
      ],
      "a d",
    ],
  ])("is refused at the start with the names of its circle: %s", (_what, reactors, names) => {
    const start = () => stage({ protocols: [council], reactors });
    expect(start).toThrowError(
      expect.objectContaining({
        code: "reactor-loops",
        details: expect.objectContaining({ names: names.split(" ") }) as unknown,
      }),
    );
  });

  it("is not refused where a chain of reactors ends", () => {
    const chain = [
      declares("a", "note-taken", "grade-given"),
      declares("b", "grade-given", "preference-given"),
      declares("c", "preference-given", "feedback-given"),
      declares("d", "note-taken", "feedback-given"),
    ];
    expect(() => stage({ protocols: [council], reactors: chain })).not.toThrow();
  });

  it("is refused when it is loaded, where it is loaded late", async () => {
    const late = [
      { name: "a", load: () => Promise.resolve(declares("a", "note-taken", "grade-given")) },
      declares("b", "grade-given", "note-taken"),
    ];
    await expect(loadReactors(late)).rejects.toMatchObject({ code: "reactor-loops" });
    expect(await loadReactors(late, (name) => name !== "a")).toHaveLength(1);
  });
});

describe("draining", () => {
  it("reacts to one deliberation's events and to the reactions', until nothing is left", async () => {
    const answering = defineReactor({
      name: "answering",
      on: ["grade-given"],
      emits: ["feedback-given"],
      async react(event, { run, history }) {
        expect(history.some((entry: Entry) => entry.id === event.id)).toBe(true);
        await run.derive({ key: "thanks", outcomes: ["feedback-given"], input: event.id }, () => ({
          type: "feedback-given",
          data: { of: event.id, thumb: "up" },
        }));
      },
    });
    await using on = staged({ reactors: [answering, critic] });
    const [id, other] = [await on.open("r1"), await on.open("r2")];
    await on.drive(id);
    await on.drive(other);
    await on.clock.settle(on.engine.drain(id, { worker: "w", signal: alone }));
    const types = (await on.store.for(LOCAL).read(id)).map(({ type }) => type);
    expect(types.filter((type) => type === "feedback-given")).toHaveLength(3);
    expect((await on.lines(other)).filter((line) => line.includes("reactor"))).toEqual([]);
    const before = on.models.count();
    await on.clock.settle(on.engine.drain(id, { worker: "w", signal: alone }));
    expect(on.models.count()).toBe(before);
    expect(await on.store.lease("reactor/critic", "somebody else", 1)).toBe(true);
  });

  it("REACT-3: keeps its lease for as long as it takes", async () => {
    let taken = false;
    await using on = staged({
      reactors: [critic],
      script: { ...script, judge: () => ({ text: "fine", latencyMs: 40_000 }) },
    });
    const id = await on.open("r1");
    await on.drive(id);
    const draining = on.engine.drain(id, { worker: "w", signal: alone });
    for (let n = 0; n < 20; n += 1) {
      await on.clock.advance(5_000);
      taken ||= await on.store.lease(`reactor/critic/${id}`, "thief", 1_000);
    }
    expect(taken).toBe(false);
    await on.clock.settle(draining);
    expect((await on.store.for(LOCAL).read(id)).filter(({ type }) => type === "grade-given")).toHaveLength(3);
  });

  it("ends when it is interrupted, and leaves the rest to the next", async () => {
    await using on = staged({
      reactors: [critic],
      script: { ...script, judge: (_, nth) => (nth === 2 ? { hang: true } : "fine") },
    });
    const id = await on.open("r1");
    await on.drive(id);
    const stop = new AbortController();
    const draining = on.engine.drain(id, { worker: "w", signal: stop.signal });
    await on.clock.advance(100);
    stop.abort();
    await on.clock.settle(draining);
    expect(on.models.count("judge")).toBe(2);
    await on.clock.settle(on.engine.drain(id, { worker: "v", signal: alone }));
    expect((await on.store.for(LOCAL).read(id)).filter(({ type }) => type === "grade-given")).toHaveLength(3);
    expect(on.models.count("judge")).toBe(7);
  });

  it("has nothing to do without reactors, and reacts to a closed deliberation as well", async () => {
    await using on = staged({
      protocols: [toyProtocol(() => Promise.resolve(nothingToSay), { name: "toy-council" })],
    });
    const id = await on.open("r1");
    await on.drive(id);
    await on.engine.drain(id, { worker: "w", signal: alone });
    expect(await on.store.end()).toBe(Cursor.parse(2));
  });
});
