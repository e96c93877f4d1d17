import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Entry } from "../src/kernel/index.ts";
import { DeliberationId } from "../src/kernel/index.ts";
import { createFollowers, type Sink } from "../src/server/followers.ts";
import {
  recordLarge,
  SIMS,
  SUM,
  serverPlace,
  testServer,
  type Json,
  type Sse,
  type TestServer,
} from "./support/server.ts";

// STREAM-1: whoever follows a deliberation sees each of its events once, in order.

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
  // Another run stands before, so that no seq is a cursor by chance.
  await server.ask({ protocol: "respond", models: [SIMS[0]] });
});
afterAll(() => server[Symbol.asyncDispose]());

const debate = { question: SUM, protocol: "debate", rounds: 1, reactions: false };
const slowly = (latency: number) => SIMS.map((one) => `${one}&latency=${latency}`);
const open = async (body: Readonly<Record<string, unknown>>): Promise<string> => {
  const { json } = await server.post("deliberations", {
    question: SUM,
    models: SIMS,
    reactions: false,
    ...body,
  });
  return json.id as string;
};
const isEnd = ({ event }: { event?: string }) => event === "end";
const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, at) => from + at);

/** What frames come to by step and attempt. @throws Error where a piece is missing */
function textsOf({ events }: Pick<Sse, "events">): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { event, data } of events)
    if (event === "frames")
      for (const { step, attempt, offset, text } of data) {
        const key = `${step}/${attempt}`;
        const known = offset === 0 ? "" : (texts.get(key) ?? "");
        if (known.length !== offset)
          throw new Error(`${key}: ${known.length} characters, and a piece at ${offset}`);
        texts.set(key, known + text);
      }
  return texts;
}

describe("a stream", () => {
  it("has every event once, in order, then its end; and after that a return gets 204", async () => {
    const id = await open({ ...debate, models: slowly(60) });
    const stream = await server.sse(`deliberations/${id}/events`);
    expect(stream.headers).toMatchObject({
      ...{ "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
      "cache-control": "no-cache, no-transform",
    });
    await stream.until(isEnd);
    await stream.ended;
    const { data } = (await server.get(`deliberations/${id}/events`)).json;
    expect(stream.seqs()).toEqual(upTo(data.length));
    // An opening that is read while calls are under way says which: afterwards none are.
    const recorded = stream.events.flatMap(({ event, data: one }) => {
      if (event !== "recorded") return [];
      const { sent: _sent, ...kept } = one;
      return [kept];
    });
    expect(recorded).toEqual(data);
    expect(stream.events.filter(({ event }) => event === "state").at(-1)?.data).toMatchObject({
      status: "answered",
    });
    expect(JSON.stringify(stream.events)).not.toContain('"cursor"');
    const last = String(data.length);
    const again = await server.get(`deliberations/${id}/events`, {
      headers: { accept: "text/event-stream", "last-event-id": last },
    });
    expect(again).toMatchObject({ status: 204, text: "" });
  });

  it("goes on after whatever was seen last, by header and by query", async () => {
    const id = await open({ ...debate, models: slowly(60) });
    const seen: number[] = [];
    for (let last = 0; ;) {
      const stream: Sse = await server.sse(`deliberations/${id}/events`, {
        headers: last === 0 ? {} : { "last-event-id": String(last) },
      });
      if (stream.status === 204) break;
      await Promise.race([stream.until(({ id: seq }) => Number(seq) > last + 1), stream.ended]).catch(
        () => undefined,
      );
      stream.close();
      seen.push(...stream.seqs());
      last = seen.at(-1) ?? 0;
    }
    const { data } = (await server.get(`deliberations/${id}/events`)).json;
    expect(seen).toEqual(upTo(data.length));
    const rest = await server.sse(`deliberations/${id}/events?after=3`);
    await rest.ended;
    expect(rest.seqs()).toEqual(upTo(data.length, 4));
    // The header counts before the query, as the one is a browser's and the other was in its first URL.
    const both = await server.sse(`deliberations/${id}/events?after=3`, {
      headers: { "last-event-id": "5" },
    });
    await both.ended;
    expect(both.seqs()).toEqual(upTo(data.length, 6));
    for (const bad of ["x", "-1", "1.5", "1, 2", "9".repeat(16)]) {
      const refused = await server.get(`deliberations/${id}/events`, {
        headers: { accept: "text/event-stream", "last-event-id": bad },
      });
      expect([bad, refused.status]).toEqual([bad, 400]);
    }
  });

  it("shows live text in batches, and all of it so far to who joins late", async () => {
    const { frames: live } = server.parley.context({}, { principal: server.principal }).process;
    let pieces = 0;
    const unlisten = live.listen(({ kind }) => void (pieces += kind === "started" ? 0 : 1));
    const id = await open({ protocol: "council", models: slowly(900) });
    const first = await server.sse(`deliberations/${id}/events`);
    const joined: Sse[] = [];
    await first.until(({ event }) => event === "frames");
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 170));
      joined.push(await server.sse(`deliberations/${id}/events?texts=head`));
    }
    await first.until(isEnd);
    await Promise.all([...joined.map((one) => one.ended), first.ended]);
    const frames = first.events.filter(({ event }) => event === "frames");
    expect(frames.length).toBeGreaterThan(20);
    // Who writes is told as soon as somebody was asked, before the first word.
    expect(frames.flatMap(({ data }) => data).find(({ offset }) => offset === 0)).toMatchObject({
      ...{ text: "", by: expect.any(String), kind: expect.any(String) },
    });
    // A model writes a word every few milliseconds, and three of them do.
    unlisten();
    expect(pieces).toBeGreaterThan(1.5 * frames.length);
    const { data } = (await server.get(`deliberations/${id}/events`)).json;
    const replies = data.flatMap(({ data: { call, text }, origin }: Json) =>
      call?.ok === true ? [[`${origin.step}/1`, String(call.reply ?? text)]] : [],
    ) as [string, string][];
    expect(replies.length).toBe(7);
    for (const stream of [first, ...joined]) {
      const texts = textsOf(stream);
      // The last words of a step may be overtaken by its record.
      for (const [step, text] of texts) {
        const reply = replies.find(([key]) => key === step)?.[1] ?? "";
        expect(reply.replaceAll(/\s/g, "")).toContain(text.slice(0, 150).replaceAll(/\s/g, "").slice(0, 60));
      }
      expect(texts.size).toBe(7);
    }
    const [late] = joined;
    const before = late?.events.findIndex(({ event }) => event === "frames") ?? -1;
    expect(late?.events[before]?.data[0]).toMatchObject({ offset: 0 });
    expect(late?.events[before]?.data[0].text.length).toBeGreaterThan(20);
    expect(late?.events.slice(0, before)).toContainEqual(expect.objectContaining({ event: "recorded" }));
  }, 30_000);

  it("tells what a call does before it writes, and for how long, to who joins late as well", async () => {
    const id = await open({ protocol: "respond", models: ["sim/ada?latency=60000"] });
    const isDoing = ({ event }: { readonly event?: string }) => event === "doing";
    const first = await server.sse(`deliberations/${id}/events`);
    const told = await first.until(isDoing);
    expect(told.data).toMatchObject([{ step: expect.any(String), doing: "sent", expectedMs: null }]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const late = await server.sse(`deliberations/${id}/events`);
    const [known] = (await late.until(isDoing)).data;
    expect(known).toMatchObject({ step: told.data[0].step, doing: "sent" });
    expect(known.forMs).toBeGreaterThan(told.data[0].forMs + 200);
    first.close();
    late.close();
    await server.post(`deliberations/${id}/cancel`);
  });

  it("speaks first, and again while nothing happens", async () => {
    const id = await open({ protocol: "respond", models: ["sim/ada?latency=60000"] });
    const stream = await server.sse(`deliberations/${id}/events`);
    const first = await stream.until(() => true);
    expect(first.comment).toBe("");
    await stream.until((event) => event.comment !== undefined && event !== first);
    stream.close();
    await server.post(`deliberations/${id}/cancel`);
  }, 20_000);

  it("ends where the server stops, which sends nobody else away, and its reader goes on elsewhere", async () => {
    using place = serverPlace();
    await using one = await testServer({}, place);
    await using two = await testServer({}, place);
    const { json } = await one.post("deliberations", { ...debate, models: slowly(150) });
    const path = `deliberations/${json.id}/events`;
    const [here, there] = await Promise.all([one.sse(path), two.sse(path)]);
    await here.until(({ id }) => Number(id) >= 3);
    const stopped = one.stop(5_000);
    await here.ended;
    const refused = await one.get(path, { headers: { accept: "text/event-stream" } });
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": expect.any(String) as string } });
    expect((await one.get("/readyz")).status).toBe(503);
    await stopped;
    const last = here.seqs().at(-1) ?? 0;
    const rest = await two.sse(path, { headers: { "last-event-id": String(last) } });
    await Promise.all([rest.until(isEnd), there.until(isEnd)]);
    const all = (await two.get(path)).json.data.length;
    expect([...here.seqs(), ...rest.seqs()]).toEqual(upTo(all));
    expect(there.seqs()).toEqual(upTo(all));
  }, 30_000);
});

describe("a reader that does not read", () => {
  it("is closed when it is 8 MB behind, holds up nobody else, and misses nothing when it returns", async () => {
    const id = await open({ protocol: "respond", models: ["sim/ada?latency=60000"] });
    const path = `/api/v1/deliberations/${id}/events`;
    const socket = connect({ host: "127.0.0.1", port: server.port });
    socket.pause();
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nx-api-key: ${server.key}\r\n\r\n`,
    );
    // With short texts, so that it keeps up on a busy machine.
    const healthy = await server.sse(`${path}?texts=head`);
    await healthy.until(({ event }) => event === "state");
    await recordLarge(server, { ids: [id], count: 24, reader: healthy });
    const total = (await server.get(`${path}?texts=head`)).json.data.length as number;
    await healthy.until(({ id: seq }) => Number(seq) === total);
    expect(healthy.seqs()).toEqual(upTo(total));
    let text = "";
    socket
      .setEncoding("utf8")
      .on("data", (piece: string) => void (text += piece))
      .resume();
    await new Promise((resolve) => socket.once("close", resolve).once("error", () => undefined));
    const got = [...text.matchAll(/^id: (\d+)\nevent: recorded\ndata: .*\n\n/gm)].map(([, seq]) =>
      Number(seq),
    );
    expect(got).toEqual(upTo(got.length));
    expect(got.length).toBeLessThan(total);
    const rest = await server.sse(`${path}?texts=head`, {
      headers: { "last-event-id": String(got.at(-1) ?? 0) },
    });
    await rest.until(({ id: seq }) => Number(seq) === total);
    expect(rest.seqs()).toEqual(upTo(total, got.length + 1));
    for (const one of [healthy, rest]) one.close();
    await server.post(`deliberations/${id}/cancel`);
  }, 30_000);

  it("gets no live text when it is 1 MB behind, and all events", async () => {
    const followers = createFollowers({
      parley: server.parley,
      principal: server.principal,
      log: () => undefined,
    });
    followers.start();
    const id = await open({ protocol: "respond", models: ["sim/ada?latency=900"] });
    const entries = await server.parley.read(id);
    const sink = (behind: number) => {
      let text = "";
      const one: Sink = {
        write: (bytes) => void (text += bytes.toString()),
        comment: () => undefined,
        behind: () => behind,
        end: () => undefined,
      };
      return { one, text: () => text };
    };
    const [fast, slow] = [sink(0), sink(1_000_000)];
    const request = {
      organization: server.principal.organization,
      id: DeliberationId.parse(id),
      entries,
      after: 0,
      texts: "full" as const,
    };
    for (const { one } of [fast, slow]) await followers.follow(request, one);
    await expect.poll(() => slow.text().includes("deliberation-closed"), { timeout: 10_000 }).toBe(true);
    const frames = (text: string) => text.split("event: frames").length - 1;
    expect(frames(fast.text())).toBeGreaterThan(3);
    expect(frames(slow.text())).toBeLessThanOrEqual(1); // what was written before it joined
    await followers.stop();
  }, 20_000);
});

it("a follower that joins while the last one leaves is not forgotten", async () => {
  const id = await open({ protocol: "respond", models: [SIMS[0]] });
  await expect
    .poll(async () => (await server.get(`deliberations/${id}`)).json.status as string)
    .toBe("answered");
  const context = server.parley.context({}, { principal: server.principal });
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const engine = { for: () => ({ owesReactions: () => pause(60).then(() => true) }) };
  const parley = {
    ...server.parley,
    context: () => ({ ...context, process: { ...context.process, engine } }),
  } as unknown as TestServer["parley"]; // an engine that takes its time
  const followers = createFollowers({ parley, principal: server.principal, log: () => undefined });
  followers.start();
  const entries: readonly Entry[] = await server.parley.read(id);
  const request = {
    organization: context.principal.organization,
    id: DeliberationId.parse(id),
    entries,
    after: 0,
    texts: "full" as const,
  };
  let text = "";
  const sink: Sink = {
    write: (bytes) => void (text += bytes.toString()),
    comment: () => undefined,
    behind: () => 0,
    end: () => undefined,
  };
  const first = followers.follow(request, { ...sink, write: () => undefined });
  await pause(30);
  const second = followers.follow(request, sink);
  (await first)?.();
  await second;
  await server.post(`deliberations/${id}/feedback`, { thumb: "up" });
  await expect.poll(() => text.includes("feedback-given")).toBe(true);
  await followers.stop();
});
