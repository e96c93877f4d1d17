import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { busJournal, envelopesOf } from "../src/interop/local2/subjects.ts";
import { OrganizationId, type Entry } from "../src/kernel/index.ts";
import { testServer, type Sse, type TestServer } from "./support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** What the stories S6 and S7 ask: a graded answer, and two that are compared. */
const STORIES = [
  { question: "What is the capital of Japan?" },
  { question: "What is the capital of France?", respondentB: true, modelB: "sim/bob?skill=0.4" },
];
const askAll = async () => {
  const ids: string[] = [];
  for (const story of STORIES) {
    const asked = { protocol: "respond", models: ["sim/ada?skill=1"], judge: ["sim/judy?skill=1"], ...story };
    const { json } = await server.post("deliberations", asked, { headers: { prefer: "wait=20" } });
    ids.push(json.id);
  }
  return ids;
};
/** All messages of these runs, in the order of the journal. */
async function expected(ids: readonly string[]) {
  const store = server.parley.context().process.store.for(OrganizationId.parse("local"));
  const runs = await Promise.all(ids.map((id) => store.read(id as Entry["deliberation"])));
  return runs
    .flatMap((entries) =>
      entries.flatMap((entry, at) =>
        envelopesOf(entry, busJournal(entries.slice(0, at + 1))).map((message) => ({
          cursor: entry.cursor,
          message,
        })),
      ),
    )
    .sort((one, other) => one.cursor - other.cursor)
    .map(({ message }) => message);
}
const messagesIn = ({ events }: Sse) => events.flatMap(({ data, id }) => (data ? [{ data, id }] : []));
/** Resolves when the run and its reactions have ended. */
const settled = async (id: string) => (await server.sse(`deliberations/${id}/events`)).ended;

describe("the bus", () => {
  it("gives a subscriber that is cut off again and again every message of S6 and S7, once and in order", async () => {
    const got: { data: unknown; id?: string | undefined }[] = [];
    const ids = await askAll();
    for (const id of ids) await settled(id);
    const all = await expected(ids);
    for (let last: string | undefined; got.length < all.length;) {
      const headers = last === undefined ? {} : { "last-event-id": last };
      const stream = await server.sse("bus?from=start", { headers });
      const most = 1 + (got.length % 3);
      await expect
        .poll(() => messagesIn(stream).length)
        .toBeGreaterThanOrEqual(Math.min(most, all.length - got.length));
      const taken = messagesIn(stream).slice(0, most);
      stream.close();
      got.push(...taken);
      last = taken.at(-1)?.id;
    }
    expect(got.map(({ data }) => data)).toEqual(JSON.parse(JSON.stringify(all)));
    expect(all.length).toBeGreaterThan(8);
    const subjects = new Set(all.map(({ subject }) => subject));
    expect([...subjects]).toEqual(
      expect.arrayContaining(["query.received", "critique.result", "pairwise.result"]),
    );
    expect(Object.keys(all[0] ?? {})).toEqual(
      expect.arrayContaining([
        ...["message_id", "subject", "sender_id", "correlation_id", "payload", "timestamp_utc"],
      ]),
    );
  });

  it("filters by subject and by conversation, and takes ratings", async () => {
    const graded = await server.sse("bus?subject=critique.result&subject=tool.&from=start");
    await graded.until(({ data }) => data !== undefined);
    const [one] = await askAll();
    const own = await server.sse(`bus?conversation=${one}&from=start`);
    await own.until(({ data }) => data?.subject === "critique.result");
    expect(new Set(messagesIn(own).map(({ data }) => data.correlation_id))).toEqual(new Set([one]));
    const rated = await server.post("bus", {
      subject: "user.feedback",
      correlation_id: one,
      payload: { sentiment: "positive", text: "well said" },
    });
    expect([rated.status, rated.json.status]).toEqual([201, "stored"]);
    const told = await own.until(({ data }) => data?.subject === "user.feedback");
    expect(told.data.payload).toMatchObject({ sentiment: "positive" });
    expect(new Set(messagesIn(graded).map(({ data }) => data.subject))).toEqual(new Set(["critique.result"]));
    own.close();
    graded.close();
  });

  it("refuses what it cannot give or take, each by its reason", async () => {
    const asked = (path: string, headers = {}) =>
      server.get(path, { headers: { accept: "text/event-stream", ...headers } });
    const never = await asked("bus?subject=generation.token");
    expect([never.status, never.json.detail]).toEqual([422, expect.stringContaining("not recorded")]);
    expect((await asked("bus?subject=nobody")).status).toBe(422);
    expect((await asked("bus", { "last-event-id": "17" })).status).toBe(400);
    expect((await asked("bus", { "last-event-id": "nobody.1.0" })).status).toBe(404);
    const publish = (body: unknown) => server.post("bus", body).then(({ status }) => status);
    expect(await publish({ subject: "query.received", payload: {} })).toBe(422);
    expect(await publish({ subject: "user.feedback", payload: { sentiment: "positive" } })).toBe(404);
    expect(
      await publish({ subject: "user.feedback", correlation_id: "x", payload: { sentiment: "good" } }),
    ).toBe(422);
  });
});
