import { expect } from "./contract.ts";
import {
  Digest,
  FIRST_CURSOR,
  forgettingsOf,
  OrganizationId,
  Tombstone,
  isFault,
  type Store,
} from "../kernel/index.ts";
import { collect, type StoreCase } from "./store-place.ts";
import { LOCAL, byClient, byClosing, byOpening, byStep } from "./store-samples.ts";
import { closing, deliberation, eventsOf, feedback, note, opening } from "./store-samples.ts";

const id = deliberation("d1");
const own = Digest.parse("a".repeat(64));
const shared = Digest.parse("b".repeat(64));

const tombstone = (name: string): Tombstone =>
  Tombstone.parse({
    ...{ id: name, protocol: "contract", user: null, key: null },
    ...{ openedAt: "2026-01-01T00:00:00.000Z", closedAt: "2026-01-01T00:01:00.000Z" },
    forgottenAt: "2026-01-02T00:00:00.000Z",
    spent: { model: [{ key: "sim/ada", calls: 2 }], day: [{ key: "1767225600000", calls: 2 }] },
  });

/** An opening that pins these texts. */
const pinning = (question: string, ...texts: readonly Digest[]) => {
  const event = opening(question);
  if (event.type !== "deliberation-opened") throw new Error("no opening");
  const context = texts.map((text, nth) => ({ name: `file ${nth}`, text }));
  return { ...event, data: { ...event.data, context } };
};

const faultOf = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => "none",
    (error: unknown) => (isFault(error) ? error.code : String(error)),
  );

/** `d1`, closed and of five events, and `d2`, open; both pin one text, and each has another. */
const twoRuns = (title: string, body: (here: Store, there: Store) => Promise<void>): StoreCase => ({
  title,
  run: async (place) => {
    await using here = await place.open();
    await using there = await place.open();
    const store = here.for(LOCAL);
    for (const text of [own, shared]) await store.putTexts(new Map([[text, `text ${text}`]]));
    eventsOf(await store.append(id, [pinning("d1?", own, shared)], byOpening));
    eventsOf(await store.append(deliberation("d2"), [pinning("d2?", shared)], byOpening));
    await store.reserve(id, "protocol/draft", { calls: 1, tokens: 1, usd: 1 });
    await store.append(id, [note("draft"), note("twice")], byStep("draft"));
    await store.append(id, [closing], byClosing);
    await store.append(id, [feedback], byClient("thumb"));
    await body(here, there);
  },
});

/** A deliberation goes whole, and leaves its tombstone. */
export const forgettingCases: readonly StoreCase[] = [
  twoRuns("counts what an organization has forgotten, for all processes", async (here, there) => {
    const store = here.for(LOCAL);
    const counts = () => Promise.all([here, there].map((one) => one.cursor(forgettingsOf(LOCAL))));
    expect(await counts()).toEqual([undefined, undefined]);
    expect(await store.forget(id, { tombstone: tombstone("d1"), seq: 1 })).toBe("changed");
    expect(await counts()).toEqual([undefined, undefined]);
    for (let nth = 0; nth < 2; nth += 1) {
      expect(await store.forget(id, { tombstone: tombstone("d1"), seq: 5 })).toBe("forgotten");
      expect(await counts()).toEqual([1, 1]);
    }
    await store.append(deliberation("d2"), [closing], byClosing);
    await store.forget(deliberation("d2"), { tombstone: tombstone("d2"), seq: 2 });
    expect(await counts()).toEqual([2, 2]);
    expect(await here.cursor(forgettingsOf(OrganizationId.parse("other")))).toBeUndefined();
  }),
  twoRuns("FORGET-1: forgets a deliberation whole, and its own texts alone", async (here, there) => {
    const store = here.for(LOCAL);
    expect(await store.forget(id, { tombstone: tombstone("d1"), seq: 5 })).toBe("forgotten");
    for (const one of [here, there]) {
      const part = one.for(LOCAL);
      expect(await faultOf(part.read(id))).toBe("deliberation-forgotten");
      expect(await faultOf(part.read(id, 3))).toBe("deliberation-forgotten");
      expect(await part.reservations(id)).toEqual([]);
      expect(await faultOf(part.text(own))).toBe("text-missing");
      expect(await part.text(shared)).toBe(`text ${shared}`);
      expect((await part.list({ limit: 9 })).map((one) => one.id)).toEqual(["d2"]);
      expect((await part.changed(FIRST_CURSOR)).heads).toEqual([{ deliberation: "d2", seq: 1 }]);
      expect(await one.findOrganization(id)).toBeUndefined();
      const left = await collect(one, FIRST_CURSOR, (entries) => entries.length > 0);
      expect(left.map((entry) => entry.deliberation)).toEqual(["d2"]);
    }
    await store.putTexts(new Map([[own, "again"]]));
    expect([await store.text(own), await there.for(LOCAL).text(own)]).toEqual(["again", "again"]);
  }),

  twoRuns(
    "FORGET-2: leaves a tombstone, and gives neither its id nor its cursor again",
    async (here, there) => {
      const store = here.for(LOCAL);
      const end = await here.end();
      await store.forget(id, { tombstone: tombstone("d1"), seq: 5 });
      const twice = { ...tombstone("d1"), forgottenAt: "2027-01-01T00:00:00.000Z" };
      expect(await there.for(LOCAL).forget(id, { tombstone: twice, seq: 5 })).toBe("forgotten");
      expect(await there.for(LOCAL).tombstones()).toEqual([tombstone("d1")]);
      expect(await store.tombstones("2126-01-01T00:00:00.000Z")).toHaveLength(0);
      const [listed] = await store.list({ limit: 9, status: "forgotten" });
      expect(listed).toMatchObject({
        id,
        question: "",
        series: null,
        protocol: "contract",
        status: "forgotten",
      });
      expect(await here.end()).toBe(end);
      const missing = { ok: false, reason: "missing" };
      expect(await store.append(id, [opening("again?")], byOpening)).toEqual(missing);
      expect(await store.append(id, [feedback], byClient("late"))).toEqual(missing);
      expect(await faultOf(store.reserve(id, "protocol/x", { calls: 1, tokens: 1, usd: 1 }))).toBe(
        "deliberation-missing",
      );
      const [next] = eventsOf(await there.for(LOCAL).append(deliberation("d2"), [note(1)], byClient("a")));
      expect(next?.cursor).toBe(end + 1);
    },
  ),

  twoRuns("FORGET-1: forgets nothing of which more was recorded than is counted", async (here, there) => {
    const store = here.for(LOCAL);
    expect(await store.forget(id, { tombstone: tombstone("d1"), seq: 4 })).toBe("changed");
    expect(await there.for(LOCAL).read(id)).toHaveLength(5);
    expect(await store.tombstones()).toEqual([]);
  }),

  twoRuns("STORE-1: forgets no deliberation of another organization", async (here) => {
    const theirs = here.for(OrganizationId.parse("zeta"));
    expect(await theirs.forget(id, { tombstone: tombstone("d1"), seq: 5 })).toBe("missing");
    expect(await here.for(LOCAL).read(id)).toHaveLength(5);
    await here.for(LOCAL).forget(id, { tombstone: tombstone("d1"), seq: 5 });
    expect(await theirs.tombstones()).toEqual([]);
    expect(await theirs.read(id)).toEqual([]);
  }),
];
