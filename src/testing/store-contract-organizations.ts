import { expect } from "./contract.ts";
import {
  FIRST_CURSOR,
  Digest,
  OrganizationId,
  SeriesId,
  isFault,
  type Entry,
  type ListQuery,
  type OrganizationStore,
  type Store,
} from "../kernel/index.ts";
import { collect, type StoreCase } from "./store-place.ts";
import {
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
const acme = OrganizationId.parse("acme");
const zeta = OrganizationId.parse("zeta");
const digest = (digit: string): Digest => Digest.parse(digit.repeat(64));

const faultOf = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => "none",
    (error: unknown) => (isFault(error) ? error.code : String(error)),
  );

/** Two organizations in one store, each through an opening of its own; `d1` is acme's. */
const between = (
  title: string,
  body: (parts: {
    readonly ours: OrganizationStore;
    readonly theirs: OrganizationStore;
    readonly store: Store;
  }) => Promise<void>,
): StoreCase => ({
  title,
  run: async (place) => {
    await using here = await place.open();
    await using there = await place.open();
    const ours = here.for(acme);
    await ours.append(id, [opening("ours?", { organization: "acme" })], byOpening);
    await body({ ours, theirs: there.for(zeta), store: here });
  },
});

const openTheirs = async (theirs: OrganizationStore, name: string, series?: string): Promise<void> => {
  const place = { organization: "zeta", ...(series !== undefined && { series: { id: series, index: 0 } }) };
  eventsOf(await theirs.append(deliberation(name), [opening("theirs?", place)], byOpening));
};

/** No method of an organization's part takes or gives anything of another's. */
export const organizationCases: readonly StoreCase[] = [
  between("STORE-1: has no deliberation of another organization to read or to append to", async (parts) => {
    const { ours, theirs, store } = parts;
    const step = eventsOf(await ours.append(id, [note("secret")], byStep("draft")));
    const missing = { ok: false, reason: "missing" };
    expect(await theirs.read(id)).toEqual([]);
    expect(await theirs.read(id, 1)).toEqual([]);
    expect(await theirs.append(id, [note("foreign")], byClient("a"))).toEqual(missing);
    expect(await theirs.append(id, [note("secret")], byStep("draft"))).toEqual(missing);
    expect(await theirs.append(id, [note(1)], byReactor("d1/protocol/draft#0", "grade"))).toEqual(missing);
    expect(await theirs.append(id, [opening("?", { organization: "zeta" })], byOpening)).toEqual(missing);
    expect(await theirs.append(id, [closing], byClosing)).toEqual(missing);
    await ours.append(id, [closing], byClosing);
    expect(await theirs.append(id, [feedback], byClient("thumb"))).toEqual(missing);
    expect(await theirs.append(id, [closing], byClosing)).toEqual(missing);
    expect((await ours.read(id)).map(({ type }) => type)).toEqual([
      "deliberation-opened",
      "note-taken",
      "deliberation-closed",
    ]);
    expect((await ours.read(id))[1]).toEqual(step[0]);
    expect([ours.organization, theirs.organization]).toEqual(["acme", "zeta"]);
    expect(await store.findOrganization(id)).toBe("acme");
    expect(await store.findOrganization(deliberation("nobody"))).toBeUndefined();
  }),

  between("STORE-1: keeps organizations apart that append in one tick", async ({ ours, store }) => {
    const theirs = store.for(zeta);
    const second = deliberation("d2");
    const results = await Promise.all([
      ours.append(second, [opening("?", { organization: "acme" })], byOpening),
      theirs.append(second, [opening("?", { organization: "zeta" })], byOpening),
      theirs.append(second, [note("foreign")], byClient("a")),
      ours.append(second, [note("own")], byClient("a")),
      theirs.append(second, [note("own")], byClient("a")),
    ]);
    expect(results.map((result) => (result.ok ? result.fresh : result.reason))).toEqual([
      true,
      "missing",
      "missing",
      true,
      "missing",
    ]);
    expect(await ours.read(second)).toHaveLength(2);
  }),

  between("STORE-1: takes no opening of another organization", async ({ ours, store }) => {
    const other = opening("?", { organization: "zeta" });
    expect(await faultOf(ours.append(deliberation("d2"), [other], byOpening))).toBe("event-invalid");
    expect(await store.findOrganization(deliberation("d2"))).toBeUndefined();
    expect(await store.end()).toBe(1);
  }),

  between("STORE-1: lists an organization's own, also of a series and below a place", async (parts) => {
    const { ours, theirs } = parts;
    const series = SeriesId.parse("talk");
    await openTheirs(theirs, "d2", "talk");
    const place = { organization: "acme", series: { id: "talk", index: 0 } };
    await ours.append(deliberation("d3"), [opening("?", place)], byOpening);
    await openTheirs(theirs, "d4");
    const named = async (store: OrganizationStore, query: Partial<Parameters<typeof store.list>[0]>) =>
      (await store.list({ limit: 9, ...query })).map((summary) => [summary.id, summary.organization]);
    expect(await named(ours, {})).toEqual([
      ["d3", "acme"],
      ["d1", "acme"],
    ]);
    expect(await named(ours, { series })).toEqual([["d3", "acme"]]);
    expect(await named(theirs, { series })).toEqual([["d2", "zeta"]]);
    expect(await named(theirs, { before: deliberation("d4") })).toEqual([["d2", "zeta"]]);
    for (const before of ["d3", "nobody"].map(deliberation)) {
      expect(await named(theirs, { before })).toEqual([]);
      expect(await named(theirs, { before, series })).toEqual([]);
    }
  }),

  between(
    "lists every organization's deliberations together, page by page",
    async ({ ours, theirs, store }) => {
      await openTheirs(theirs, "d2");
      await ours.append(deliberation("d3"), [opening("?", { organization: "acme" })], byOpening);
      await openTheirs(theirs, "d4");
      await theirs.append(deliberation("d4"), [closing], byClosing);
      const named = async (query: Partial<ListQuery>) =>
        (await store.listAll({ limit: 9, ...query })).map((summary) => [summary.id, summary.organization]);
      const open = [
        ["d3", "acme"],
        ["d2", "zeta"],
        ["d1", "acme"],
      ];
      expect(await named({})).toEqual([["d4", "zeta"], ...open]);
      expect(await named({ open: true, limit: 2 })).toEqual(open.slice(0, 2));
      expect(await named({ open: true, before: deliberation("d2") })).toEqual(open.slice(2));
      expect(await named({ before: deliberation("nobody") })).toEqual([]);
      const after = await store.end();
      expect(await named({ after })).toEqual([]);
      await ours.append(id, [note(1)], byClient("a"));
      expect(await named({ after })).toEqual([["d1", "acme"]]);
      expect(await named({ after: FIRST_CURSOR, limit: 2 })).toEqual([
        ["d4", "zeta"],
        ["d3", "acme"],
      ]);
    },
  ),

  between(
    "STORE-1: says of its own deliberations alone that they changed",
    async ({ ours, theirs, store }) => {
      await openTheirs(theirs, "d2");
      const ids = async (part: Pick<Store, "changed">) =>
        (await part.changed(FIRST_CURSOR)).heads.map((head) => head.deliberation).toSorted();
      expect([await ids(ours), await ids(theirs), await ids(store)]).toEqual([["d1"], ["d2"], ["d1", "d2"]]);
      const { cursor } = await ours.changed(FIRST_CURSOR);
      await theirs.append(deliberation("d2"), [note(1)], byClient("a"));
      const later = await ours.changed(cursor);
      expect(later.heads).toEqual([]);
      await ours.append(id, [note(1)], byClient("a"));
      expect((await ours.changed(later.cursor)).heads).toEqual([{ deliberation: "d1", seq: 2 }]);
      expect(await ours.end()).toBe(await store.end());
    },
  ),

  between(
    "STORE-1: follows its own events alone, and skips none of them",
    async ({ ours, theirs, store }) => {
      const own = (count: number) => (entries: readonly Entry[]) => entries.length >= count;
      const following = collect(ours, FIRST_CURSOR, own(4));
      await openTheirs(theirs, "d2");
      // More than one read of a subscription takes.
      const many = upTo(1_200).map(note);
      await theirs.append(deliberation("d2"), many, byClient("many"));
      await ours.append(id, [note("a")], byClient("a"));
      await theirs.append(deliberation("d2"), many, byClient("more"));
      await store.for(zeta).append(deliberation("d2"), [note(1)], byClient("last"));
      await ours.append(id, [note("b"), note("c")], byClient("b"));
      const bodies = (entries: readonly Entry[]) =>
        entries.map((entry) => (entry.type === "note-taken" ? entry.data.body : entry.type));
      expect(bodies(await following)).toEqual(["deliberation-opened", "a", "b", "c"]);
      expect(await following).toEqual(await ours.read(id));
      expect(bodies(await collect(ours, FIRST_CURSOR, own(4)))).toEqual(bodies(await following));
      const all = await collect(store, FIRST_CURSOR, (entries) => entries.length >= 2_406);
      expect(all.map(({ cursor }) => cursor)).toEqual(upTo(2_406));
    },
  ),

  between("STORE-2: keeps texts by organization and digest", async ({ ours, theirs }) => {
    await ours.putTexts(new Map([[digest("a"), "ours"]]));
    expect(await faultOf(theirs.text(digest("a")))).toBe("text-missing");
    await theirs.putTexts(new Map([[digest("a"), "theirs"]]));
    await theirs.putTexts(new Map([[digest("b"), "theirs alone"]]));
    expect([await ours.text(digest("a")), await theirs.text(digest("a"))]).toEqual(["ours", "theirs"]);
    expect(await faultOf(ours.text(digest("b")))).toBe("text-missing");
    expect(await theirs.text(digest("b"))).toBe("theirs alone");
  }),

  between("STORE-1: reserves for its own deliberations alone, and counts these", async ({ ours, theirs }) => {
    await ours.reserve(id, "protocol/draft", { calls: 1, tokens: 10, usd: 0.5 });
    const amount = { calls: 64, tokens: 1, usd: 1 };
    expect(await faultOf(theirs.reserve(id, "protocol/draft", amount))).toBe("deliberation-missing");
    expect(await faultOf(ours.reserve(deliberation("d2"), "protocol/draft", amount))).toBe(
      "deliberation-missing",
    );
    await openTheirs(theirs, "d2");
    expect(await theirs.reservations(deliberation("d2"))).toEqual([]);
    expect(await theirs.reservations(id)).toEqual([]);
    const own = { origin: "protocol/draft", model: null, speaker: null, recorded: null };
    expect(await ours.reservations(id)).toEqual([{ ...own, calls: 1, tokens: 10, usd: 0.5 }]);
  }),
];
