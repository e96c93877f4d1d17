import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import Database from "libsql";
import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { Origin } from "../src/kernel/index.ts";
import { upcast } from "../src/kernel/upcast.ts";
import { built, eventsIn, somewhere, type Ended, type Somewhere } from "./e2e/parley.ts";
import { postgresDatabase } from "./e2e/turn.ts";

// A store that an earlier build wrote is opened by this one; fixtures/old-store/README.md says what is in it.

built();
vi.setConfig({ testTimeout: 60_000 });

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const fixture = (name: string): Buffer => gunzipSync(readFileSync(path(`fixtures/old-store/${name}.gz`)));

const Row = z.looseObject({
  id: z.string(),
  protocol: z.string(),
  status: z.string(),
  question: z.string(),
  series: z.string().nullable(),
  openedAt: z.string(),
  seq: z.int(),
});
const Replayed = z.looseObject({ same: z.boolean(), closed: z.boolean(), steps: z.int(), calls: z.int() });
const Search = z.looseObject({
  engrams: z.array(
    z.looseObject({ engram: z.looseObject({ id: z.string(), question: z.string(), summary: z.string() }) }),
  ),
});
const Shown = z.record(z.string(), z.unknown());
const Printed = z.object({
  show: z.object({ code: z.int(), result: Shown }),
  replay: z.object({ code: z.int(), outcome: Replayed }),
  export: z.object({ code: z.int(), lines: z.int() }),
});
const OldStore = z.object({
  names: z.record(z.string(), z.string()),
  organizations: z.record(
    z.string(),
    z.object({ list: z.array(Row), printed: z.record(z.string(), Printed), search: Search, facts: Shown }),
  ),
});
type OldStore = z.infer<typeof OldStore>;

const old = z
  .object({ sqlite: OldStore, postgres: OldStore })
  .parse(JSON.parse(fixture("printed.json").toString("utf8")));

const Ids = z.array(z.looseObject({ id: z.string() }));

const Person = z.looseObject({
  id: z.string(),
  seat: z.string().optional(),
  model: z.string(),
  answer: z.string().nullish(),
});

/** What has to stay of a result. */
const Head = z.looseObject({
  id: z.string(),
  protocol: z.union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)]),
  status: z.string(),
  question: z.string(),
  answer: z.string().nullable(),
  finalAnswer: z.string().nullable(),
  degraded: z.array(z.unknown()),
  members: z.array(Person).optional(),
  participants: z.array(Person).optional(),
  calls: z.int(),
  tokens: z.looseObject({ in: z.number().nullable(), out: z.number().nullable() }),
  cost: z.looseObject({ usd: z.number().nullable() }),
});
const Section = z.looseObject({
  standing: Ids.nullish(),
  votes: z.array(z.looseObject({ answer: z.string(), first: z.array(z.string()) })).nullish(),
  ladder: z.array(z.looseObject({ rung: z.string(), calls: z.int() })).nullish(),
  footer: z.string().nullish(),
  previous: z.string().nullish(),
  grade: z.looseObject({ score: z.number().nullable() }).nullish(),
  contributions: z.looseObject({ measured: Ids }).nullish(),
});

/**
 * The one place that knows the shape of what `show --json` prints: some facts of a result, or all of a judge's verdict. The
 * fixture has one flat object, and a judge's verdict instead of a result; now a result has a section of its protocol's own.
 */
function factsOf(shown: z.infer<typeof Shown>) {
  if (!("answer" in shown)) return verdictFacts(shown);
  const head = Head.parse(shown);
  const section = Shown.safeParse(shown["section"]).data;
  if (head.protocol === "judge" && section) return verdictFacts(section);
  const own = Section.parse({ ...head, ...section });
  const members = head.members ?? head.participants?.filter(({ seat }) => VOICES.has(seat)) ?? [];
  return {
    ...{ id: head.id, protocol: head.protocol, status: statusOf(head.status), question: head.question },
    ...{ answer: head.answer, finalAnswer: head.finalAnswer, degraded: head.degraded.length },
    members: members.map(({ id, model, answer }) => [id, model, answer ?? null]),
    ...{ tokensIn: head.tokens.in, tokensOut: head.tokens.out, usd: head.cost.usd },
    standing: own.standing?.map(({ id }) => id) ?? [],
    votes: own.votes?.map(({ answer, first }) => [answer, first]) ?? [],
    ladder: own.ladder?.map(({ rung, calls }) => [rung, calls]) ?? [],
    ...{ footer: own.footer ?? null, previous: own.previous ?? null, score: own.grade?.score ?? null },
    measured: own.contributions?.measured.length ?? 0,
  };
}

/** Whether there is a reason, not how it is worded. The fixture knows of no unknown calls. */
const verdictFacts = ({ why, unknown: _unknown, tokens, ...verdict }: z.infer<typeof Shown>) => ({
  ...verdict,
  // It did not count what was thought.
  tokens: { ...(tokens as object), thinking: undefined },
  hasReason: typeof why === "string",
});

const VOICES: ReadonlySet<string | undefined> = new Set(["member", "agent"]);

/** What waits for a person was `open`, too. */
const statusOf = (status: string): string => (status === "waiting" ? "open" : status);

type Answer = Omit<Ended, "signal">;

const organizationEnv = (organization: string): Record<string, string> =>
  organization === "local" ? {} : { PARLEY_ORGANIZATION: organization, PARLEY_USER: "ann" };

const parsed = <T>(schema: { parse(value: unknown): T }, { stdout }: Answer): T =>
  schema.parse(JSON.parse(stdout));

const RECORDED = "select deliberation, seq, type, at, origin, data from event order by deliberation, seq";
const Json = z.string().transform((text): unknown => JSON.parse(text));
/** Every event as the old build recorded it, in the words of this one. */
const Recorded = z.array(
  z
    .object({
      ...{ deliberation: z.string(), seq: z.int(), type: z.string(), at: z.string() },
      ...{ origin: Json.pipe(Origin), data: Json },
    })
    .transform((row) => ({ ...row, ...upcast(row) })),
);
type Recorded = z.infer<typeof Recorded>;

const Billed = z.object({ calls: z.int(), unknown: z.int() });
const Calling = z.object({ call: z.object({ attempts: z.int() }) });
/** The requests that were sent for an event; its parent has sent those of what a fork has adopted. */
const requestsOf = ({ origin, data }: Recorded[number]): number =>
  origin.by === "adopted" ? 0 : (Calling.safeParse(data).data?.call.attempts ?? 0);

/** List, show, replay, export and memory of every deliberation of every organization, against what was printed. */
async function expectSame(
  place: Somewhere,
  { organizations }: OldStore,
  { env, recorded }: { readonly env: Readonly<Record<string, string>>; readonly recorded: Recorded },
): Promise<void> {
  for (const [organization, before] of Object.entries(organizations)) {
    const own = { ...env, ...organizationEnv(organization) };
    const ids = before.list.map(({ id }) => id);
    const commands = [
      ["list", "--json", "-n", "1000"],
      ["list", "--json", "-n", "1000", "--protocol", "bench"],
      ["memory", "search", "--json"],
      ["memory", "facts", "--json"],
      ...ids.flatMap((id) => [
        ["show", id, "--json"],
        ["replay", id, "--json"],
        ["export", id, "--format", "jsonl"],
        ["export", id, "--format", "md"],
      ]),
    ];
    const [list, bench, search, facts, ...rest] = await place.runAll(
      commands.map((args) => ({ args, env: own })),
    );
    if (!list || !bench || !search || !facts) throw new Error("a command printed nothing");
    const rows = [list, bench].flatMap((printed) => parsed(z.array(Row), printed));
    const byId = <T extends { readonly id: string }>(all: readonly T[]) =>
      all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId(rows.map((row) => ({ ...row, status: statusOf(row.status) })))).toEqual(byId(before.list));
    expect(parsed(Search, search).engrams.map(({ engram }) => engram)).toEqual(
      before.search.engrams.map(({ engram }) => engram),
    );
    expect(parsed(Shown, facts)).toMatchObject(before.facts);
    for (const [index, row] of before.list.entries()) {
      const printed = before.printed[row.id];
      const [show, replay, jsonl, md] = rest.slice(index * 4);
      if (!printed || !show || !replay || !jsonl || !md) throw new Error(`nothing of ${row.id}`);
      expect([show.code, factsOf(parsed(Shown, show))]).toEqual([
        printed.show.code,
        factsOf(printed.show.result),
      ]);
      expect({ id: row.id, ...parsed(Replayed, replay), code: replay.code }).toEqual({
        id: row.id,
        ...printed.replay.outcome,
        code: printed.replay.code,
      });
      const events = recorded.filter(({ deliberation }) => deliberation === row.id);
      const billed = Billed.parse(JSON.parse(show.stdout));
      // The old build counted a request that was sent again once.
      expect(billed.calls + billed.unknown, row.id).toBe(
        events.reduce((sum, event) => sum + requestsOf(event), 0),
      );
      expect(events).toHaveLength(printed.export.lines);
      expect(eventsIn(jsonl)).toMatchObject(events);
      expect(md.code).toBe(0);
      expect(md.stdout).toContain(row.question.split("\n")[0]);
    }
  }
}

const Exported = z.looseObject({ by: z.string() });
const Outcome = Head.pick({ id: true, status: true, finalAnswer: true, calls: true }).strip();
const JSON_ONLY = ["--json", "--quiet"];

/** Forks, resumes and answers what the old build left; `more` names what else was cut off. */
async function expectGoesOn(
  place: Somewhere,
  { names }: OldStore,
  { env, more = [] }: { readonly env: Readonly<Record<string, string>>; readonly more?: readonly string[] },
): Promise<void> {
  const id = (name: string): string => names[name] ?? name;
  const inTurn = async (commands: Readonly<Record<string, readonly string[]>>) => {
    const answers = await place.runAll(Object.values(commands).map((args) => ({ args, env })));
    const ended = new Map(Object.keys(commands).map((name, index) => [name, answers[index]]));
    return (name: string): Answer => {
      const answer = ended.get(name);
      if (answer?.code !== 0) throw new Error(`${name}: ${JSON.stringify(answer)}`);
      return answer;
    };
  };
  const exported = (what: string) => ["export", what, "--format", "jsonl"];
  const cutOff = ["ask-interrupted", ...more];

  const first = await inTurn({
    strategy: ["fork", id("council-consensus"), "--strategy", "novelty", ...JSON_ONLY],
    without: ["fork", id("ask-vote"), "--without", "challenger", ...JSON_ONLY],
    debate: ["fork", id("debate-answered"), "--without", "agent-security", ...JSON_ONLY],
    ...Object.fromEntries(
      cutOff.flatMap((name) => [
        [`${name} before`, exported(id(name))],
        [name, ["resume", id(name), ...JSON_ONLY]],
        [`${name} after`, exported(id(name))],
      ]),
    ),
    questions: ["answer", id("debate-waiting"), "--list", "--json"],
    owing: ["resume", id("respond-owing"), ...JSON_ONLY],
    "owing after": exported(id("respond-owing")),
    thumb: ["feedback", id("turn-2"), "up"],
    third: [
      "respond",
      "And of Spain?",
      "--model",
      "sim/ada?skill=1",
      "--continue",
      id("turn-2"),
      ...JSON_ONLY,
    ],
    memory: ["memory", "search", "capital", "France", "--json"],
    report: ["report", id("debate-answered"), "--json"],
  });
  for (const name of cutOff) {
    expect(parsed(Outcome, first(name))).toMatchObject({ id: id(name), status: "answered" });
    const before = eventsIn(first(`${name} before`));
    const after = eventsIn(first(`${name} after`));
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
  }
  // The draft that was recorded is not asked again.
  expect(parsed(Outcome, first("ask-interrupted"))).toMatchObject({ finalAnswer: "391", calls: 3 });
  // What --no-wait left: the grade, the second answer, the comparison, and the memory.
  expect(eventsIn(first("owing after")).map(({ type }) => type)).toEqual(
    expect.arrayContaining(["grade-given", "preference-given", "engram-written"]),
  );
  expect(factsOf(parsed(Shown, first("third")))).toMatchObject({
    previous: id("turn-2"),
    status: "answered",
  });
  const recalled = parsed(Search, first("memory")).engrams.map(({ engram }) => engram.question);
  expect(recalled).toContain("What is the capital of France?");

  const questions = parsed(Ids, first("questions"));
  expect(questions).toHaveLength(3);
  const answers = Object.fromEntries(questions.map((question) => [question.id, "Ten thousand a day."]));
  writeFileSync(join(place.cwd, "answers.json"), JSON.stringify(answers));
  const forks = ["strategy", "without", "debate"].map((name) => parsed(Outcome, first(name)));
  const second = await inTurn({
    ...Object.fromEntries(forks.map((fork) => [fork.id, exported(fork.id)])),
    answer: ["answer", id("debate-waiting"), "answers.json", ...JSON_ONLY],
  });
  expect(parsed(Outcome, second("answer")).status).toBe("answered");
  const [strategy, without, debate] = forks;
  // The chair alone is asked anew.
  expect(strategy).toMatchObject({ status: "answered", finalAnswer: "391", calls: 1 });
  expect(without?.status).toMatch(/^(?:answered|inconclusive)$/);
  expect(debate?.status).toBe("answered");
  const reused = forks.map(
    (fork) =>
      eventsIn(second(fork.id)).filter(({ origin }) => Exported.parse(origin).by === "adopted").length,
  );
  // Three drafts, three reviews, and what is computed; two drafts; two proposals.
  expect(reused.map((count, index) => count >= ([7, 2, 2][index] ?? 0))).toEqual([true, true, true]);
}

describe("a store that an earlier build wrote", () => {
  it("is listed, shown, replayed, exported and searched as by the build that wrote it", async () => {
    await using place = somewhere();
    const file = join(place.folder, "store.db");
    writeFileSync(file, fixture("store.db"));
    const db = new Database(file);
    const recorded = Recorded.parse(db.prepare(RECORDED).all());
    db.close();
    await expectSame(place, old.sqlite, { env: { PARLEY_STORE: file }, recorded });
  });

  it("goes on: forks reuse, what was cut off is resumed, and a debate that waits is answered", async () => {
    await using place = somewhere();
    const file = join(place.folder, "store.db");
    writeFileSync(file, fixture("store.db"));
    const env = { PARLEY_STORE: file };
    await expectGoesOn(place, old.sqlite, { env, more: ["council-interrupted", "debate-interrupted"] });
    // The chair was asked once for each member; nobody is asked a second time.
    const id = old.sqlite.names["council-consensus"] ?? "";
    const again = await place.run(["contributions", id, ...JSON_ONLY], env);
    expect(parsed(z.looseObject({ calls: z.int() }), again).calls).toBe(0);
  });

  it("of PostgreSQL, too", async (test) => {
    await using database = await postgresDatabase("old_store");
    if (database.because !== undefined) return test.skip(database.because);
    await using place = somewhere();
    const url = database.env["PARLEY_DATABASE_URL"] ?? "";
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(fixture("store.sql").toString("utf8"));
    const recorded = Recorded.parse((await client.query(RECORDED.replace("event", "parley.event"))).rows);
    await client.end();
    const env = { PARLEY_STORE: url };
    await expectSame(place, old.postgres, { env, recorded });
    await expectGoesOn(place, old.postgres, { env });
  });
});
