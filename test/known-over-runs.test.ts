import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { createRecount } from "../bench/recount.mjs";
import {
  readShares,
  project,
  readSums,
  rebuildProjection,
  type Projected,
  type KnownRuns,
} from "../src/app/projection.ts";
import { readLeagues, readMatrix, readVotePage } from "../src/features/votes/app/votes.ts";
import { forgetRun } from "../src/app/forget.ts";
import { listJournals } from "../src/app/lookup.ts";
import {
  Digest,
  isEvent,
  OrganizationId,
  type Entry,
  type ModelRequest,
  type OrganizationStore,
} from "../src/kernel/index.ts";
import { council } from "../src/features/council/protocol/index.ts";
import { ask } from "../src/features/ask/protocol/index.ts";
import { leagueOf } from "../src/stats/league.ts";
import { random as seededRandom, sumsUnder, type Sums } from "../src/stats/numbers.ts";
import { openSqlite } from "../src/stores/sqlite.ts";
import type { OpenedOrganizationStore, OpenedStore } from "../src/stores/store.ts";
import { stage } from "../src/testing/stage.ts";
import { addPart, filePart } from "../src/views/run-part.ts";
import { votesIn } from "../src/views/votes.ts";
import { agreeable, councilAsked, labelsIn, synthesisOf, taskOf } from "./support/council-table.ts";

const LOCAL = OrganizationId.parse("local");
const MEMBERS = ["ada", "bob", "cyd", "dee", "eve"];
const QUESTIONS = [
  "What is 17 * 23?",
  "Postgres or SQLite: which is better for one user?",
  "How do I move a table without a lock?",
  "Why do queues grow?",
];

type Random = () => number;

/** Puts these in an order of its own, those with a low number more often first. */
const ordered = (labels: readonly string[], random: Random): string[] =>
  labels
    .map((label) => ({ label, at: random() + label.charCodeAt(0) / 100 }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ label }) => label);

/** Reviewers who rank as chance has it, and a chair whose claims differ. */
function moody(random: Random) {
  const names = [...MEMBERS, "chair"];
  const plain = agreeable(names);
  const reply = (request: ModelRequest) => {
    if (taskOf(request) === "synthesis") return synthesisOf(request, `It is ${Math.floor(9 * random())}.`);
    const labels = labelsIn(request);
    const reviews = labels.map((label) => ({ label, strengths: ["clear"], weaknesses: ["long"] }));
    return random() < 0.1 ? "hm" : JSON.stringify({ reviews, ranking: ordered(labels, random) });
  };
  return Object.fromEntries(
    names.map((name) => {
      const usual = plain[name];
      const answer = (request: ModelRequest, nth: number) => {
        const task = taskOf(request);
        if (task === "review" || task === "synthesis") return { text: reply(request), latencyMs: 1 };
        const said = typeof usual === "function" ? usual(request, nth) : undefined;
        return said ?? { text: "It is 391.", latencyMs: 1 };
      };
      return [name, answer];
    }),
  );
}

const START = Date.UTC(2026, 2, 20);
const DAY = 86_400_000;

/** A store of councils, two a day, in which every kind of part occurs: forks, measurements, unreadable rankings, two seats of one persona. */
async function playCouncils(
  store: OpenedStore,
  { runs, onDay }: { readonly runs: number; readonly onDay: (nth: number) => void },
): Promise<void> {
  const random = seededRandom(`known over ${runs} runs`);
  const on = stage({ protocols: [council, ask], script: moody(random), store: () => store });
  for (let nth = 0; nth < runs; nth += 1) {
    onDay(nth / 2);
    const members = MEMBERS.filter(() => random() < 0.7);
    const asked = councilAsked({
      members: members.length < 2 ? MEMBERS.slice(0, 3) : members,
      question: QUESTIONS[nth % QUESTIONS.length] ?? "",
    });
    const participants = asked.participants.map((one, index) =>
      index === 1 && nth % 5 === 0
        ? { ...one, persona: { ...one.persona, name: `${one.persona.name} 2` }, id: one.id }
        : one,
    );
    const { id } = await on.play({ ...asked, participants }, `run-${nth}`);
    if (nth % 4 === 0) {
      const { opened } = await on.engine.fork(id, {
        request: `fork-${nth}`,
        changes: { settings: { ...asked.settings, mode: "vote" } },
      });
      await on.drive(opened.deliberation);
    }
    if (nth % 3 === 0) {
      const contributions = asked.participants
        .filter(({ seat }) => seat === "member")
        .map(({ id: one }) => ({ id: one, weight: random() }));
      await store
        .for(LOCAL)
        .append(
          id,
          [{ type: "contribution-measured", data: { method: "leave-one-out", contributions, detail: {} } }],
          {
            by: "reactor",
            reactor: "measured",
            event: `${id}/close#0`,
            step: `m-${nth}`,
            digest: Digest.parse("0".repeat(64)),
            after: [],
          } as never,
        );
    }
  }
}

const reading = { onUnreadable: (id: string) => expect.unreachable(id) };

/** What a plain fold over all journals comes to. */
async function foldPlainly(store: OrganizationStore, { since, kind, protocol }: KnownRuns): Promise<Sums> {
  const all: Sums = new Map();
  for await (const entries of listJournals(store, { since, onUnreadable: reading.onUnreadable })) {
    const filed = filePart(entries);
    if (
      !filed?.part ||
      (kind ?? filed.kind) !== filed.kind ||
      (protocol ?? filed.protocol) !== filed.protocol
    )
      continue;
    addPart(all, filed.part);
  }
  return all;
}

/** The figures of a recount over exported lines. */
async function recount(store: OrganizationStore) {
  const { counts, add } = createRecount();
  for await (const entries of listJournals(store, reading)) {
    const lines = entries.map((entry) => JSON.stringify(entry));
    add(lines.map((line) => JSON.parse(line) as never));
  }
  return counts;
}

async function expectRecount(store: OpenedOrganizationStore): Promise<void> {
  const known = { store, projection: store.projection };
  const counts = await recount(store);
  const [all] = await readLeagues(known, { by: "persona" }, reading);
  expect(all?.sessions).toBe(counts.sessions);
  expect(
    Object.fromEntries(
      (all?.rows ?? []).map(({ player, sessions, wins, ties, votes, averageRank }) => [
        player,
        { sessions, wins, ties, votes, averageRank: averageRank?.toFixed(6) },
      ]),
    ),
  ).toEqual(
    Object.fromEntries(
      Object.entries(counts.players).map(([player, { rankSum, ...one }]) => [
        player,
        { ...one, averageRank: (rankSum / one.votes).toFixed(6) },
      ]),
    ),
  );
  for (const { winRate } of all?.rows ?? []) expect(winRate ?? 0).toBeLessThanOrEqual(1);
  const cells = await readMatrix(known, { by: "persona" }, reading);
  expect(
    Object.fromEntries(
      cells.map(({ voter, candidate, votes, share }) => [
        `${voter} > ${candidate}`,
        [votes, share.toFixed(6)],
      ]),
    ),
  ).toEqual(
    Object.fromEntries(
      Object.entries(counts.cells).map(([key, { n, sum }]) => [key, [n, (sum / n).toFixed(6)]]),
    ),
  );
  const shares = await readShares(known, { byStrategy: true }, reading);
  expect(
    Object.fromEntries(
      shares.map(({ persona, strategy, runs, claimed, measured, sessions, winRate }) => [
        `${strategy} / ${persona}`,
        [
          runs,
          claimed.n,
          claimed.mean?.toFixed(6),
          measured["leave-one-out"]?.mean.toFixed(6),
          sessions,
          winRate?.toFixed(6),
        ],
      ]),
    ),
  ).toEqual(
    Object.fromEntries(
      Object.entries(counts.shares).map(([key, { runs, claimed, measured, sessions, wins, ties }]) => {
        const left = measured["leave-one-out"];
        return [
          key,
          [
            ...[runs, claimed.n, claimed.n === 0 ? undefined : (claimed.sum / claimed.n).toFixed(6)],
            ...[left && (left.sum / left.n).toFixed(6), sessions],
            sessions === 0 ? undefined : ((wins + ties / 2) / sessions).toFixed(6),
          ],
        ];
      }),
    ),
  );
}

describe("what is known over our own runs", () => {
  let opened: OpenedStore;
  let store: OpenedOrganizationStore;
  let known: Projected;
  beforeAll(async () => {
    let nowMs = START;
    opened = await openSqlite(":memory:", { now: () => nowMs });
    store = opened.for(LOCAL);
    known = { store, projection: store.projection };
    await playCouncils(opened, { runs: 60, onDay: (day) => (nowMs = START + day * DAY) });
  }, 60_000);
  afterAll(() => opened[Symbol.asyncDispose]());

  it("is what a recount over exported lines comes to", () => expectRecount(store));

  it("PROJ-3: is what a plain fold comes to, whatever is asked for", async () => {
    const early = Date.UTC(2026, 3, 4, 12);
    const late = Date.UTC(2026, 3, 17);
    for (const filter of [
      {},
      { kind: "comparison" },
      { protocol: "council" },
      { protocol: "ask" },
      { since: early },
      { since: early, kind: "fact" },
      { since: late },
      { since: START },
      { since: Date.UTC(2026, 3, 1) },
      { since: Date.UTC(2027, 0, 1) },
    ]) {
      const { all } = await readSums(known, filter, reading);
      const plain = await foldPlainly(store, filter);
      expect(all.get("runs")).toBe(plain.get("runs"));
      for (const by of ["persona", "model"] as const)
        expect(leagueOf(sumsUnder(all, by))).toEqual(leagueOf(sumsUnder(plain, by)));
    }
    const all = await Promise.all(
      [{}, { since: early }, { since: late }].map((filter) => readSums(known, filter, reading)),
    );
    const [whole = 0, afterEarly = 0, afterLate = 0] = all.map((one) => one.all.get("runs"));
    expect([whole > afterEarly, afterEarly > afterLate, afterLate > 0]).toEqual([true, true, true]);
  });

  it("finds votes by persona, the newest run first, and reads no more runs than it must", async () => {
    const plain: string[] = [];
    for await (const entries of listJournals(store, reading))
      for (const vote of votesIn(entries))
        if (vote.voter.persona === "dee" || vote.candidate.persona === "dee")
          plain.push(`${vote.event} ${vote.draft}`);
    const { votes, next } = await readVotePage(known, { persona: "dee", limit: plain.length }, reading);
    const found = votes.map(({ event, draft }) => `${event} ${draft}`);
    expect(next).toBeNull();
    expect(found).toEqual(plain);
    expect(found.length).toBeGreaterThan(50);
    let reads = 0;
    const counting = {
      ...store,
      read: (...given: Parameters<typeof store.read>) => ((reads += 1), store.read(...given)),
    };
    await readVotePage({ ...known, store: counting }, { persona: "dee", limit: 1 }, reading);
    expect(reads).toBe(1);
  });

  it("PROJ-2: is the same after a rebuild, and reads only what has changed", async () => {
    const before = await readLeagues(known, { by: "model" }, reading);
    await rebuildProjection(known, reading);
    expect(await readLeagues(known, { by: "model" }, reading)).toEqual(before);
    let reads = 0;
    const counting = {
      ...store,
      read: (...given: Parameters<typeof store.read>) => ((reads += 1), store.read(...given)),
    };
    await project({ ...known, store: counting });
    expect(reads).toBe(0);
    const [newest] = await store.list({ limit: 1 });
    const [first] = await store.read(newest?.id ?? ("" as never));
    await store.append(newest?.id ?? ("" as never), [{ type: "feedback-given", data: { thumb: "up" } }], {
      by: "client",
      request: "thumb",
    });
    await project({ ...known, store: counting });
    expect(reads).toBe(1);
    expect(isEvent(first as Entry, "deliberation-opened")).toBe(true);
    expect(await readLeagues(known, { by: "model" }, reading)).toEqual(before);
  });

  it("goes on where it was interrupted", async () => {
    await store.projection.clear();
    let reads = 0;
    const failing: OrganizationStore = {
      ...store,
      read: (...given) => ((reads += 1) > 20 ? Promise.reject(new Error("gone")) : store.read(...given)),
    };
    await expect(project({ ...known, store: failing })).rejects.toThrow("gone");
    await expectRecount(store);
  });

  it("FORGET-1: knows nothing of a run that is forgotten, from the same moment on", async () => {
    const [before] = await readLeagues(known, { by: "persona" }, reading);
    const parts = await store.projection.parts({}, { limit: 9 });
    const ranked = parts.find(({ data }) => data?.includes('"ranked"'));
    await forgetRun(
      { store, leases: opened.leases, now: () => START + 99 * DAY },
      ranked?.deliberation ?? "",
    );
    const [after] = await readLeagues(known, { by: "persona" }, reading);
    expect(after?.sessions).toBe((before?.sessions ?? 0) - 1);
    await expectRecount(store);
  });

  it("is one organization's", async () => {
    const acme = opened.for(OrganizationId.parse("acme"));
    const other = { store: acme, projection: acme.projection };
    expect(await readLeagues(other, { by: "persona" }, reading)).toEqual([]);
    await rebuildProjection(other, reading);
    expect((await readLeagues(known, { by: "persona" }, reading)).length).toBeGreaterThan(0);
  });
});

const trialsFile = new URL("../../shared/data/council-trials/trials.json", import.meta.url);
const Trials = z.array(
  z.object({
    question_id: z.string(),
    stage1_responses: z.record(z.string(), z.string()),
    stage2_data: z.object({
      rankings: z.record(z.string(), z.array(z.string())).optional(),
      label_to_model: z.record(z.string(), z.string()).optional(),
    }),
  }),
);

describe("what is known over recorded council trials", () => {
  it("is what a recount over exported lines comes to", async (test) => {
    test.skip(!existsSync(trialsFile), "the recorded trials are not on this machine");
    const trials = Trials.parse(JSON.parse(readFileSync(trialsFile, "utf8")));
    await using opened = await openSqlite(":memory:");
    const store = opened.for(LOCAL);
    let imported = 0;
    for (const { question_id: question, stage1_responses: drafts, stage2_data: data } of trials) {
      const { rankings, label_to_model: labels } = data;
      if (!rankings || !labels) continue;
      imported += 1;
      const models = Object.keys(drafts);
      const nameOf = (model: string) => model.split("/")[1]?.replaceAll(/[^a-z0-9]+/g, "-") ?? "";
      const script = Object.fromEntries([
        ...models.map((model) => [
          nameOf(model),
          (request: ModelRequest) => {
            if (taskOf(request) === "draft")
              return { text: drafts[model]?.trim() || "I do not know.", latencyMs: 1 };
            // Labels are this run's own; whom they stand for follows from the texts.
            const order = (rankings[model] ?? []).map(
              (label) => drafts[labels[label] ?? ""]?.trim() || "I do not know.",
            );
            const text = request.messages.map((message) => message.text).join("\n");
            const shown = labelsIn(request);
            const at = (label: string): number => {
              const body =
                new RegExp(`BEGIN answer ${label} #[0-9a-f]{16}\\]\\n([\\s\\S]*?)\\n\\[END`).exec(
                  text,
                )?.[1] ?? "";
              return order.indexOf(body);
            };
            const ranking = shown.toSorted((one, other) => at(one) - at(other));
            return { text: JSON.stringify({ reviews: [], ranking }), latencyMs: 1 };
          },
        ]),
        ["chair", (request: ModelRequest) => ({ text: synthesisOf(request), latencyMs: 1 })],
      ]);
      const on = stage({ protocols: [council], script, store: () => opened });
      await on.play(councilAsked({ members: models.map(nameOf), question }), `trial-${imported}`);
    }
    expect(imported).toBeGreaterThan(2);
    await expectRecount(store);
  });
});
