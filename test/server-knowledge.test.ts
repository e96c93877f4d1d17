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
const dataOf = async (path: string): Promise<Json[]> => (await server.get(path)).json.data as Json[];

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
        .map((line) => JSON.parse(line) as Json),
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
    const shown = await dataOf(path);
    expect(JSON.stringify(shown)).toContain("hidden until the run has ended");
    expect(await dataOf(`${path}?only=${upTo(60).join()}`)).toEqual(shown);
    for (const one of shown) expect((await server.get(`${path}/${one.seq}`)).json).toEqual(one);
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
    const parley = {
      ...server.parley,
      context: () => ({ ...context, store: { ...context.store, read } }),
    } as unknown as TestServer["parley"]; // a store that counts
    const reader = await shownReader(parley, server.principal, id as string);
    expect((await readOnly(reader, [500])).map(({ seq }) => seq)).toEqual([500]);
    expect(count).toBe(2); // the opening says whether a person takes part
    expect(await readOnly(reader, [900, 20, 25, 400])).toHaveLength(4);
    expect(count).toBe(2 + 1 + 6 + 1);
    expect(await reader(30, 10)).toHaveLength(10);
    expect(count).toBe(2 + 8 + 10);
  });
});
