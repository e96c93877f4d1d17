import { expect, it, vi } from "vitest";
import { serverPlace, testServer, type Json, type TestServer } from "./support/server.ts";

// What is told of all runs is kept for as long as nothing is recorded or forgotten, by whichever server over the store.

const PATHS = ["deliberations", "deliberations?limit=1", "league", "votes", "votes/matrix", "contributions"];
const idsIn = async (server: TestServer): Promise<string[]> =>
  (await server.get("deliberations")).json.data.map(({ id }: Json) => id);

/** How often a server's store is asked for what lists and figures are made of. */
function countReads({ parley, principal }: TestServer) {
  const { store } = parley.context({}, { principal }).process;
  const original = store.for.bind(store);
  const seen = { reads: 0 };
  vi.spyOn(store, "for").mockImplementation((organization) => {
    const own = original(organization);
    const counted =
      <A extends unknown[], R>(read: (...given: A) => R) =>
      (...given: A): R => {
        seen.reads += 1;
        return read(...given);
      };
    return { ...own, list: counted(own.list), read: counted(own.read), changed: counted(own.changed) };
  });
  return seen;
}

it.each(PATHS)("%s is made once, and anew when a run was recorded", async (path) => {
  await using server = await testServer();
  await server.ask();
  const seen = countReads(server);
  const first = await server.get(path);
  expect(seen.reads).toBeGreaterThan(0);
  // The run's drive still reads for a moment after its end.
  const readsOfNext = async () => {
    seen.reads = 0;
    const next = await server.get(path);
    expect([next.status, next.text]).toEqual([200, first.text]);
    return seen.reads;
  };
  await expect.poll(readsOfNext, { timeout: 5_000, interval: 20 }).toBe(0);
  await server.ask({ question: "What is 6 * 7?" });
  expect((await server.get(path)).text).not.toBe(first.text);
});

it("what one server forgets, no server over the store lists", async () => {
  const place = serverPlace();
  const [one, other] = [await testServer({}, place), await testServer({}, place)];
  try {
    const { id } = await one.ask();
    const { id: last } = await one.ask({ question: "What is 6 * 7?" });
    const before = [await one.get("league"), await other.get("league")].map(({ json }) => json.leagues);
    for (const server of [one, other]) expect(new Set(await idsIn(server))).toEqual(new Set([id, last]));
    expect((await one.request("DELETE", `deliberations/${id}`)).status).toBe(204);
    for (const server of [one, other]) expect(await idsIn(server)).toEqual([last]);
    const after = [await one.get("league"), await other.get("league")].map(({ json }) => json.leagues);
    expect(after[0]).not.toEqual(before[0]);
    expect(after).toEqual([after[0], after[0]]);
  } finally {
    await one.stop(0);
    await other.stop(0);
    place[Symbol.dispose]();
  }
});

it("one organization is told nothing of another's", async () => {
  await using server = await testServer();
  const { id } = await server.ask();
  expect(await idsIn(server)).toEqual([id]);
  const { secret: key } = await server.newKey({ organization: "other" });
  expect((await server.get("deliberations", { key })).json.data).toEqual([]);
  const { secret: blind } = await server.newKey({ scopes: ["write"] });
  expect((await server.get("deliberations", { key: blind })).status).toBe(403);
});
