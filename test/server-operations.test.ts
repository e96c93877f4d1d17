import { afterAll, beforeAll, expect, it, vi, type Mock } from "vitest";
import type { Parley } from "../src/app/parley.ts";
import { routes, SIMS, SUM, testServer, type Got, type TestServer } from "./support/server.ts";

// What a client can do with a deliberation, a program can do by one method of its handle (`parley.as(…)`), and the server does it by that.

type Method = Exclude<keyof Parley, symbol>;

/** The methods that operations are carried out by. */
const CALLED: Readonly<Record<string, readonly Method[]>> = {
  openDeliberation: ["open"],
  estimate: ["estimate"],
  cancelDeliberation: ["cancel"],
  forgetDeliberation: ["forget"],
  resumeDeliberation: ["resume"],
  forkDeliberation: ["openFork"],
  estimateFork: ["estimateFork"],
  replayDeliberation: ["replay"],
  getWaiting: ["pending", "seats"],
  answer: ["answer", "answerSeat"],
  giveFeedback: ["feedback"],
  getInbox: ["inbox"],
};
/** The methods that read the same: the service reads page by page, and shows nobody what a person must not see yet. */
const READ: Readonly<Record<string, Method>> = {
  listDeliberations: "list",
  getDeliberation: "result",
  listEvents: "read",
  getEvent: "read",
  exportDeliberation: "export",
  getAttachment: "export",
};
/** For programs alone: whose handle it is, and runs that are driven by who opens them. */
const OWN: readonly Method[] = [
  ...(["as", "context", "close", "resolveId", "start", "fork", "storeAt", "writeInForm"] as const),
];
/** Of features. */
const BROUGHT = ["measureContributions"];

let server: TestServer;
let ended: string;
let waiting: string;
beforeAll(async () => {
  server = await testServer();
  ended = (await server.ask()).id;
  const seats = [{ name: "me", seat: "reviewer" }];
  const asked = { question: SUM, protocol: "council", models: SIMS, seats };
  waiting = (await server.post("deliberations", asked, { headers: { prefer: "wait=20" } })).json.id;
}, 60_000);
afterAll(() => server.stop(0));

it("are listed, each with its method, and no method without one", () => {
  const own = routes.filter(
    ({ name, path }) => /^(?:deliberations|estimate$|inbox$)/.test(path) && !BROUGHT.includes(name),
  );
  expect(own.map(({ name }) => name).sort()).toEqual([...Object.keys(CALLED), ...Object.keys(READ)].sort());
  expect(Object.keys(ASKED).sort()).toEqual(Object.keys(CALLED).sort());
  const paired = new Set([...Object.values(CALLED).flat(), ...Object.values(READ), ...OWN]);
  expect([...paired].sort()).toEqual(Object.keys(server.parley).sort());
});

/** How each is asked for, those last after which there is nothing to ask for. */
const ASKED: Readonly<Record<string, () => Promise<Got>>> = {
  openDeliberation: () => server.post("deliberations", { question: SUM, models: SIMS }),
  estimate: () => server.post("estimate", { question: SUM, models: SIMS }),
  forkDeliberation: () => server.post(`deliberations/${ended}/fork`, { without: ["b"] }),
  estimateFork: () => server.post(`deliberations/${ended}/fork/estimate`, { without: ["b"] }),
  replayDeliberation: () => server.post(`deliberations/${ended}/replay`),
  giveFeedback: () => server.post(`deliberations/${ended}/feedback`, { thumb: "up" }),
  getInbox: () => server.get("inbox"),
  getWaiting: () => server.get(`deliberations/${waiting}/waiting`),
  answer: async () => {
    const { seats } = (await server.get(`deliberations/${waiting}/waiting`)).json;
    const path = `deliberations/${waiting}/answers`;
    await server.post(path, { answers: { none: "Yes." } });
    return server.post(path, { step: seats[0].step, text: "none of these letters" });
  },
  resumeDeliberation: () => server.post(`deliberations/${waiting}/resume`),
  cancelDeliberation: () => server.post(`deliberations/${waiting}/cancel`),
  forgetDeliberation: () => server.request("DELETE", `deliberations/${ended}`),
};

it.each(Object.keys(ASKED))("%s is carried out by its method", async (name) => {
  const spies = (CALLED[name] ?? []).map((method) => vi.spyOn(server.parley, method as "list") as Mock);
  expect(spies.length).toBeGreaterThan(0);
  const got = await ASKED[name]?.();
  expect([name, got?.status, (got?.status ?? 500) < 500]).toEqual([name, got?.status, true]);
  await vi.waitFor(() => spies.forEach((spy) => expect(spy).toHaveBeenCalled()), 5_000);
  spies.forEach((spy) => spy.mockRestore());
});
