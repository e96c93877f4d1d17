import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DeliberationId } from "../src/kernel/index.ts";
import { expectProblem, SIMS, SUM, testServer, type Json, type TestServer } from "./support/server.ts";

// REQUEST-1, ACCESS-1: the native API as a client finds it, in this process, on simulated models.

let server: TestServer;
/** A council that has ended. */
let done: Json;
beforeAll(async () => {
  server = await testServer();
  done = await server.ask({ labels: { team: "blue" } });
});
afterAll(() => server[Symbol.asyncDispose]());

const wait = { headers: { prefer: "wait=20" } };
const question = { question: SUM, models: SIMS, protocol: "council", reactions: false };

/** Waits until a deliberation has this status. */
async function reaches(id: string, status: string): Promise<Json> {
  for (let turn = 0; turn < 200; turn += 1) {
    const { json } = await server.get(`deliberations/${id}`);
    if (json.status === status) return json;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${id} did not reach ${status}: ${(await server.get(`deliberations/${id}`)).text}`);
}

describe("opening", () => {
  it("answers 202 at once with where everything is, and gives the result later", async () => {
    const got = await server.post("deliberations", question);
    expect(got.status).toBe(202);
    const { id, url, events } = got.json;
    expect(got.headers.location).toBe(url);
    expect(got.json).toMatchObject({ status: "open", place: expect.any(Number) as number });
    expect(await reaches(id, "answered")).toMatchObject({ id, finalAnswer: "391" });
    expect((await server.get(new URL(url).pathname)).status).toBe(200);
    expect((await server.get(new URL(events).pathname)).json.data.length).toBeGreaterThan(5);
  });

  it("gives the result itself to who waits, and 202 to who waits too briefly", async () => {
    expect((await server.post("deliberations", question, wait)).status).toBe(200);
    const slow = { ...question, protocol: "respond", models: ["sim/ada?latency=1500"] };
    // The server's second begins after this one's 950 ms.
    let hasWaited = false;
    setTimeout(() => (hasWaited = true), 950);
    const late = await server.post("deliberations", slow, { headers: { prefer: "respond-async, wait=1" } });
    expect([late.status, hasWaited]).toEqual([202, true]);
    await server.post(`deliberations/${late.json.id}/cancel`);
  });

  it("REQUEST-1: joins a repeat, two at once, and refuses the name for another body", async () => {
    const named = { headers: { "idempotency-key": "once" } };
    const [one, two] = await Promise.all([
      server.post("deliberations", question, named),
      server.post("deliberations", question, named),
    ]);
    expect([one.status, two.status]).toEqual([202, 202]);
    expect(two.json.id).toBe(one.json.id);
    expect([one, two].filter(({ headers }) => headers["idempotent-replayed"] === "true")).toHaveLength(1);
    const joined = await server.post("deliberations", question, {
      headers: { ...named.headers, ...wait.headers },
    });
    expect(joined).toMatchObject({ status: 200, headers: { "idempotent-replayed": "true" } });
    expect(joined.json).toMatchObject({ id: one.json.id, calls: 7 });
    const other = await server.post("deliberations", { ...question, question: "What is 2 + 2?" }, named);
    expectProblem(other, 422, "idempotency-key-reused");
    const rivals = await Promise.all(
      ["1 + 1", "1 + 2"].map((sum) =>
        server.post(
          "deliberations",
          { ...question, question: `What is ${sum}?` },
          { headers: { "idempotency-key": "rivals" } },
        ),
      ),
    );
    expect(rivals.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 422]);
    // A name is its client's own.
    const { secret } = await server.newKey();
    const own = await server.post("deliberations", question, { ...named, key: secret });
    expect(own.json.id).not.toBe(one.json.id);
    for (const bad of ["", "a b", "x".repeat(201)])
      expectProblem(
        await server.post("deliberations", question, { headers: { "idempotency-key": bad } }),
        400,
        "invalid-request",
      );
  });

  it("refuses what it cannot carry out with a code and the next step, and names the nearest field", async () => {
    const typo = expectProblem(
      await server.post("deliberations", { ...question, modles: [] }),
      422,
      "invalid-request",
    );
    expect(`${typo.detail} ${typo.next}`).toContain("models");
    const rounds = expectProblem(
      await server.post("deliberations", { ...question, rounds: 2 }),
      422,
      "invalid-request",
    );
    expect(rounds.detail).toContain("rounds");
    expectProblem(await server.post("deliberations", { ...question, request: "r" }), 422, "invalid-request");
    expectProblem(await server.post("deliberations", { models: SIMS }), 422, "invalid-request");
    const price = await server.post("deliberations", {
      ...question,
      maxCostUsd: 1,
      models: ["openai/nobody-knows"],
    });
    expect(price.status).toBe(422);
    expect(price.json.next).toEqual(expect.any(String));
    const budget = await server.post("deliberations", { ...question, maxCalls: 1 }, wait);
    expect([200, 402]).toContain(budget.status);
  });

  it("REQUEST-2: refuses a deliberation that a deliberation asks for", async () => {
    const deep = { headers: { "x-parley-depth": "1" } };
    expectProblem(await server.post("deliberations", question, deep), 400, "recursion");
    expectProblem(await server.post(`deliberations/${done.id}/fork`, {}, deep), 400, "recursion");
  });
});

describe("lists", () => {
  it("filter by status, protocol, user, label and words, and page by keys of 200", async () => {
    const first = (await server.get("deliberations?limit=1")).json;
    expect(first.data).toHaveLength(1);
    await Promise.all(
      Array.from({ length: 205 }, (_, nth) =>
        server.parley.open({
          question: `Page ${nth}: what is ${nth} + 1?`,
          models: [SIMS[0]],
          protocol: "respond",
          reactions: false,
        }),
      ),
    );
    const found: string[] = [];
    const sizes: number[] = [];
    for (let after = ""; ;) {
      const { json } = await server.get(`deliberations?limit=200&q=page${after}`);
      sizes.push(json.data.length);
      found.push(...json.data.map(({ id }: Json) => id as string));
      if (json.next === null) break;
      after = `&after=${json.next}`;
    }
    expect(sizes).toEqual([200, 5]);
    expect(new Set(found).size).toBe(205);
    const ids = async (query: string) =>
      (await server.get(`deliberations?limit=200&${query}`)).json.data.map(({ id }: Json) => id as string);
    expect(await ids("label=team:blue")).toEqual([done.id]);
    expect(await ids("label=team:red")).toEqual([]);
    expect(await ids("label=team:blue&label=x:y")).toEqual([]);
    expect(await ids("protocol=council")).toContain(done.id);
    expect(await ids("protocol=debate")).toEqual([]);
    expect(await ids("status=answered")).toContain(done.id);
    expect(await ids("user=local&protocol=respond")).toContain(found[0]);
    expect(await ids("status=open")).not.toContain(done.id);
    expect(await ids("user=nobody")).toEqual([]);
    expect(await ids("q=17%20what")).toContain(done.id);
    expect(await ids("since=2999-01-01")).toEqual([]);
    expect(await ids("until=2001-01-01")).toEqual([]);
    for (const bad of [
      "limit=201",
      "limit=0",
      "limit=x",
      "limit=1&limit=2",
      "colour=1",
      "after=%20",
      "since=soon",
      "label=x",
    ])
      expect([bad, (await server.get(`deliberations?${bad}`)).json]).toMatchObject([
        bad,
        { status: 400, code: "invalid-request" },
      ]);
  });
});

describe("a result", () => {
  it("has its seq as its ETag, which answers 304 in every spelling", async () => {
    const path = `deliberations/${done.id}`;
    const { headers, json } = await server.get(path);
    expect(json).toEqual(done);
    const events = (await server.get(`${path}/events`)).json.data;
    expect(headers.etag?.startsWith(`"${events.at(-1).seq}`)).toBe(true); // and what was sent
    const etag = headers.etag ?? "";
    for (const given of [etag, `W/${etag}`, `"1", ${etag}`, "*"]) {
      const unchanged = await server.get(path, { headers: { "if-none-match": given } });
      expect([given, unchanged.status, unchanged.text]).toEqual([given, 304, ""]);
      expect(unchanged.headers.etag).toBe(etag);
    }
    expect((await server.get(path, { headers: { "if-none-match": '"1"' } })).status).toBe(200);
  });

  it("is read by HEAD as by GET, without its body", async () => {
    const path = `deliberations/${done.id}`;
    const [got, head] = await Promise.all([server.get(path), server.request("HEAD", path)]);
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers["content-length"]).toBe(got.headers["content-length"]);
    const stream = await server.request("HEAD", `${path}/events`, {
      headers: { accept: "text/event-stream" },
    });
    expect([200, 204]).toContain(stream.status);
    const open = await server.parley.open({ question: SUM, models: [SIMS[0]], protocol: "respond" });
    const live = await server.request("HEAD", `deliberations/${open.opened.deliberation}/events`, {
      headers: { accept: "text/event-stream" },
    });
    expect(live).toMatchObject({ status: 200, text: "" });
  });
});

describe("the journal", () => {
  it("is JSON by pages, NDJSON, and single events, without the store's cursor", async () => {
    const path = `deliberations/${done.id}/events`;
    const { data, next } = (await server.get(path)).json;
    expect(next).toBeNull();
    expect(data.map(({ seq }: Json) => seq)).toEqual(data.map((_: Json, at: number) => at + 1));
    const page = (await server.get(`${path}?after=2&limit=3`)).json;
    expect(page.data).toEqual(data.slice(2, 5));
    expect(page.next).toBe(5);
    const lines = await server.get(path, { headers: { accept: "application/x-ndjson" } });
    expect(lines.headers["content-type"]).toBe("application/x-ndjson");
    expect(
      lines.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(data);
    expect((await server.get(`${path}/3`)).json).toEqual(data[2]);
    expectProblem(await server.get(`${path}/9999`), 404, "deliberation-missing");
    const head = (await server.get(`${path}?texts=head`)).text;
    expect(head.length).toBeLessThan(JSON.stringify(data).length);
    expectProblem(await server.get(path, { headers: { accept: "text/html" } }), 406, "not-acceptable");
  });

  it.each(["identity", "gzip"])("comes line by line where it is long, each once: %s", async (coding) => {
    const { id } = await server.ask({ protocol: "respond", models: SIMS.slice(0, 1) });
    const { store } = server.parley.context({}, { principal: server.principal });
    await Promise.all(
      Array.from({ length: 1_100 }, (_, nth) =>
        store.append(DeliberationId.parse(id), [{ type: "feedback-given", data: { thumb: "up" } }], {
          by: "client",
          request: `again/${nth}`,
        }),
      ),
    );
    const headers = { authorization: `Bearer ${server.key}`, accept: "application/x-ndjson" };
    const reply = await fetch(`${server.url}api/v1/deliberations/${id}/events`, {
      headers: { ...headers, "accept-encoding": coding },
    });
    expect(reply.headers.get("content-encoding")).toBe(coding === "gzip" ? "gzip" : null);
    const seqs = (await reply.text())
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { seq: number }).seq);
    expect(seqs.length).toBeGreaterThan(1_100);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });

  it("is exported in every format that the run has", async () => {
    const debate = await server.ask({ protocol: "debate", rounds: 1 });
    const types: Record<string, RegExp> = {
      ...{
        md: /^text\/markdown/,
        html: /^text\/html/,
        json: /^application\/json/,
        jsonl: /^application\/x-ndjson/,
      },
      ...{
        csv: /^text\/csv/,
        adr: /^text\/markdown/,
        debate: /^application\/json/,
        dialectic: /^application\/json/,
      },
      local2: /^application\/x-ndjson/,
    };
    for (const [format, type] of Object.entries(types)) {
      const got = await server.get(`deliberations/${debate.id}/export?format=${format}`);
      expect([format, got.status]).toEqual([format, 200]);
      expect(got.headers["content-type"]).toMatch(type);
      expect(got.headers["content-disposition"]).toContain(debate.id);
      expect(got.headers["content-security-policy"]).toContain("sandbox");
      expect(got.text.length, format).toBeGreaterThan(40);
      expect(got.text, format).not.toContain('"cursor"');
      if (type.source.includes("json"))
        for (const line of format.endsWith("l") || format === "local2"
          ? got.text.trim().split("\n")
          : [got.text])
          JSON.parse(line);
    }
    for (const format of ["debate", "dialectic"])
      expectProblem(
        await server.get(`deliberations/${done.id}/export?format=${format}`),
        422,
        "configuration",
      );
    expectProblem(await server.get(`deliberations/${done.id}/export?format=exe`), 400, "invalid-request");
  });
});

describe("actions", () => {
  it("cancel for good, as often as they like, and refuse to resume what has ended", async () => {
    const { json } = await server.post("deliberations", {
      ...question,
      models: SIMS.map((one) => `${one}&latency=5000`),
    });
    const [one, two] = [
      await server.post(`deliberations/${json.id}/cancel`),
      await server.post(`deliberations/${json.id}/cancel`),
    ];
    expect(one).toMatchObject({ status: 200, json: { cancelled: true, status: "cancelled" } });
    expect(two).toMatchObject({ status: 200, json: { cancelled: false, status: "cancelled" } });
    expectProblem(await server.post(`deliberations/${json.id}/resume`), 409, "deliberation-closed");
    expect((await server.post(`deliberations/${done.id}/cancel`)).json).toMatchObject({
      cancelled: false,
      status: "answered",
    });
  });

  it("resume what somebody else opened", async () => {
    const { opened } = await server.parley.open({ ...question, request: "by-a-terminal" });
    const got = await server.post(`deliberations/${opened.deliberation}/resume`, undefined, wait);
    expect(got).toMatchObject({ status: 200, json: { finalAnswer: "391" } });
  });

  it("fork with changes, from an earlier event, and once for a repeat", async () => {
    const vote = await server.post(`deliberations/${done.id}/fork`, { mode: "vote" }, wait);
    expect(vote).toMatchObject({ status: 200, json: { calls: 0, status: "answered" } });
    const early = await server.post(`deliberations/${done.id}/fork`, { upToSeq: 2 }, wait);
    expect(early.json.calls).toBeGreaterThan(3);
    const named = { headers: { "idempotency-key": "fork" } };
    const one = await server.post(`deliberations/${done.id}/fork`, { strategy: "risk-averse" }, named);
    expect(one).toMatchObject({ status: 201, json: { status: "open" } });
    const two = await server.post(
      `deliberations/${done.id}/fork`,
      { strategy: "risk-averse" },
      { headers: { ...named.headers, ...wait.headers } },
    );
    expect(two).toMatchObject({ status: 200, json: { id: one.json.id, calls: 1 } });
    expectProblem(
      await server.post(`deliberations/${done.id}/fork`, { strategy: "balanced" }, named),
      422,
      "idempotency-key-reused",
    );
    expectProblem(
      await server.post(`deliberations/${done.id}/fork`, { upToSeq: 999 }),
      422,
      "invalid-request",
    );
    expectProblem(await server.post(`deliberations/${done.id}/fork`, { strat: 1 }), 422, "invalid-request");
  });

  it("retry what an outage failed, and refuse that where nothing was lost", async () => {
    const retry = { retry: true };
    expectProblem(await server.post(`deliberations/${done.id}/fork`, retry), 422, "configuration");
    const models = [...SIMS.slice(0, 2), "sim/cy?fail=1"];
    const lost = await server.ask({ ...question, models });
    expect(lost).toMatchObject({ status: "answered-degraded" });
    const estimate = await server.post(`deliberations/${lost.id}/fork/estimate`, retry);
    expect(estimate).toMatchObject({ status: 200, json: { reusable: 3 } });
    const again = await server.post(`deliberations/${lost.id}/fork`, retry, wait);
    // It fails as before, and nobody else is asked.
    expect(again).toMatchObject({ status: 200, json: { status: "answered-degraded", calls: 4 } });
  }, 30_000);

  it("estimate a fork as a whole run, count what it can reuse, and record nothing", async () => {
    const before = (await server.get("deliberations?limit=200")).json.data.length;
    const estimate = async (body: object) => {
      const got = await server.post(`deliberations/${done.id}/fork/estimate`, body);
      expect(got).toMatchObject({ status: 200, json: { protocol: "council" } });
      return got.json;
    };
    const whole = (await server.post("estimate", question)).json;
    const same = await estimate({});
    expect(same.total).toEqual(whole.total);
    expect(same.reusable).toBe(done.calls);
    expect((await estimate({ upToSeq: 1 })).reusable).toBe(0);
    const without = await estimate({ without: [done.participants[0].id] });
    expect(without.total.calls.high).toBeLessThan(whole.total.calls.high);
    expect(without.reusable).toBeLessThan(done.calls);
    const chaired = await estimate({ chair: ["sim/dee"] });
    expect(chaired.reusable).toBe(done.calls - 1);
    expect((await server.get("deliberations?limit=200")).json.data).toHaveLength(before);
    const refused = await server.post(`deliberations/${done.id}/fork/estimate`, { upToSeq: 999 });
    expectProblem(refused, 422, "invalid-request");
  });

  it("refuse to fork with a goal what has none", async () => {
    const { id } = await server.ask({ protocol: "respond", models: [SIMS[0]] });
    expectProblem(await server.post(`deliberations/${id}/fork`, { goal: "speed" }), 422, "configuration");
  });

  it("replay, measure and rate", async () => {
    const replayed = await server.post(`deliberations/${done.id}/replay`);
    expect(replayed).toMatchObject({ status: 200, json: { id: done.id, closed: true, calls: 7 } });
    const claimed = await server.post(`deliberations/${done.id}/contributions`);
    expect(claimed.status).toBe(200);
    const rated = await server.post(`deliberations/${done.id}/feedback`, { thumb: "up", text: "Right." });
    expect(rated).toMatchObject({ status: 201, json: { status: expect.any(String) as string } });
    expectProblem(await server.post(`deliberations/${done.id}/feedback`, {}), 422, "invalid-request");
    expectProblem(
      await server.post(`deliberations/${done.id}/feedback`, { thumb: "sideways" }),
      422,
      "invalid-request",
    );
    const events = (await server.get(`deliberations/${done.id}/events`)).json.data;
    expect(events.filter(({ type }: Json) => type === "feedback-given")).toHaveLength(1);
  });
});

describe("memory and catalog", () => {
  it("pins, finds and forgets a fact", async () => {
    const pinned = await server.post("memory/facts", { fact: "The queue is called heron." });
    expect(pinned).toMatchObject({ status: 201, json: { fresh: true } });
    const { id } = pinned.json;
    expect((await server.post("memory/facts", { fact: "The queue is called heron." })).json.fresh).toBe(
      false,
    );
    expect((await server.get("memory/facts")).text).toContain("heron");
    expect((await server.get(`memory/engrams/${encodeURIComponent(id)}`)).status).toBe(200);
    expect((await server.request("DELETE", `memory/facts/${encodeURIComponent(id)}`)).status).toBe(204);
    expect((await server.get("memory/facts")).text).not.toContain("heron");
    expectProblem(await server.get("memory/engrams/nothing"), 404, "not-found");
  });

  it("remembers an answer, and finds it by words", async () => {
    await server.ask({
      protocol: "respond",
      models: [SIMS[0]],
      question: "What is 12 * 12?",
      reactions: true,
    });
    await expect
      .poll(async () => (await server.get("memory/search?q=12")).json.engrams.length)
      .toBeGreaterThan(0);
  });

  it("lists what is installed, what is set and what was spent", async () => {
    const names = async (kind: string) =>
      (await server.get(kind)).json.data.map(({ name }: Json) => name as string);
    expect(await names("personas")).toContain("analyst");
    expect(await names("strategies")).toContain("risk-averse");
    expect(await names("packs")).toContain("architecture-decision");
    expect((await server.get("models")).json.models[0].ref).toMatch(/^sim\//);
    expect((await server.get("config")).json).toMatchObject({
      strategy: { value: "balanced", from: "default" },
    });
    const usage = (await server.get("usage?by=protocol&since=1h")).json;
    expect(usage.rows.map(({ key }: Json) => key as string)).toContain("council");
    expect(usage.total.calls).toBeGreaterThan(6);
    const estimate = await server.post("estimate", question);
    expect(estimate).toMatchObject({
      status: 200,
      json: { protocol: "council", total: { calls: { low: expect.any(Number) as number } } },
    });
    expectProblem(await server.post("estimate", { ...question, request: "r" }), 422, "invalid-request");
  });
});
