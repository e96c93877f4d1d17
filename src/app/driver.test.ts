import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { Fault, type DeliberationId, type Entry, type Store } from "../kernel/index.ts";
import { stage } from "../testing/stage.ts";
import { toyAsked } from "../testing/kit.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { council } from "../../test/support/toys/council.ts";
import { driveAlone, type DriverOptions } from "./driver.ts";

const settings = { quorum: 3, patienceMs: 60_000 };
const slow = (text: string) => () => ({ text, latencyMs: 5_000 });
const script = { ada: slow("a"), bob: slow("b"), cyd: slow("c"), chair: slow("d") };
const ALL = ["ada", "bob", "cyd", "chair"];

async function opened() {
  const on = stage({ protocols: [council], script });
  const { opened: one } = await on.engine.open("r1", toyAsked("toy-council", { settings }));
  const id = one.deliberation;
  const begin = (
    options: Partial<DriverOptions> & { readonly store?: Partial<Store>; readonly id?: DeliberationId } = {},
  ) => {
    const seen: Entry[] = [];
    const { store = {}, ...rest } = options;
    const context = {
      ...{ engine: on.engine.for(LOCAL), store: on.store.for(LOCAL), world: on.clock },
      process: { store: { ...on.store, ...store } },
    };
    const signal = new AbortController().signal;
    const driver = driveAlone(context, id, {
      ...{ signal, ifHeld: "wait", onEntry: (entry: Entry) => void seen.push(entry), ...rest },
    });
    driver.driven.catch(() => undefined);
    return { ...driver, seen };
  };
  const names = () => on.models.calls.map(({ name }) => name);
  const hold = (holder: string, ms = 6_000) => on.store.lease(`drive/${id}`, holder, ms);
  return { ...on, id, begin, names, hold };
}

const seqs = (entries: readonly Entry[]) => [...new Set(entries.map(({ seq }) => seq))].sort((a, b) => a - b);

describe("a driver", () => {
  it("DRIVER-1: is one a run; who comes later says whose it is, and follows it to the same outcome", async () => {
    const on = await opened();
    const one = on.begin();
    const two = on.begin();
    expect(await on.clock.settle(one.rival)).toBeUndefined();
    expect(await on.clock.settle(two.rival)).toBe(`process ${process.pid} on ${hostname()}`);
    const [first, second] = await on.clock.settle(Promise.all([one.driven, two.driven]));
    expect(on.names()).toEqual(ALL);
    expect(first).toMatchObject({ status: "closed", closing: { data: { outcome: "answered" } } });
    expect(second).toEqual(first);
    expect(seqs(two.seen)).toEqual(seqs(await on.store.for(LOCAL).read(on.id)));
    expect(await on.store.leases("drive/")).toEqual([]);
  });

  it("takes over when the lease has lapsed, and not before", async () => {
    const on = await opened();
    await on.hold("4242-x@elsewhere");
    const from = on.clock.now();
    const one = on.begin();
    expect(await on.clock.settle(one.rival)).toBe("process 4242 on elsewhere");
    await on.clock.advance(5_500);
    expect(on.names()).toEqual([]);
    expect(await on.clock.settle(one.driven)).toMatchObject({ status: "closed" });
    expect(on.names()).toEqual(ALL);
    expect(on.clock.now() - from).toBeLessThan(6_500 + 2 * 5_000);
  });

  it("takes over when the holder gives its lease back, as one does that is interrupted", async () => {
    const on = await opened();
    const stop = new AbortController();
    const one = on.begin({ signal: stop.signal });
    const two = on.begin();
    await on.clock.settle(two.rival);
    await on.clock.advance(1_000);
    stop.abort();
    expect(await on.clock.settle(one.driven)).toEqual({ status: "interrupted" });
    expect(await on.clock.settle(two.driven)).toMatchObject({ status: "closed" });
    // The three that were under way are asked again, and nothing else.
    expect(on.names()).toEqual([...ALL.slice(0, 3), ...ALL]);
  });

  it("waits for no process of this machine that is gone, and for one whose name says nothing", async () => {
    const on = await opened();
    await on.hold(`2000000000-x@${hostname()}`);
    const from = on.clock.now();
    const one = on.begin();
    expect(await on.clock.settle(one.rival)).toBeUndefined();
    expect(on.clock.now()).toBe(from);
    await on.clock.settle(one.driven);
    const other = await opened();
    await other.hold("77-earlier");
    expect(await other.clock.settle(other.begin().rival)).toBe("process 77-earlier");
  });

  it("DRIVER-1: leaves what another one drives where it is told so, and calls nobody", async () => {
    const on = await opened();
    await on.hold(`2000000000-x@${hostname()}`);
    const one = on.begin({ ifHeld: "leave" });
    expect(await on.clock.settle(one.driven)).toEqual({ status: "interrupted" });
    expect(await one.rival).toMatch(/^process 2000000000 on /);
    expect(on.names()).toEqual([]);
  });

  it("DRIVER-1: stops when another one has taken the lease, and follows that one", async () => {
    const on = await opened();
    const one = on.begin();
    await on.clock.settle(one.rival);
    await on.clock.advance(1_000);
    const [lease] = await on.store.leases("drive/");
    await on.store.release(`drive/${on.id}`, lease?.holder ?? "");
    await on.hold("4242-thief@elsewhere", 15_000);
    await on.clock.advance(2_000);
    expect(on.models.calls.map(({ outcome }) => outcome)).toEqual(["aborted", "aborted", "aborted"]);
    const thief = await on.drive(on.id);
    expect(await on.clock.settle(one.driven)).toEqual(thief);
    expect(on.names()).toHaveLength(7);
  });

  it("drives on through a store that takes no lease", async () => {
    const on = await opened();
    const away = () => Promise.reject(new Fault("store-unavailable", { where: "here", why: "it is away" }));
    const one = on.begin({ store: { lease: away, release: away } });
    expect(await on.clock.settle(one.driven)).toMatchObject({ status: "closed" });
    expect(on.names()).toEqual(ALL);
  });

  it("ends as interrupted while it follows, and leaves the other one alone", async () => {
    const on = await opened();
    await on.hold("4242-x@elsewhere");
    const stop = new AbortController();
    const one = on.begin({ signal: stop.signal });
    await on.clock.settle(one.rival);
    stop.abort();
    expect(await on.clock.settle(one.driven)).toEqual({ status: "interrupted" });
    expect((await on.store.leases("drive/")).map(({ holder }) => holder)).toEqual(["4242-x@elsewhere"]);
  });
});
