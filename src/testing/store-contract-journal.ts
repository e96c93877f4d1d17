import { expect } from "./contract.ts";
import {
  canonical,
  Fault,
  OrganizationId,
  SeriesId,
  isFault,
  type ListQuery,
  type NewEvent,
  type OrganizationStore,
  type Store,
} from "../kernel/index.ts";
import type { StoreCase } from "./store-place.ts";
import {
  LOCAL,
  byClient,
  byClosing,
  byOpening,
  byReactor,
  byStep,
  closing,
  deliberation,
  eventsOf,
  feedback,
  note,
  opening,
  upTo,
} from "./store-samples.ts";

const id = deliberation("d1");

const inStore = (title: string, body: (store: Store) => Promise<void>): StoreCase => ({
  title,
  run: async (place) => {
    await using store = await place.open();
    await body(store);
  },
});

const open = async (store: Store, name = "d1") =>
  eventsOf(
    await store.for(LOCAL).append(deliberation(name), [opening(`the question of ${name}`)], byOpening),
  );

/** The code of the fault that `action` fails with. */
const faultOf = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => "none",
    (error: unknown) => (isFault(error) ? error.code : String(error)),
  );

export const journalCases: readonly StoreCase[] = [
  inStore("numbers a deliberation's events from 1 without gaps", async (store) => {
    await open(store);
    await open(store, "d2");
    await store.for(LOCAL).append(id, [note(1), note(2)], byClient("a"));
    await store.for(LOCAL).append(deliberation("d2"), [note(1)], byClient("a"));
    await store.for(LOCAL).append(id, [note(3)], byStep("draft/ada"));
    const entries = await store.for(LOCAL).read(id);
    expect(entries.map((entry) => entry.seq)).toEqual([1, 2, 3, 4]);
    expect(entries.map((entry) => entry.id)).toEqual([
      "d1/open#0",
      "d1/client/a#0",
      "d1/client/a#1",
      "d1/protocol/draft/ada#0",
    ]);
    expect(await store.for(LOCAL).read(id, 2)).toEqual(entries.slice(2));
    expect(await store.for(LOCAL).read(id, 4)).toEqual([]);
    expect(await store.for(LOCAL).read(id, 1, 2)).toEqual(entries.slice(1, 3));
    expect(await store.for(LOCAL).read(id, 3, 9)).toEqual(entries.slice(3));
    expect(await store.for(LOCAL).read(id, 0, 0)).toEqual([]);
    expect(await store.for(LOCAL).read(deliberation("nobody"))).toEqual([]);
  }),

  inStore("gives back from append what read gives later", async (store) => {
    const opened = await open(store);
    const noted = eventsOf(
      await store.for(LOCAL).append(id, [note({ b: 1, a: "\ud800" }), feedback], byClient("a")),
    );
    expect([...opened, ...noted]).toEqual(await store.for(LOCAL).read(id));
    for (const entry of noted) expect(entry.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }),

  inStore("creates a deliberation by its opening and by nothing else", async (store) => {
    expect(await store.for(LOCAL).append(id, [note(1)], byClient("a"))).toEqual({
      ok: false,
      reason: "missing",
    });
    expect(await store.for(LOCAL).append(id, [closing], byClosing)).toEqual({ ok: false, reason: "missing" });
    expect(await store.for(LOCAL).read(id)).toEqual([]);
    const first = await store.for(LOCAL).append(id, [opening("first")], byOpening);
    const second = await store.for(LOCAL).append(id, [opening("second")], { by: "open", request: "another" });
    expect(first).toMatchObject({ ok: true, fresh: true });
    expect(second).toEqual({ ok: true, fresh: false, events: eventsOf(first) });
  }),

  inStore("refuses an opening or a closing in the wrong place, and an empty batch", async (store) => {
    await open(store);
    const wrong: [readonly NewEvent[], Parameters<OrganizationStore["append"]>[2]][] = [
      [[], byClient("empty")],
      [[opening("again")], byClient("a")],
      [[note(1), opening("second")], byOpening],
      [[note(1)], byOpening],
      [[closing], byStep("close")],
      [[note(1)], byClosing],
      [[closing, note(1)], byClosing],
    ];
    for (const [events, origin] of wrong)
      expect(await faultOf(store.for(LOCAL).append(id, events, origin))).toBe("event-invalid");
    expect(await store.for(LOCAL).read(id)).toHaveLength(1);
  }),

  inStore("refuses an event of another shape, and JSON that is none (BATCH-1)", async (store) => {
    await open(store);
    // What TypeScript would refuse, as a careless caller would send it.
    const shapeless = [{ type: "note-taken", data: { topic: 1 } }] as unknown as NewEvent[];
    const endless = [note(Number.NaN)];
    expect(await faultOf(store.for(LOCAL).append(id, shapeless, byClient("a")))).toBe("event-invalid");
    expect(await faultOf(store.for(LOCAL).append(id, endless, byClient("a")))).toBe("event-invalid");
    expect(await store.for(LOCAL).read(id)).toHaveLength(1);
  }),

  inStore("refuses an origin of another shape, and one too long to name its events", async (store) => {
    await open(store);
    for (const origin of [byClient(""), byClient("x".repeat(401)), byReactor("e".repeat(2_000), "grade")]) {
      expect(await faultOf(store.for(LOCAL).append(id, [note(1)], origin))).toBe("event-invalid");
    }
    expect(await store.for(LOCAL).read(id)).toHaveLength(1);
  }),

  inStore(
    "records one origin once, however often and with whatever it is offered (BATCH-2)",
    async (store) => {
      await open(store);
      const first = await store.for(LOCAL).append(id, [note("one"), note("two")], byStep("draft"));
      const again = await store.for(LOCAL).append(id, [note("three")], byStep("draft"));
      expect(again).toEqual({ ok: true, fresh: false, events: eventsOf(first) });
      await open(store, "d2");
      expect(await store.for(LOCAL).append(deliberation("d2"), [note("one")], byStep("draft"))).toMatchObject(
        { fresh: true },
      );
      expect(await store.for(LOCAL).read(id)).toHaveLength(3);
    },
  ),

  inStore(
    "lets one of twenty rivals record an origin, and gives its batch to all (SQLITE-1)",
    async (store) => {
      await open(store);
      const results = await Promise.all(
        upTo(20).map((rival) => store.for(LOCAL).append(id, [note(rival), note(rival)], byStep("contested"))),
      );
      expect(results.filter((result) => result.ok && result.fresh)).toHaveLength(1);
      const recorded = (await store.for(LOCAL).read(id)).slice(1);
      expect(recorded).toHaveLength(2);
      for (const result of results) expect(eventsOf(result)).toEqual(recorded);
    },
  ),

  inStore(
    "numbers many appends of one tick without gaps, each with its own result (BATCH-3)",
    async (store) => {
      const rounds = upTo(100);
      const [, ...results] = await Promise.all([
        open(store),
        ...rounds.map((round) =>
          store.for(LOCAL).append(id, [note(round), note(-round)], byClient(`${round}`)),
        ),
      ]);
      results.forEach((result, index) => {
        const bodies = eventsOf(result).map((entry) => entry.type === "note-taken" && entry.data.body);
        expect(bodies).toEqual([index + 1, -index - 1]);
      });
      expect((await store.for(LOCAL).read(id)).map((entry) => entry.seq)).toEqual(upTo(201));
    },
  ),

  inStore("fails a bad append alone, not its neighbours of the same tick", async (store) => {
    await open(store);
    const outcomes = await Promise.all(
      upTo(30).map((round) => {
        const body = round === 10 ? "x".repeat(5_000_000) : round === 20 ? Number.POSITIVE_INFINITY : round;
        return faultOf(store.for(LOCAL).append(id, [note(body)], byClient(`${round}`)));
      }),
    );
    expect(outcomes.map((code, index) => [index + 1, code]).filter(([, code]) => code !== "none")).toEqual([
      [10, "event-too-large"],
      [20, "event-invalid"],
    ]);
    expect((await store.for(LOCAL).read(id)).map((entry) => entry.seq)).toEqual(upTo(29));
  }),

  inStore("takes only reactions and feedback after a closing", async (store) => {
    await open(store);
    const draft = await store.for(LOCAL).append(id, [note("draft")], byStep("draft"));
    const closed = await store.for(LOCAL).append(id, [closing], byClosing);
    expect(closed).toMatchObject({ ok: true, fresh: true });
    expect(await store.for(LOCAL).append(id, [note("late")], byStep("late"))).toEqual({
      ok: false,
      reason: "closed",
    });
    expect(await store.for(LOCAL).append(id, [note("late")], byClient("late"))).toEqual({
      ok: false,
      reason: "closed",
    });
    expect(await store.for(LOCAL).append(id, [feedback, note("late")], byClient("mixed"))).toEqual({
      ok: false,
      reason: "closed",
    });
    expect(await store.for(LOCAL).append(id, [note("draft")], byStep("draft"))).toEqual({
      ok: true,
      fresh: false,
      events: eventsOf(draft),
    });
    const again: NewEvent = { type: "deliberation-closed", data: { outcome: "failed", why: "a rival" } };
    expect(await store.for(LOCAL).append(id, [again], byClosing)).toEqual({
      ok: true,
      fresh: false,
      events: eventsOf(closed),
    });
    expect(await store.for(LOCAL).append(id, [feedback], byClient("thumb"))).toMatchObject({
      ok: true,
      fresh: true,
    });
    expect(
      await store.for(LOCAL).append(id, [note("graded")], byReactor("d1/protocol/draft#0", "grade")),
    ).toMatchObject({ ok: true, fresh: true });
    expect((await store.for(LOCAL).read(id)).map((entry) => entry.seq)).toEqual(upTo(5));
  }),

  inStore("says which deliberations changed since a cursor, and how far that holds", async (store) => {
    const start = await store.end();
    expect(start).toBe(0);
    expect(await store.changed(start)).toEqual({ cursor: 0, heads: [] });
    await open(store);
    await open(store, "d2");
    const middle = await store.end();
    await store.for(LOCAL).append(id, [note(1), note(2)], byClient("a"));
    const changed = await store.changed(middle);
    expect(changed).toEqual({ cursor: await store.end(), heads: [{ deliberation: "d1", seq: 3 }] });
    expect(await store.changed(changed.cursor)).toEqual({ cursor: changed.cursor, heads: [] });
    expect(
      (await store.changed(start)).heads.toSorted((a, b) => (a.deliberation < b.deliberation ? -1 : 1)),
    ).toEqual([
      { deliberation: "d1", seq: 3 },
      { deliberation: "d2", seq: 1 },
    ]);
  }),

  inStore("lists an organization's deliberations, newest first, page by page", async (store) => {
    const at = async (name: string, place: Parameters<typeof opening>[1], question = name) =>
      store
        .for(OrganizationId.parse(place?.organization ?? "local"))
        .append(deliberation(name), [opening(question, place)], byOpening);
    await at("b", { series: { id: "talk", index: 0 } }, "q".repeat(500));
    await at("foreign", { organization: "acme" });
    await at("a", {}, "nul \0 and \ud83d\ude00");
    await at("c", { series: { id: "talk", index: 1 } });
    await store.for(LOCAL).append(deliberation("b"), [note(1)], byClient("a"));
    await store.for(LOCAL).append(deliberation("a"), [closing], byClosing);
    const all = await store.for(LOCAL).list({ limit: 10 });
    const [, opened] = await store.for(LOCAL).read(deliberation("a"), 0);
    expect(opened).toBeDefined();
    expect(all.map(({ id: name, seq, status, series }) => [name, seq, status, series])).toEqual([
      ["c", 1, "open", "talk"],
      ["a", 2, "cancelled", null],
      ["b", 2, "open", "talk"],
    ]);
    expect(all[1]).toMatchObject({
      organization: "local",
      protocol: "contract",
      question: "nul \0 and \ud83d\ude00",
    });
    expect(all[1]?.openedAt).toBe((await store.for(LOCAL).read(deliberation("a")))[0]?.at);
    expect(all[2]?.question).toBe("q".repeat(200));
    const first = await store.for(LOCAL).list({ limit: 2 });
    expect(first).toEqual(all.slice(0, 2));
    expect(await store.for(LOCAL).list({ limit: 2, before: deliberation("a") })).toEqual(all.slice(2));
    const series = SeriesId.parse("talk");
    expect(await store.for(LOCAL).list({ limit: 10, open: true })).toEqual([all[0], all[2]]);
    expect(await store.for(LOCAL).list({ limit: 1, open: true })).toEqual([all[0]]);
    expect(await store.for(LOCAL).list({ limit: 10, open: true, series, before: deliberation("c") })).toEqual(
      [all[2]],
    );
    expect(await store.for(LOCAL).list({ limit: 10, series })).toEqual([all[0], all[2]]);
    expect(await store.for(LOCAL).list({ limit: 9, series, before: deliberation("c") })).toEqual([all[2]]);
    expect(await store.for(OrganizationId.parse("acme")).list({ limit: 9 })).toHaveLength(1);
    const listed = async (query: Omit<ListQuery, "limit">) =>
      (await store.for(LOCAL).list({ limit: 9, ...query })).map(({ id: name }) => name);
    expect(await listed({ prefix: "a" })).toEqual(["a"]);
    expect(await listed({ prefix: "" })).toEqual(["c", "a", "b"]);
    expect(await listed({ prefix: "%" })).toEqual([]);
    expect(await listed({ protocol: "contract", status: "cancelled" })).toEqual(["a"]);
    expect(await listed({ protocol: "contrac" })).toEqual([]);
    expect(await listed({ status: "open", before: deliberation("c") })).toEqual(["b"]);
    expect(await listed({ since: all[1]?.openedAt })).toContain("c");
    expect(await listed({ since: "2999-01-01T00:00:00.000Z" })).toEqual([]);
    await store.for(LOCAL).append(deliberation("d"), [opening("d", {})], { by: "open", request: 'x/"1' });
    expect(await listed({ requests: { prefixes: ['x/"', "y/"], hidden: false } })).toEqual(["d"]);
    expect(await listed({ requests: { prefixes: ["y/", "x/"], hidden: true } })).toEqual(["c", "a", "b"]);
    expect(await listed({ requests: { prefixes: ["1"], hidden: false } })).toEqual([]);
    const label = { labels: { team: 'a "b" %_\0' } };
    await store.for(LOCAL).append(deliberation("e"), [opening("e", label)], { by: "open", request: "e" });
    const labelled = canonical(label.labels).slice(1, -1);
    expect(await listed({ opening: [labelled, '"question":"e"'] })).toEqual(["e"]);
    expect(await listed({ opening: [labelled, '"question":"d"'] })).toEqual([]);
  }),

  {
    title: "keeps everything when it is closed and opened again",
    run: async (place) => {
      const before = await place.open();
      await open(before);
      await before.for(LOCAL).append(id, [note("kept")], byClient("a"));
      const entries = await before.for(LOCAL).read(id);
      await before[Symbol.asyncDispose]();
      await using after = await place.open();
      expect(await after.for(LOCAL).read(id)).toEqual(entries);
      expect(await after.end()).toBe(2);
      expect(eventsOf(await after.for(LOCAL).append(id, [note("next")], byClient("b")))[0]).toMatchObject({
        seq: 3,
        cursor: 3,
      });
    },
  },

  {
    title: "refuses to be used after it was closed",
    run: async (place) => {
      const store = await place.open();
      await open(store);
      await store[Symbol.asyncDispose]();
      const fault: unknown = await store
        .for(LOCAL)
        .append(id, [note(1)], byClient("a"))
        .catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(Error);
      expect(isFault(fault, "store-unavailable") && fault instanceof Fault && fault.details.why).toBe(
        "it was closed",
      );
    },
  },
];
