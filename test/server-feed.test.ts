import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  expectProblem,
  recordLarge,
  SIMS,
  SUM,
  serverPlace,
  testServer,
  type Json,
  type Sse,
  type SseEvent,
  type TestServer,
} from "./support/server.ts";

// One connection follows several deliberations, each as its own stream has it.

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const slowly = (latency: number) => SIMS.map((one) => `${one}&latency=${latency}`);
const open = async (on: TestServer, body: Readonly<Record<string, unknown>>): Promise<string> => {
  const { json } = await on.post("deliberations", {
    ...{ question: SUM, models: slowly(60), protocol: "debate", rounds: 1, reactions: false },
    ...body,
  });
  return json.id as string;
};
const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, at) => from + at);
const feedOf = (seen: ReadonlyMap<string, number>, more = "") =>
  `feed?${[...seen].map(([id, seq]) => `of=${id}:${seq}`).join("&")}${more}`;

/** What came on a feed, by the deliberation that it is of. */
function partsOf({ events }: Pick<Sse, "events">): Map<string, SseEvent[]> {
  const parts = new Map<string, SseEvent[]>();
  let of = "";
  for (const event of events)
    if (event.event === "of") of = String(event.data);
    else if (event.event !== undefined) parts.set(of, [...(parts.get(of) ?? []), event]);
  return parts;
}
const seqsOf = (stream: Pick<Sse, "events">, id: string): number[] =>
  (partsOf(stream).get(id) ?? []).flatMap(({ event, id: seq }) =>
    event === "recorded" ? [Number(seq)] : [],
  );
const journal = async (on: TestServer, id: string): Promise<Json[]> =>
  (await on.get(`deliberations/${id}/events`)).json.data as Json[];

describe("a feed", () => {
  it("has the events of several, interleaved, each once and in order, and ends with the last of them", async () => {
    const ids = [await open(server, {}), await open(server, { models: slowly(200) })];
    const seen = new Map(ids.map((id) => [id, 0]));
    const feed = await server.sse(feedOf(seen));
    expect(feed.headers).toMatchObject({
      ...{ "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
      "cache-control": "no-cache, no-transform",
    });
    await feed.ended;
    const parts = partsOf(feed);
    expect([...parts.keys()].sort()).toEqual([...ids].sort());
    for (const id of ids) {
      const part = parts.get(id) ?? [];
      // What was under way when it was read stands on the opening while it is.
      const settled = ({ sent: _sent, ...data }: Json): Json => data;
      const recorded = part.flatMap(({ event, data }) => (event === "recorded" ? [settled(data)] : []));
      expect(recorded).toEqual((await journal(server, id)).map(settled));
      expect(part.filter(({ event }) => event === "end")).toHaveLength(1);
      expect(part.at(-1)?.event).toBe("end");
      expect(part.some(({ event }) => event === "frames")).toBe(true);
      expect(part.filter(({ event }) => event === "state").at(-1)?.data).toMatchObject({
        status: "answered",
      });
    }
    // It goes to and fro between them, and says so only when it does.
    const named = feed.events.filter(({ event }) => event === "of").map(({ data }) => String(data));
    expect(named.length).toBeGreaterThan(4);
    expect(named.every((id, nth) => id !== named[nth - 1])).toBe(true);
    expect(feed.events.findIndex(({ event }) => event === "of")).toBeLessThan(
      feed.events.findIndex(({ event }) => event === "recorded"),
    );
  });

  it("tells of what has ended that it has, follows the others, and is empty when all have", async () => {
    const [ended, running] = [await open(server, {}), await open(server, { models: slowly(400) })];
    await (
      await server.sse(`deliberations/${ended}/events`)
    ).ended;
    const { length } = await journal(server, ended);
    const feed = await server.sse(feedOf(new Map([[ended, length] as const, [running, 0] as const])));
    await feed.ended;
    expect(
      partsOf(feed)
        .get(ended)
        ?.map(({ event }) => event),
    ).toEqual(["end"]);
    const all = (await journal(server, running)).length;
    expect(seqsOf(feed, running)).toEqual(upTo(all));
    // What was seen in part goes on there.
    const rest = await server.sse(
      feedOf(new Map([[ended, length - 2] as const, [running, all] as const]), "&texts=head"),
    );
    await rest.ended;
    expect(seqsOf(rest, ended)).toEqual([length - 1, length]);
    const over = new Map([[ended, length] as const, [running, all] as const]);
    expect(await server.get(feedOf(over))).toMatchObject({ status: 204, text: "" });
  });

  it("misses nothing and repeats nothing over a server that stops and another that starts", async () => {
    using place = serverPlace();
    const one = await testServer({}, place);
    const ids = await Promise.all([150, 250].map((latency) => open(one, { models: slowly(latency) })));
    const seen = new Map(ids.map((id) => [id, 0]));
    const first = await one.sse(feedOf(seen));
    await first.until(({ id }) => Number(id) >= 3);
    await one.stop(5_000);
    await first.ended;
    for (const id of ids) seen.set(id, seqsOf(first, id).at(-1) ?? 0);
    await using two = await testServer({}, place);
    const second = await two.sse(feedOf(seen));
    await second.ended;
    for (const id of ids) {
      const { length } = await journal(two, id);
      expect([...seqsOf(first, id), ...seqsOf(second, id)]).toEqual(upTo(length));
    }
    expect([one.log, two.log]).toEqual([[], []]);
  }, 30_000);

  it("refuses what is unknown, another's or said twice before it begins", async () => {
    const id = await open(server, {});
    const other = await server.newKey({ organization: "acme" });
    const missing = expectProblem(await server.get("feed?of=222222222222:0"), 404, "deliberation-missing");
    const foreign = expectProblem(
      await server.get(`feed?of=${id}:0`, { key: other.secret }),
      404,
      "deliberation-missing",
    );
    expect(foreign.detail).toBe(String(missing.detail).replaceAll("222222222222", id));
    expectProblem(await server.get(`feed?of=${id}:0&of=222222222222:0`), 404, "deliberation-missing");
    for (const bad of ["", "?of=", `?of=${id}`, `?of=${id}:-1`, `?of=${id}:0&of=${id}:1`, `?of=${id}:0&x=1`])
      expectProblem(await server.get(`feed${bad}`), 400, "invalid-request");
    const many = Array.from({ length: 65 }, (_, nth) => `of=n${nth}:0`).join("&");
    expectProblem(await server.get(`feed?${many}`), 400, "invalid-request");
    expect(await server.request("HEAD", `feed?of=${id}:0`)).toMatchObject({ status: 200, text: "" });
  });

  it("comments once for all that it follows", async () => {
    const ids = await Promise.all([1, 2, 3].map(() => open(server, { models: slowly(60_000) })));
    const feed = await server.sse(feedOf(new Map(ids.map((id) => [id, 0]))));
    const comments = () => feed.events.filter(({ comment }) => comment !== undefined).length;
    await expect.poll(comments, { timeout: 14_000 }).toBeGreaterThanOrEqual(2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(comments()).toBe(2); // the one that it begins with, and one after ten seconds
    feed.close();
    await expect.poll(async () => (await server.get("/metrics")).text).toContain("parley_followers 0\n");
    for (const id of ids) await server.post(`deliberations/${id}/cancel`);
  }, 20_000);
});

it("a feed that is not read is closed when it is 8 MB behind in all, and goes on when it returns", async () => {
  const single = { protocol: "respond", models: ["sim/ada?latency=60000"], rounds: undefined };
  const ids = await Promise.all([1, 2].map(() => open(server, single)));
  const seen = new Map(ids.map((id) => [id, 0]));
  const socket = connect({ host: "127.0.0.1", port: server.port });
  socket.pause();
  socket.write(`GET /api/v1/${feedOf(seen)} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${server.key}\r\n\r\n`);
  // With short texts, so that it keeps up on a busy machine.
  const healthy = await server.sse(feedOf(seen, "&texts=head"));
  await healthy.until(({ event }) => event === "state");
  await recordLarge(server, { ids, count: 24, reader: healthy });
  const lengths = new Map<string, number>();
  for (const id of ids)
    lengths.set(id, (await server.get(`deliberations/${id}/events?texts=head`)).json.data.length as number);
  const whole = (id: string) => upTo(lengths.get(id) ?? 0);
  for (const id of ids) await expect.poll(() => seqsOf(healthy, id), { timeout: 10_000 }).toEqual(whole(id));
  let text = "";
  socket
    .setEncoding("utf8")
    .on("data", (piece: string) => void (text += piece))
    .resume();
  await new Promise((resolve) => socket.once("close", resolve).once("error", () => undefined));
  const got = new Map(ids.map((id) => [id, [] as number[]]));
  let of = "";
  for (const [, id, seq] of text.matchAll(
    /^event: of\ndata: (.*)\n\n|^id: (\d+)\nevent: recorded\ndata: .*\n\n/gm,
  ))
    if (id === undefined) got.get(of)?.push(Number(seq));
    else of = id;
  const total = [...got.values()].flat().length;
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThan(ids.flatMap(whole).length);
  for (const id of ids) seen.set(id, got.get(id)?.at(-1) ?? 0);
  const rest = await server.sse(feedOf(seen, "&texts=head"));
  for (const id of ids)
    await expect
      .poll(() => [...(got.get(id) ?? []), ...seqsOf(rest, id)], { timeout: 10_000 })
      .toEqual(whole(id));
  for (const one of [healthy, rest]) one.close();
  for (const id of ids) await server.post(`deliberations/${id}/cancel`);
}, 60_000);
