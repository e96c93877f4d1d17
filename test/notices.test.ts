import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { openFakeServer, type Answer } from "./support/fake-server.ts";
import { SIMS, SUM } from "./support/server.ts";
import { built, somewhere } from "./e2e/parley.ts";
import { call, freePort, holds, newKey, served } from "./e2e/server.ts";

built();

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const mostMs = 90_000;

/** Servers, one after the other over one store, that post their notices to this port. */
async function notifying(port: number) {
  const place = somewhere();
  const key = await newKey(place);
  const env = { PARLEY_NOTIFY_URL: `http://127.0.0.1:${port}/`, PARLEY_NOTIFY_SECRET: SECRET };
  const start = () => served(place, { env, key, mostMs });
  const ask = async (url: string): Promise<string> => {
    const body = { question: SUM, protocol: "council", models: SIMS, reactions: false };
    return (await call(`${url}api/v1/deliberations`, key, { body })).json.id;
  };
  const hasEnded = async (url: string, id: string) =>
    (await call(`${url}api/v1/deliberations/${id}`, key)).json.status === "answered";
  return { start, ask, hasEnded, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

/** Who takes the notices, with the run and the id of each. */
async function hook(port: number, answer: Answer = (response) => void response.end()) {
  const server = await openFakeServer(answer, port);
  const taken = () =>
    server.received.map(({ headers, body }) => {
      const { type, data } = new Webhook(SECRET).verify(body, headers as Record<string, string>) as {
        type: string;
        data: { run: string };
      };
      return { type, run: data.run, id: headers["webhook-id"] };
    });
  return { ...server, taken };
}

it("a kill between a run's end and its delivery loses no notice", async () => {
  const port = await freePort();
  await using servers = await notifying(port);
  const first = await servers.start();
  const ids = [await servers.ask(first.url), await servers.ask(first.url)];
  for (const id of ids) await holds(() => servers.hasEnded(first.url, id));
  first.process.kill("SIGKILL");
  expect((await first.process.ended).stderr).toContain("notify: run.ended of");
  await using taker = await hook(port);
  await servers.start();
  await holds(async () => taker.taken().length >= 2);
  expect(
    taker
      .taken()
      .map(({ run }) => run)
      .toSorted(),
  ).toEqual(ids.toSorted());
});

it("a kill between a delivery and its being recorded has the same notice sent again", async () => {
  const port = await freePort();
  await using servers = await notifying(port);
  const first = await servers.start();
  let isKilled = false;
  await using taker = await hook(port, async (response) => {
    if (!isKilled) {
      isKilled = true;
      first.process.kill("SIGKILL");
      await first.process.ended;
    }
    response.end();
  });
  const id = await servers.ask(first.url);
  await first.process.ended;
  const second = await servers.start();
  await holds(async () => taker.taken().length >= 2);
  const [sent, again] = taker.taken();
  expect(sent).toMatchObject({ type: "run.ended", run: id });
  expect(again).toEqual(sent);
  // What was recorded as delivered stays so.
  const next = await servers.ask(second.url);
  await holds(async () => taker.taken().some(({ run }) => run === next));
  second.process.kill("SIGKILL");
  await second.process.ended;
  const third = await servers.start();
  const last = await servers.ask(third.url);
  await holds(async () => taker.taken().some(({ run }) => run === last));
  expect(taker.taken().filter(({ run }) => run === id)).toHaveLength(2);
});

it("kills while many runs end leave out none of them", async () => {
  const port = await freePort();
  await using servers = await notifying(port);
  let server = await servers.start();
  const killed = new Set<number>();
  await using taker = await hook(port, (response, _, count) => {
    if (count % 4 === 2 && killed.size < 2 && !killed.has(count)) {
      killed.add(count);
      server.process.kill("SIGKILL");
    }
    response.end();
  });
  const ids: string[] = [];
  for (let nth = 0; nth < 6; nth += 1) ids.push(await servers.ask(server.url));
  for (let nth = 0; nth < 2; nth += 1) {
    await server.process.ended;
    server = await servers.start();
  }
  await holds(async () => new Set(taker.taken().map(({ run }) => run)).size >= ids.length);
  expect(new Set(taker.taken().map(({ run }) => run))).toEqual(new Set(ids));
});
