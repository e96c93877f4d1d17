import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DeliberationId, type Entry } from "../src/kernel/index.ts";
import { readOnly, shownReader } from "../src/server/results.ts";
import { expectProblem, SIMS, SUM, testServer, type Json, type TestServer } from "./support/server.ts";

// What the service knows over all runs, and single events of one.

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, at) => from + at);
/** An event without the requests that are under way when it is read, which stand on the opening while they are. */
const settled = ({ sent: _sent, ...event }: Json): Json => event;
const dataOf = async (path: string): Promise<Json[]> =>
  ((await server.get(path)).json.data as Json[]).map(settled);

describe("single events", () => {
  it("come several at a time, whole and in order, without those that there are not", async () => {
    const { id } = await server.ask({ protocol: "debate", rounds: 1 });
    const path = `deliberations/${id}/events`;
    const all = await dataOf(path);
    const got = await dataOf(`${path}?only=5,2,3,2,900`);
    expect(got).toEqual([all[1], all[2], all[4]]);
    expect(await dataOf(`${path}?only=1,2,3&after=1&limit=1`)).toEqual([all[1]]);
    const [head] = await dataOf(`${path}?only=1&texts=head`);
    expect(JSON.stringify(head).length).toBeLessThan(JSON.stringify(all[0]).length + 1);
    const lines = await server.get(`${path}?only=2,4`, { headers: { accept: "application/x-ndjson" } });
    expect(
      lines.text
        .trim()
        .split("\n")
        .map((line): Json => JSON.parse(line)),
    ).toEqual([all[1], all[3]]);
    expect((await server.get(`${path}/4`)).json).toEqual(all[3]);
    expect(await dataOf(`${path}?only=${upTo(200).join()}`)).toEqual(all);
    for (const bad of ["", "0", "x", "1,", "-1", "1;2", upTo(201).join()])
      expectProblem(await server.get(`${path}?only=${bad}`), 400, "invalid-request");
    const headers = { accept: "text/event-stream" };
    expectProblem(await server.get(`${path}?only=1`, { headers }), 400, "invalid-request");
    expectProblem(await server.get(`${path}/900`), 404, "deliberation-missing");
    expectProblem(await server.get("deliberations/222222222222/events?only=1"), 404, "deliberation-missing");
  });

  it("VEIL-1: hide what a person must not see yet, in every way of asking for them", async () => {
    const seats = [{ name: "me", seat: "reviewer" }];
    const asked = { question: SUM, protocol: "council", models: SIMS, seats };
    const { json } = await server.post("deliberations", asked, { headers: { prefer: "wait=9" } });
    expect(json.status).toBe("waiting");
    const path = `deliberations/${json.id}/events`;
    const reviews = async () =>
      (await server.parley.read(json.id)).filter(({ type }) => type === "review-given");
    await expect.poll(reviews).toHaveLength(SIMS.length);
    const shown = await dataOf(path);
    expect(JSON.stringify(shown)).toContain("hidden until the run has ended");
    expect(await dataOf(`${path}?only=${upTo(60).join()}`)).toEqual(shown);
    for (const one of shown) expect(settled((await server.get(`${path}/${one.seq}`)).json)).toEqual(one);
    await server.post(`deliberations/${json.id}/cancel`);
  });

  it("come once where a range reaches over what is left out", async () => {
    const some = [1, 2, 41, 43].map((seq) => ({ seq }) as Entry); // what is read of them
    const read = (after: number, limit?: number) =>
      Promise.resolve(some.filter(({ seq }) => seq > after).slice(0, limit));
    expect(await readOnly(read, [...upTo(4), ...upTo(43, 39)])).toEqual(some);
  });

  it("are read without the rest of a long journal", async () => {
    const { id } = await server.ask({ protocol: "respond", models: [SIMS[0]] });
    const context = server.parley.context({}, { principal: server.principal });
    const note = (text: string) => ({ type: "feedback-given", data: { thumb: "up", text } }) as const;
    for (let nth = 0; nth < 20; nth += 1)
      await context.store.append(
        DeliberationId.parse(id),
        Array.from({ length: 50 }, (_, at) => note(`${nth}/${at}`)),
        { by: "client", request: `note/${nth}` },
      );
    let count = 0;
    const read: typeof context.store.read = async (...given) => {
      const entries = await context.store.read(...given);
      count += entries.length;
      return entries;
    };
    const parley = { ...server.parley, context: () => ({ ...context, store: { ...context.store, read } }) }; // a store that counts
    const reader = await shownReader(parley, server.principal, id as string);
    expect((await readOnly(reader, [500])).map(({ seq }) => seq)).toEqual([500]);
    expect(count).toBe(2); // the opening says whether a person takes part
    expect(await readOnly(reader, [900, 20, 25, 400])).toHaveLength(4);
    expect(count).toBe(2 + 1 + 6 + 1);
    expect(await reader(30, 10)).toHaveLength(10);
    expect(count).toBe(2 + 8 + 10);
  });
});

describe("what is known over all runs", () => {
  const council = { protocol: "council", question: SUM, models: SIMS, reactions: false };
  let other: TestServer;
  let ids: string[];
  beforeAll(async () => {
    other = await testServer();
    ids = [];
    for (const more of [{}, { strategy: "risk-averse" }, { question: "Compare tea and coffee" }])
      ids.push((await other.ask({ ...council, ...more })).id as string);
    await other.ask({ protocol: "debate", rounds: 1 }); // nobody votes in it
  }, 30_000);
  afterAll(() => other[Symbol.asyncDispose]());
  const get = async (path: string): Promise<Json> => {
    const got = await other.get(path);
    expect([got.status, path]).toEqual([200, path]);
    return got.json;
  };

  it("lists votes, the newest run first, by pages that miss and repeat none", async () => {
    const { data, next } = await get("votes?limit=200");
    expect(next).toBe(null);
    expect([...new Set(data.map((one: Json) => one.deliberation as string))]).toEqual(ids.toReversed());
    const keyOf = ({ event, draft }: Json) => `${event} ${draft}`;
    for (const limit of [1, 4, 7, data.length]) {
      const paged: Json[] = [];
      for (let after = ""; ;) {
        const page = await get(`votes?limit=${limit}${after}`);
        paged.push(...page.data);
        expect(page.data.length).toBeGreaterThan(0);
        if (page.next === null) break;
        after = `&after=${encodeURIComponent(page.next)}`;
      }
      expect(paged.map(keyOf)).toEqual(data.map(keyOf));
    }
    const [{ voter }] = data;
    const named = await get(`votes?persona=${voter.persona}&limit=2`);
    const rest = await get(`votes?persona=${voter.persona}&limit=200&after=${named.next}`);
    expect([...named.data, ...rest.data].map(keyOf)).toEqual(
      data
        .filter((one: Json) => [one.voter.persona, one.candidate.persona].includes(voter.persona))
        .map(keyOf),
    );
    expect((await get(`votes?kind=comparison`)).data.every((one: Json) => one.deliberation === ids[2])).toBe(
      true,
    );
    expect((await get(`votes?model=sim/nobody`)).data).toEqual([]);
    expectProblem(await other.get("votes?after=222222222222:1"), 404, "deliberation-missing");
    expectProblem(await other.get("votes?limit=201"), 400, "invalid-request");
    const acme = await other.newKey({ organization: "acme" });
    const foreign = await other.get(`votes?after=${ids[1]}:1`, { key: acme.secret });
    expectProblem(foreign, 404, "deliberation-missing");
    expect((await other.get("votes", { key: acme.secret })).json).toEqual({
      data: [],
      next: null,
      leftOut: [],
    });
  });

  it("adds votes up in a matrix and in leagues", async () => {
    const { data } = await get("votes?limit=200");
    const { by, cells } = await get("votes/matrix?by=model");
    expect(by).toBe("model");
    const counted = (one: Json) =>
      data.filter(
        ({ voter, candidate, rank }: Json) =>
          voter.model === one.voter && candidate.model === one.candidate && rank !== null,
      ).length;
    expect(cells.length).toBeGreaterThan(0);
    for (const cell of cells) expect(cell.votes).toBe(counted(cell));
    const league = await get("league");
    expect(league.by).toBe("persona");
    expect(league.leagues.map(({ kind }: Json) => kind as string)[0]).toBe("all");
    expect(league.leagues[0]).toMatchObject({ sessions: 3, tooFew: true, p: null });
    expect(league.leagues[0].rows[0]).toMatchObject({ sessions: 3, tooFew: expect.any(Boolean) as boolean });
    expect((await get("league?kind=comparison&by=model")).leagues).toMatchObject([
      { kind: "comparison", sessions: 1 },
    ]);
    expect((await get("league?since=2999-01-01")).leagues).toEqual([]);
  });

  it("has claimed and measured shares, and votes apart, in all and by strategy", async () => {
    const measured = await other.post(`deliberations/${ids[0]}/contributions`, { calls: false });
    expect(measured.status).toBe(200);
    const all = await get("contributions");
    const split = await get("contributions?split=strategy");
    expect([all.split, split.split]).toEqual(["none", "strategy"]);
    expect([...new Set(split.rows.map((one: Json) => one.strategy as string))]).toContain("risk-averse");
    for (const { persona, strategy, runs, claimed, sessions } of all.rows) {
      expect(strategy).toBe(null);
      const parts = split.rows.filter((one: Json) => one.persona === persona);
      const sum = (read: (one: Json) => number) =>
        parts.reduce((total: number, one: Json) => total + read(one), 0) as number;
      expect(sum((one) => one.runs)).toBe(runs);
      expect(sum((one) => one.sessions)).toBe(sessions);
      expect(sum((one) => one.claimed.sum)).toBeCloseTo(claimed.sum);
    }
    expect(all.rows.some(({ measured: by }: Json) => Object.keys(by).length > 0)).toBe(true);
  });

  it("adds up what each person and each key spent", async () => {
    const ana = await other.newKey({ user: "ana" });
    const asked = { ...council, question: "What is 2 + 3?" };
    const headers = { prefer: "wait=20" };
    await other.post("deliberations", asked, { key: ana.secret, headers });
    const run = await other.parley.start({
      question: "What is 4 + 4?",
      models: ["sim/ada"],
      protocol: "respond",
    });
    await run.outcome();
    expect((await other.parley.read(run.id))[0]?.data).not.toHaveProperty("client");
    const { rows: users, total } = await get("usage?by=user");
    expect(users.map(({ key }: Json) => key as string).sort()).toEqual(["ana", "local"]);
    const { rows: keys, names } = await get("usage?by=key");
    expect(names[ana.id]).toBe("test");
    expect(keys.find(({ key }: Json) => key === ana.id)?.calls).toBe(
      users.find(({ key }: Json) => key === "ana").calls,
    );
    // What no client asked for has no key.
    expect(keys.map(({ key }: Json) => key as string)).toContain("unknown");
    expect(keys.reduce((sum: number, { calls }: Json) => sum + Number(calls), 0)).toBe(total.calls);
    expect(keys).toHaveLength(3);
  });

  it("shows what reactors do, without places in the store", async () => {
    const { id } = await other.ask({
      protocol: "respond",
      models: [SIMS[0]],
      reactions: true,
      judge: [SIMS[1]],
    });
    await (
      await other.sse(`deliberations/${id}/events`)
    ).ended;
    const { reactors, deliberations, leftOut } = await get("reactors");
    expect(deliberations).toBeGreaterThan(4);
    expect(leftOut).toEqual([]);
    expect(reactors.map(({ reactor }: Json) => reactor as string)).toContain("critic");
    const critic = reactors.find(({ reactor }: Json) => reactor === "critic");
    expect(critic).toMatchObject({ behind: 0, passed: 0, oldestMs: null, said: 1, lastError: null });
    expect(critic.lastSaid.deliberation).toBe(id);
    expect(JSON.stringify(reactors)).not.toContain("cursor");
    expect((await get("reactors?since=2999-01-01")).deliberations).toBe(0);
    // Who asks again at once is told the same, and later what is new.
    const [one, two] = await Promise.all([get("reactors"), get("reactors")]);
    expect(two).toEqual(one);
    await other.ask({ protocol: "respond", models: [SIMS[0]] });
    await expect
      .poll(async () => (await get("reactors")).deliberations as number, { timeout: 3_000 })
      .toBe(deliberations + 1);
  });

  it("VEIL-1: counts no vote of a run with a person until it has ended", async () => {
    const before = (await get("votes?limit=200")).data.length as number;
    const league = (await get("league")).leagues[0].sessions as number;
    const seats = [{ name: "me", seat: "reviewer" }];
    const headers = { prefer: "wait=9" };
    const { json } = await other.post("deliberations", { ...council, seats }, { headers });
    expect(json.status).toBe("waiting");
    const types = async () => (await other.parley.read(json.id)).map(({ type }) => type as string);
    await expect.poll(types).toContain("review-given");
    expect((await get("votes?limit=200")).data).toHaveLength(before);
    expect((await get("league")).leagues[0].sessions).toBe(league);
    await other.post(`deliberations/${json.id}/cancel`);
    expect((await get("votes?limit=200")).data.length).toBeGreaterThan(before);
    expect((await get("league")).leagues[0].sessions).toBe(league + 1);
  });
});
