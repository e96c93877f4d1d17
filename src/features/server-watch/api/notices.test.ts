import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { reactorLease } from "../../../kernel/index.ts";
import { openFakeServer, type Received } from "../../../../test/support/fake-server.ts";
import { serverPlace, SIMS, SUM, testServer } from "../../../../test/support/server.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");
const SECRET = `whsec_${KEY}`;

/** Takes notices, and answers each with what `status` says of it. */
async function receiver(status: (nth: number) => number = () => 200) {
  const server = await openFakeServer((response, _received, nth) => {
    response.writeHead(status(nth), { location: "/elsewhere" }).end();
  });
  const env = { PARLEY_NOTIFY_URL: `${server.url}/hook`, PARLEY_NOTIFY_SECRET: SECRET };
  return { ...server, env, got: server.received };
}

const wait = (of: () => unknown) => expect.poll(of, { timeout: 15_000, interval: 20 });
/** @throws WebhookVerificationError */
const verified = ({ headers, body }: Received, secret = SECRET) =>
  new Webhook(secret).verify(body, headers as Record<string, string>); // those that count come once

it("a run that ended is told once, signed, and without a word of it", async () => {
  await using hook = await receiver();
  await using server = await testServer({ env: hook.env });
  const { id } = await server.ask({ labels: { team: "billing" } });
  await wait(() => hook.got.length).toBe(1);
  const [delivery] = hook.got;
  if (!delivery) throw new Error("nothing came");
  expect(verified(delivery)).toEqual({
    type: "run.ended",
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    data: {
      ...{ run: id, organization: "local", protocol: "council", status: "answered" },
      url: `${server.url}d/${id}`,
    },
  });
  expect(delivery.headers["webhook-id"]).toMatch(new RegExp(`^${id}_\\d+$`));
  for (const word of ["What is", "Final answer", "billing"]) expect(delivery.body).not.toContain(word);
  expect(() => verified({ ...delivery, body: delivery.body.replace("answered", "failed") })).toThrow();
  expect(() => verified(delivery, `whsec_${Buffer.alloc(32, 8).toString("base64")}`)).toThrow();
  expect((await server.get("/metrics")).text).toContain('parley_notices_total{outcome="delivered"} 1\n');
  // What no client opened is told to nobody.
  await (await server.parley.start({ question: SUM, models: [SIMS[0]], reactions: false })).outcome();
  const next = await server.ask({ question: "What is 6 * 7?" });
  await wait(() => hook.got.length).toBe(2);
  expect(JSON.parse(hook.got[1]?.body ?? "").data.run).toBe(next.id);
});

it("a person who is waited for is named, and then the end is told", async () => {
  await using hook = await receiver();
  await using server = await testServer({ env: hook.env });
  const seats = [{ name: "me", seat: "reviewer" }];
  const { json } = await server.post("deliberations", {
    ...{ question: SUM, protocol: "council", models: SIMS, seats, reactions: false },
  });
  await wait(() => hook.got.length).toBe(1);
  expect(JSON.parse(hook.got[0]?.body ?? "")).toMatchObject({
    type: "run.waiting",
    data: { run: json.id, status: "waiting", person: "local" },
  });
  await server.post(`deliberations/${json.id}/cancel`);
  await wait(() => hook.got.map(({ body }) => JSON.parse(body).data.status)).toEqual([
    "waiting",
    "cancelled",
  ]);
});

it("what was refused is sent again under the same id, also by the next server", async () => {
  await using place = { ...serverPlace(), [Symbol.asyncDispose]: () => Promise.resolve() };
  let isUp = false;
  await using hook = await receiver(() => (isUp ? 204 : 503));
  const first = await testServer({ env: hook.env }, place);
  const { id } = await first.ask();
  await wait(() => hook.got.length).toBeGreaterThanOrEqual(2);
  await first.stop(0);
  isUp = true;
  const before = hook.got.length;
  await using _second = await testServer({ env: hook.env }, place);
  await wait(() => hook.got.length).toBe(before + 1);
  const ids = new Set(hook.got.map(({ headers }) => headers["webhook-id"]));
  expect([...ids]).toEqual([expect.stringContaining(`${id}_`)]);
  for (const delivery of hook.got) verified(delivery);
  expect(first.log.join("\n")).toContain(`notify: run.ended of ${id}: HTTP 503`);
  // A third one finds nothing left.
  await _second.stop(0);
  await using third = await testServer({ env: hook.env }, place);
  const other = await third.ask({ question: "What is 6 * 7?" });
  await wait(() => hook.got.length).toBe(before + 2);
  expect(JSON.parse(hook.got.at(-1)?.body ?? "").data.run).toBe(other.id);
});

it("a redirect is not followed, and what is gone is not asked again", async () => {
  await using hook = await receiver((nth) => (nth === 1 ? 307 : 410));
  await using server = await testServer({ env: hook.env });
  await server.ask();
  await wait(() => hook.got.length).toBe(2);
  await server.ask({ question: "What is 6 * 7?" });
  await wait(() => hook.got.length).toBe(3);
  expect(hook.got.map(({ path }) => path)).toEqual(["/hook", "/hook", "/hook"]);
  const { text } = await server.get("/metrics");
  expect(text).toContain('parley_notices_total{outcome="dropped"} 2\n');
  expect(text).toContain('parley_notices_total{outcome="retried"} 1\n');
});

it("what ends while the first server waits for a dead one's lease is told as well", async () => {
  using place = serverPlace();
  await using hook = await receiver();
  await using other = await testServer({}, place);
  const { process } = other.parley.context({}, { principal: other.principal });
  await process.store.lease(reactorLease("notify"), "a server that was killed", 2_000);
  await using server = await testServer({ env: hook.env }, place);
  const { id } = await server.ask();
  expect(hook.got).toEqual([]);
  await wait(() => hook.got.map(({ body }) => JSON.parse(body).data.run)).toEqual([id]);
});

it("no request says where a notice goes", async () => {
  await using hook = await receiver();
  await using server = await testServer();
  const got = await server.post("deliberations", {
    ...{ question: SUM, models: SIMS, notifyUrl: hook.env.PARLEY_NOTIFY_URL },
  });
  expect([got.status, got.json.detail]).toEqual([422, expect.stringContaining("notifyUrl")]);
});

it("of two servers over one store, one sends", async () => {
  const place = serverPlace();
  await using hook = await receiver();
  const servers = [await testServer({ env: hook.env }, place), await testServer({ env: hook.env }, place)];
  try {
    for (const server of servers) await server.ask({ question: `What is ${servers.indexOf(server)} + 1?` });
    await wait(() => hook.got.length).toBe(2);
    expect(new Set(hook.got.map(({ headers }) => headers["webhook-id"])).size).toBe(2);
  } finally {
    for (const server of servers) await server.stop(0);
    place[Symbol.dispose]();
  }
});

it("secrets that are changed both sign", async () => {
  await using hook = await receiver();
  const other = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
  await using server = await testServer({ env: { ...hook.env, PARLEY_NOTIFY_SECRET: `${other} ${SECRET}` } });
  await server.ask();
  await wait(() => hook.got.length).toBe(1);
  const [delivery] = hook.got;
  if (!delivery) throw new Error("nothing came");
  verified(delivery);
  verified(delivery, other);
});

it.each([
  ["", "PARLEY_NOTIFY_SECRET is not"],
  ["whsec_c2hvcnQ=", "24 to 64 bytes"],
  [KEY, "must be whsec_"],
])("a server without a usable secret does not start: %j", async (secret, why) => {
  const env = { PARLEY_NOTIFY_URL: "http://127.0.0.1:1/", PARLEY_NOTIFY_SECRET: secret };
  const refused = testServer({ env });
  await expect(refused).rejects.toMatchObject({ details: { why: expect.stringContaining(why) as string } });
  if (secret !== "")
    await expect(refused).rejects.not.toMatchObject({ details: { why: expect.stringContaining(secret) } });
});

it("an address with a password is refused", async () => {
  const env = { PARLEY_NOTIFY_URL: "https://me:pw@hooks.example.org/", PARLEY_NOTIFY_SECRET: SECRET };
  await expect(testServer({ env })).rejects.toMatchObject({
    details: { why: "notify-url must be an http or https URL without a password" },
  });
});
