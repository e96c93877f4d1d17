import { expect, it } from "vitest";
import { DeliberationId, type NewEvent } from "../src/kernel/index.ts";
import { SIMS, SUM, serverPlace, testServer, type Json, type TestServer } from "./support/server.ts";

// VEIL-1: what a deliberation asks of people, over HTTP and over restarts of the server.

const DRAFT = "It is 391, by the shape of it.\n\nFinal answer: 391";
const council = { question: SUM, models: SIMS.slice(0, 2), protocol: "council", reactions: false };
const wait = { headers: { prefer: "wait=20" } };

const waitingFor = async (server: TestServer, id: string): Promise<Json> =>
  expect
    .poll(async () => (await server.get(`deliberations/${id}`)).json.status as string, { timeout: 10_000 })
    .toBe("waiting");

it("asks a debate's questions, takes the first answers, and goes on", async () => {
  await using server = await testServer();
  const opened = await server.post(
    "deliberations",
    {
      ...{ question: "How should a small team deploy?", protocol: "debate", rounds: 1, clarify: true },
      models: ["sim/ada?asks=2&family=sim-a", "sim/bo?asks=1&family=sim-b", "sim/cy?family=sim-c"],
      reactions: false,
    },
    wait,
  );
  expect(opened).toMatchObject({ status: 202, json: { status: "waiting" } });
  const path = `deliberations/${opened.json.id}`;
  const { questions, seats } = (await server.get(`${path}/waiting`)).json;
  expect(questions.questions).toHaveLength(5);
  expect(seats).toEqual([]);
  expect((await server.get("inbox")).json.data).toMatchObject([{ id: opened.json.id, kind: "questions" }]);
  expect((await server.get("deliberations?status=waiting")).json.data).toMatchObject([
    { id: opened.json.id },
  ]);
  const [first] = questions.questions;
  const stray = await server.post(`${path}/answers`, { answers: { nobody: "x" } });
  expect(stray).toMatchObject({ status: 422, json: { code: "configuration" } });
  const rivals = await Promise.all(
    ["Ten.", "Twelve."].map((text) => server.post(`${path}/answers`, { answers: { [first.id]: text } })),
  );
  expect(rivals.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const resumed = await server.post(`${path}/resume`, undefined, wait);
  expect([200, 409]).toContain(resumed.status);
  expect((await server.get(path)).json.status).toBe("answered");
  expect(await server.post(`${path}/answers`, { answers: {} })).toMatchObject({
    status: 409,
    json: { code: "answered" },
  });
  expect((await server.get("inbox")).json.data).toEqual([]);
});

it("keeps a person's seat over two restarts, takes one answer from elsewhere, and hides what others wrote", async () => {
  using place = serverPlace();
  const first = await testServer({}, place);
  const models = SIMS.slice(0, 2).map((one) => `${one}&latency=300`);
  const { json } = await first.post("deliberations", {
    ...{ ...council, models, seats: [{ name: "me", seat: "reviewer" }] },
  });
  const path = `deliberations/${json.id}`;
  const stream = await first.sse(`${path}/events`);
  await waitingFor(first, json.id);
  const [seat] = (await first.get(`${path}/waiting`)).json.seats;
  expect(seat).toMatchObject({ person: "local", work: "review" });
  const [, label = "A", other = "B"] =
    /\[BEGIN answer (\w+) [\s\S]*\[BEGIN answer (\w+) /.exec(JSON.stringify(seat.messages)) ?? [];
  // Whoever reviews must not see who wrote what, in whatever form it is asked for.
  const entries = await first.parley.read(json.id);
  const drafts = entries.flatMap((entry) =>
    entry.type === "answer-given" ? [entry.data.text.slice(0, 60)] : [],
  );
  expect(drafts.length).toBe(2);
  await stream.until(({ data }) => data?.status === "waiting");
  const live = JSON.stringify(stream.events);
  for (const draft of drafts) expect(live).not.toContain(JSON.stringify(draft).slice(1, -1));
  expect(stream.events.filter(({ event }) => event === "frames")).toEqual([]);
  expect(stream.seqs().length).toBeGreaterThan(2);
  stream.close();
  const shown = [
    "",
    "/events",
    "/events?texts=head",
    ...["md", "html", "json", "jsonl", "csv", "adr", "local2"].map((one) => `/export?format=${one}`),
  ];
  for (const at of shown) {
    const { status, text } = await first.get(path + at);
    expect([at, status]).toEqual([at, 200]);
    for (const draft of drafts) expect(text, at).not.toContain(JSON.stringify(draft).slice(1, -1));
  }
  const { secret } = await first.newKey({ user: "bob" });
  expect((await first.get(`${path}/waiting`, { key: secret })).json.seats).toEqual([]);
  const foreign = await first.post(`${path}/answers`, { text: "mine" }, { key: secret });
  expect(foreign).toMatchObject({ status: 422, json: { code: "configuration" } });
  await first.stop(0);
  await (await testServer({}, place)).stop(0);
  await using third = await testServer({}, place);
  await waitingFor(third, json.id);
  expect(await third.post(`${path}/answers`, { text: "no ranking at all" })).toMatchObject({
    ...{ status: 422, json: { code: "answer-refused" } },
  });
  const review = JSON.stringify({ reviews: [], ranking: [label, other] });
  // Another process: a terminal over the same store.
  const elsewhere = await third.parley.answerSeat(json.id, { text: review });
  expect(elsewhere.status).toBe("recorded");
  expect(await third.post(`${path}/answers`, { text: review })).toMatchObject({
    ...{ status: 409, json: { code: "answered" } },
  });
  await expect
    .poll(async () => (await third.get(path)).json.status as string, { timeout: 15_000 })
    .toBe("answered");
  const after = await third.get(`${path}/events`);
  for (const draft of drafts) expect(after.text).toContain(JSON.stringify(draft).slice(1, -1));
}, 40_000);

it("goes on without a person who abstains, and the first of an answer and an abstention stands", async () => {
  await using server = await testServer();
  const seats = [{ name: "me", seat: "member" }];
  const { json } = await server.post("deliberations", { ...council, seats }, wait);
  const path = `deliberations/${json.id}`;
  const { secret } = await server.newKey({ user: "bob" });
  expect((await server.post(`${path}/answers`, { abstain: true }, { key: secret })).status).toBe(422);
  for (const body of [{ abstain: false }, { abstain: true, text: DRAFT }])
    expect((await server.post(`${path}/answers`, body)).json.code).toBe("invalid-request");
  const [{ step }] = (await server.get(`${path}/waiting`)).json.seats;
  expect(await server.post(`${path}/answers`, { abstain: true, step: "review/local" })).toMatchObject({
    status: 422,
  });
  expect(await server.post(`${path}/answers`, { abstain: true, step })).toMatchObject({
    ...{ status: 200, json: { status: "recorded", step } },
  });
  for (const body of [{ text: DRAFT }, { abstain: true, step }])
    expect(await server.post(`${path}/answers`, body)).toMatchObject({
      ...{ status: 409, json: { code: "answered", detail: "local abstained before, and that stands" } },
    });
  await expect
    .poll(async () => (await server.get(path)).json.status as string, { timeout: 8_000 })
    .toBe("answered-degraded");
  const { degraded } = (await server.get(path)).json;
  expect(degraded).toMatchObject([{ what: "the draft of local", why: "refused: local abstained" }]);
  const second = await server.post("deliberations", { ...council, seats }, wait);
  const other = `deliberations/${second.json.id}/answers`;
  expect((await server.post(other, { text: DRAFT, step })).status).toBe(200);
  expect(await server.post(other, { abstain: true, step })).toMatchObject({
    ...{ status: 409, json: { code: "answered", detail: expect.stringContaining("first answer") as string } },
  });
});

it("goes on without a person whose time is up", async () => {
  await using server = await testServer();
  const seats = [{ name: "me", seat: "member" }];
  const { json } = await server.post("deliberations", { ...council, seats, seatTimeoutMs: 1_500 }, wait);
  expect(json.status).toBe("waiting");
  await expect
    .poll(async () => (await server.get(`deliberations/${json.id}`)).json.status as string, {
      timeout: 8_000,
    })
    .toBe("answered-degraded");
  const { data } = (await server.get(`deliberations/${json.id}/events`)).json;
  expect(data.map(({ type }: Json) => type as string)).toContain("seat-expired");
});

it("drives on at once with an answer that comes while the drive is ending", async () => {
  await using server = await testServer();
  const seats = [{ name: "me", seat: "member" }];
  for (let turn = 0; turn < 3; turn += 1) {
    const { json } = await server.post("deliberations", { ...council, seats });
    const path = `deliberations/${json.id}`;
    // As soon as the seat is open, which is before the models have drafted.
    await expect
      .poll(async () => (await server.get(`${path}/waiting`)).json.seats.length as number, { interval: 1 })
      .toBe(1);
    expect((await server.post(`${path}/answers`, { text: DRAFT })).status).toBe(200);
    await expect
      .poll(async () => (await server.get(`${path}/waiting`)).json.seats[0]?.work as string, {
        timeout: 8_000,
      })
      .toBe("review");
  }
}, 40_000);

it("DRIVES-1: drives on all that was left open, of every organization and behind any number of others", async () => {
  using place = serverPlace();
  const first = await testServer({ maxDrives: 1 }, place);
  const question = { question: SUM, models: ["sim/ada?latency=400"], protocol: "respond", reactions: false };
  const { secret } = await first.newKey({ organization: "acme" });
  const left = await Promise.all(
    [{ key: secret }, {}].map(async (sent) => (await first.post("deliberations", question, sent)).json.id),
  );
  const { store } = first.parley.context({}, { principal: first.principal }).process;
  const own = store.for(first.principal.organization);
  const opened = (await own.read(left[1])).slice(0, 1).map(({ type, data }) => ({ type, data }) as NewEvent);
  // More than a page of them, opened later, which another server drives.
  await Promise.all(
    Array.from({ length: 1_001 }, async (_, nth) => {
      const id = DeliberationId.parse(`z${nth}`);
      await own.append(id, opened, { by: "open", request: `api/x/${nth}` });
      await store.lease(`drive/${id}`, "another", 60_000);
    }),
  );
  await first.stop(0);
  await using second = await testServer({}, place);
  for (const [id, sent] of [
    [left[0], { key: secret }],
    [left[1], {}],
  ] as const)
    await expect
      .poll(async () => (await second.get(`deliberations/${id}`, sent)).json.status as string, {
        timeout: 5_000,
      })
      .toBe("answered");
}, 30_000);
