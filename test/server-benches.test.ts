import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordedBench } from "./support/recorded-bench.ts";
import { expectProblem, testServer, type Json, type TestServer } from "./support/server.ts";

// Benches on record, over HTTP.

let server: TestServer;
let done: Awaited<ReturnType<typeof recordedBench>>;
let begun: Awaited<ReturnType<typeof recordedBench>>;
beforeAll(async () => {
  server = await testServer();
  done = await recordedBench(server);
  begun = await recordedBench(server, { arms: ["majority"], isRun: false });
}, 30_000);
afterAll(() => server[Symbol.asyncDispose]());

describe("benches on record", () => {
  it("are listed newest first, in pages, and in no list of deliberations", async () => {
    const { json } = await server.get("benches");
    expect(json).toMatchObject({
      data: [
        { id: begun.id, arms: ["majority"], finished: 0, total: 6 },
        { id: done.id, file: "tasks.jsonl", tasks: 7, finished: 14, total: 14, simulated: true },
      ],
      next: null,
    });
    const first = (await server.get("benches?limit=1")).json;
    expect([first.data.length, first.next]).toEqual([1, begun.id]);
    const second = (await server.get(`benches?limit=1&after=${first.next}`)).json;
    expect(second).toEqual({ data: json.data.slice(1), next: null });
    const listed = (await server.get("deliberations")).json.data as Json[];
    expect(listed.map(({ protocol }) => protocol as string)).toEqual(["judge"]);
  });

  it("are reported as the command reports them, and with the beginnings of texts where that is asked for", async () => {
    const { json } = await server.get(`benches/${done.id}`);
    expect(json).toMatchObject({ id: done.id, openedAt: expect.stringMatching(/^\d{4}-/) as string });
    expect(json.report).toEqual(JSON.parse(JSON.stringify(done.report)));
    expect(json.report.judged).toMatchObject({ model: "sim/judy", arms: [{ n: 1 }] });
    const head = (await server.get(`benches/${done.id}?texts=head`)).json;
    const longest = ({ report }: Json) =>
      Math.max(...report.rows.map(({ answer }: Json) => (answer as string | null)?.length ?? 0));
    expect([longest(json) > 200, longest(head)]).toEqual([true, 200]);
    expect({ ...head, report: { ...head.report, rows: [] } }).toEqual({
      ...json,
      report: { ...json.report, rows: [] },
    });
    expect((await server.get(`benches/${begun.id}`)).json.report).toMatchObject({
      complete: false,
      rows: [],
    });
    const run = json.report.rows[0].deliberations[0] as string;
    expect((await server.get(`deliberations/${run}`)).status).toBe(200);
  });

  it("are those of the caller's organization, for whoever may read", async () => {
    const get = async (path: string, of: Parameters<TestServer["newKey"]>[0]): Promise<Json> =>
      server.get(path, { key: (await server.newKey(of)).secret });
    expect((await get("benches", { organization: "other" })).json).toEqual({ data: [], next: null });
    expectProblem(await get(`benches/${done.id}`, { organization: "other" }), 404, "deliberation-missing");
    for (const path of ["benches", `benches/${done.id}`])
      expectProblem(await get(path, { scopes: ["write"] }), 403, "forbidden");
    expectProblem(await server.get("benches", { key: null }), 401, "authentication");
  });

  it("are missing where a run is no bench, or where there is none", async () => {
    const { id } = await server.ask({ protocol: "respond", models: ["sim/ada"], reactions: false });
    for (const other of [id, "222222222222", "x"])
      expectProblem(await server.get(`benches/${other}`), 404, "deliberation-missing");
    expectProblem(await server.get("benches?limit=0"), 400, "invalid-request");
  });
});
