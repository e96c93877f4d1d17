import { expect } from "./contract.ts";
import { Cursor, Digest, isFault, type Store } from "../kernel/index.ts";
import type { StoreCase } from "./store-place.ts";
import { LOCAL, byClient, byOpening, byStep, deliberation, note, opening, upTo } from "./store-samples.ts";

const id = deliberation("d1");

const at = (cursor: number): Cursor => Cursor.parse(cursor);

const digest = (digit: string): Digest => Digest.parse(digit.repeat(64));

const twice = (title: string, body: (here: Store, there: Store) => Promise<void>): StoreCase => ({
  title,
  run: async (place) => {
    await using here = await place.open();
    await using there = await place.open();
    await body(here, there);
  },
});

/** What follows from leases and cursors, texts and reservations: the tables beside the journal. */
export const tableCases: readonly StoreCase[] = [
  twice("moves a reactor's cursor only from where its worker saw it", async (here, there) => {
    expect(await here.cursor("critic")).toBeUndefined();
    expect(await here.advance("critic", at(1), at(2))).toBe(false);
    expect(await here.advance("critic", undefined, at(0))).toBe(true);
    expect(await there.advance("critic", undefined, at(5))).toBe(false);
    expect(await there.advance("critic", at(0), at(5))).toBe(true);
    expect(await here.advance("critic", at(0), at(6))).toBe(false);
    expect([await here.cursor("critic"), await there.cursor("critic")]).toEqual([5, 5]);
    expect(await here.cursor("memory")).toBeUndefined();
    const moves = await Promise.all(
      upTo(20).map((n) => (n % 2 ? here : there).advance("critic", at(5), at(5 + n))),
    );
    expect(moves.filter(Boolean)).toHaveLength(1);
  }),

  twice("gives a lease to one holder at a time, who may renew and release it", async (here, there) => {
    expect(await here.lease("critic", "ada", 60_000)).toBe(true);
    expect(await there.lease("critic", "bob", 60_000)).toBe(false);
    expect(await there.lease("memory", "bob", 60_000)).toBe(true);
    expect(await here.lease("critic", "ada", 60_000)).toBe(true);
    await there.release("critic", "bob");
    expect(await there.lease("critic", "bob", 60_000)).toBe(false);
    await here.release("critic", "ada");
    expect(await there.leases("cri")).toEqual([]);
    expect(await there.lease("critic", "bob", 60_000)).toBe(true);
    expect(await here.leases("")).toEqual([
      { name: "critic", holder: "bob" },
      { name: "memory", holder: "bob" },
    ]);
    expect(await here.leases("critic")).toEqual([{ name: "critic", holder: "bob" }]);
    const rivals = await Promise.all(
      upTo(20).map((n) => (n % 2 ? here : there).lease("new", `worker-${n}`, 60_000)),
    );
    expect(rivals.filter(Boolean)).toHaveLength(1);
  }),

  twice("gives a lease that has run out to another holder", async (here, there) => {
    expect(await here.lease("critic", "ada", 150)).toBe(true);
    expect(await there.lease("critic", "bob", 60_000)).toBe(false);
    await expect
      .poll(() => there.lease("critic", "bob", 60_000), { timeout: 5_000, interval: 20 })
      .toBe(true);
    expect(await here.lease("critic", "ada", 150)).toBe(false);
  }),

  twice("keeps a text under its digest, whole and unchanged", async (here, there) => {
    const text = `nul \0, quotes "'\\, \u2028, \ud83d\ude00 and ${"long ".repeat(100_000)}`;
    await here.for(LOCAL).putTexts(new Map([[digest("a"), text]]));
    await there.for(LOCAL).putTexts(new Map([[digest("a"), "something else"]]));
    await here.for(LOCAL).putTexts(new Map([[digest("b"), ""]]));
    expect(await there.for(LOCAL).text(digest("a"))).toBe(text);
    expect(await there.for(LOCAL).text(digest("b"))).toBe("");
    const missing: unknown = await here
      .for(LOCAL)
      .text(digest("c"))
      .catch((error: unknown) => error);
    expect(isFault(missing, "text-missing")).toBe(true);
  }),

  twice("gives each step's reservations, and the event that it recorded", async (here, there) => {
    await here.for(LOCAL).append(id, [opening("?")], byOpening);
    const reserve = (step: string, calls: number) =>
      here
        .for(LOCAL)
        .reserve(id, `protocol/${step}`, {
          ...{ calls, tokens: calls * 1_000, usd: calls / 4, model: `openai/${step}`, speaker: step },
        });
    expect(await here.for(LOCAL).reservations(id)).toEqual([]);
    await reserve("draft/ada", 1);
    await reserve("draft/bob", 2);
    await here.for(LOCAL).append(deliberation("d2"), [opening("?")], byOpening);
    await here.for(LOCAL).reserve(deliberation("d2"), "protocol/draft/ada", { calls: 64, tokens: 0, usd: 0 });
    const named = (step: string) => ({ origin: `protocol/${step}`, model: `openai/${step}`, speaker: step });
    const ada = { ...named("draft/ada"), calls: 1, tokens: 1_000, usd: 0.25 };
    const bob = { ...named("draft/bob"), calls: 2, tokens: 2_000, usd: 0.5 };
    expect(await reserved(there)).toEqual([
      { recorded: null, ...ada },
      { recorded: null, ...bob },
    ]);
    await there.for(LOCAL).append(id, [note("drafted")], byStep("draft/ada"));
    expect(await reserved(here)).toEqual([
      { recorded: 2, ...ada },
      { recorded: null, ...bob },
    ]);
    await there.for(LOCAL).append(id, [note("drafted"), note("twice")], byStep("draft/bob"));
    expect(await reserved(here)).toEqual([
      { recorded: 2, ...ada },
      { recorded: 3, ...bob },
    ]);
  }),

  twice("adds up what a step reserved for several requests", async (here, there) => {
    await here.for(LOCAL).append(id, [opening("?")], byOpening);
    for (const calls of [1, 2, 4])
      await here.for(LOCAL).reserve(id, "client/\0 retried", { calls, tokens: 0, usd: 0 });
    const sum = { origin: "client/\0 retried", model: null, speaker: null, calls: 7, tokens: 0, usd: 0 };
    expect(await reserved(there)).toEqual([{ recorded: null, ...sum }]);
    await there.for(LOCAL).append(id, [note("done")], byClient("\0 retried"));
    expect(await reserved(here)).toEqual([{ recorded: 2, ...sum }]);
  }),

  twice("BUDGET-8: names, with an opening, the requests that no event accounts for", async (here, there) => {
    const [ours, theirs] = [here.for(LOCAL), there.for(LOCAL)];
    await ours.append(id, [opening("?")], byOpening);
    const sent = async () => (await theirs.read(id)).map((entry) => entry.sent);
    const reserve = (step: string, named = {}) =>
      ours.reserve(id, `protocol/${step}`, { calls: 1, tokens: 0, usd: 0, ...named });
    expect(await sent()).toEqual([undefined]);
    await reserve("draft/ada", { model: "openai/gpt-5", speaker: "ada" });
    await reserve("draft/bob");
    const ada = { origin: "protocol/draft/ada", model: "openai/gpt-5", speaker: "ada" };
    const bob = { origin: "protocol/draft/bob", model: null, speaker: null, calls: 1 };
    expect(await sent()).toEqual([[{ ...ada, calls: 1 }, bob]]);
    await ours.append(id, [note("drafted")], byStep("draft/bob"));
    expect(await sent()).toEqual([[{ ...ada, calls: 1 }], undefined]);
    await reserve("draft/ada");
    await ours.append(id, [note("drafted")], byStep("draft/ada"));
    expect(await sent()).toEqual([[{ ...ada, calls: 2 }], undefined, undefined]);
    // Of what was read with it: whoever reads on takes off again what the next events account for.
    expect((await theirs.read(id, 0, 1)).map((entry) => entry.sent)).toEqual([[{ ...ada, calls: 2 }, bob]]);
  }),
];

/** The deliberation's reservations, the smallest first. */
const reserved = async (store: Store) =>
  [...(await store.for(LOCAL).reservations(id))].sort((a, b) => a.calls - b.calls);
