import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { reactorLease, type World } from "../../../kernel/index.ts";
import { openFakeServer, type Answer, type Received } from "../../../../test/support/fake-server.ts";
import { serverPlace, SIMS, SUM, testServer } from "../../../../test/support/server.ts";
import { createNotices } from "./notices.ts";

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

/** The pauses between two tries, until they are as long as they get. */
const PAUSES = [1_000, 3_000, 9_000, 27_000, 81_000, 243_000, 600_000];
const statuses = (got: readonly Received[]) =>
  got.map(({ body }) => JSON.parse(body).data).map(({ run, status }) => `${run} ${status}`);
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

it("a debate tells once that its questions wait, of nobody by name, and not where it has none", async () => {
  await using hook = await receiver();
  await using server = await testServer({ env: hook.env });
  const debate = { question: SUM, protocol: "debate", rounds: 1, clarify: true, reactions: false };
  const asking = (counts: readonly number[]) =>
    counts.map((count, index) => `${SIMS[index] ?? ""}&asks=${count}`);
  const mute = await server.ask({ ...debate, models: asking([0, 0]) });
  const { json } = await server.post("deliberations", { ...debate, models: asking([1, 2, 0]) });
  const told = [`${mute.id} ${mute.status}`, `${json.id} waiting`];
  await wait(() => statuses(hook.got)).toEqual(told);
  expect(JSON.parse(hook.got[1]?.body ?? "")).toMatchObject({ type: "run.waiting", data: { person: null } });
  const { questions } = (await server.get(`deliberations/${json.id}/waiting`)).json.questions;
  expect(questions.length).toBeGreaterThan(1);
  await server.post(`deliberations/${json.id}/answers`, { answers: { [questions[0].id]: "Ten." } });
  await wait(() => statuses(hook.got)).toEqual([...told, `${json.id} answered`]);
});

it("a run that goes on after a restart is told once of each, and its fork of its own end", async () => {
  using place = serverPlace();
  await using hook = await receiver();
  const first = await testServer({ env: hook.env }, place);
  const { json } = await first.post("deliberations", {
    ...{ question: SUM, protocol: "council", models: SIMS, reactions: false },
    seats: [{ name: "me", seat: "reviewer" }],
  });
  await wait(() => statuses(hook.got)).toEqual([`${json.id} waiting`]);
  await first.stop(0);
  await using second = await testServer({ env: hook.env }, place);
  const { step } = (await second.get(`deliberations/${json.id}/waiting`)).json.seats[0];
  await second.post(`deliberations/${json.id}/answers`, { step, abstain: true });
  const ended = expect.stringMatching(`^${json.id} answered`) as string;
  await wait(() => statuses(hook.got)).toEqual([`${json.id} waiting`, ended]);
  // What it adopts was told of the run that it comes from.
  const fork = await second.post(`deliberations/${json.id}/fork`, {}, { headers: { prefer: "wait=9" } });
  await wait(() => statuses(hook.got).slice(2)).toEqual([
    expect.stringMatching(`^${fork.json.id} answered`) as string,
  ]);
  const entries = await second.parley.read(fork.json.id);
  expect(entries.map(({ type, origin }) => `${type} ${origin.by}`)).toContain("seat-opened adopted");
  expect(new Set(hook.got.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
});

/** Has the notice of one run sent, by a world in which a try and a pause between two take no time. */
async function sendOne(answer: Answer) {
  await using hook = await openFakeServer(answer);
  await using server = await testServer();
  const given = server.parley.context({}, { principal: server.principal });
  const slept: number[] = [];
  let passedMs = 0;
  const world: World = {
    ...given.world,
    now: () => given.world.now() + passedMs,
    async sleep(ms, signal) {
      if (![15_000, ...PAUSES].includes(ms)) return given.world.sleep(ms, signal);
      await given.world.sleep(ms === 15_000 ? 400 : 0, signal);
      if (signal.aborted) return;
      passedMs += ms;
      slept.push(ms);
    },
  };
  const context = { ...given, world, env: { ...given.env, PARLEY_NOTIFY_SECRET: SECRET } };
  const [noted, log]: [string[], string[]] = [[], []];
  const notices = await createNotices(
    { context },
    { url: hook.url, noted: (outcome) => noted.push(outcome), log: (line) => log.push(line) },
  );
  const { id } = await server.ask();
  const ended = new AbortController();
  const sending = notices.send(server.url, ended.signal);
  await wait(() => noted.at(-1)).toMatch(/delivered|dropped/);
  ended.abort();
  await sending;
  return { id, noted, log, slept, dropped: hook.dropped(), got: hook.received };
}

it("a try without a reply ends after 15 seconds, and the next one is delivered", async () => {
  const { id, noted, log, slept, dropped, got } = await sendOne((response, _, nth) => {
    if (nth > 1) response.end();
  });
  expect([noted, dropped]).toEqual([["retried", "delivered"], 1]);
  expect(log).toEqual([`notify: run.ended of ${id}: no reply came in time`]);
  expect(slept).toEqual([15_000, 1_000]);
  expect(new Set(got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  // Each try is signed with its own time.
  const [first, second] = got.map(({ headers }) => Number(headers["webhook-timestamp"]));
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(16);
});

it("pauses grow threefold up to ten minutes, and after a day a notice is given up", async () => {
  const { id, noted, log, slept } = await sendOne((response) => void response.writeHead(503).end());
  expect(slept.slice(0, 8)).toEqual(PAUSES.concat(600_000));
  expect(new Set(slept.slice(8))).toEqual(new Set([600_000]));
  const dayMs = slept.reduce((sum, ms) => sum + ms, 0);
  expect([dayMs >= 86_390_000, dayMs < 87_000_000]).toEqual([true, true]);
  expect([noted.at(-1), noted.filter((one) => one !== "retried").length]).toEqual(["dropped", 1]);
  expect(log.at(-1)).toBe(`notify: run.ended of ${id}: HTTP 503, given up`);
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
