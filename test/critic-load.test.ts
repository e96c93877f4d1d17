import { expect, it } from "vitest";
import { withReactors } from "../src/app/registry.ts";
import { loadReactors, needsReaction } from "../src/engine/index.ts";
import { features } from "../src/features.ts";
import { isEvent, type DeliberationId, type Entry, type Json } from "../src/kernel/index.ts";
import { createMemory } from "../src/memory/memory.ts";
import { respond } from "../src/features/respond/protocol/index.ts";
import { memoryEngrams } from "./support/memory-engrams.ts";
import { RECALL, respondAsked, RESPONDENT_SETTINGS, USER } from "./support/respond-table.ts";
import { shippedText } from "./support/templates.ts";
import type { ScriptedReply } from "../src/testing/scripted-models.ts";
import { stepClock } from "../src/testing/step-clock.ts";
import { CRITIC, JUDGE, punctual } from "./support/toys/respondents.ts";
import { LOCAL } from "../src/testing/store-samples.ts";
import { stage } from "../src/testing/stage.ts";
import { isLong } from "./support/long.ts";

// `npm run bench -- --only critic` measures the same in real time.

const reactors = await loadReactors(withReactors(features));

const EVERY_MS = 10;
const TAKES_MS = 200;
/** In which a critic that waits 30 s for every sixth of its calls has caught up with all answers, many at once. */
const MOST_MINUTES = 5;

/** Of 12 calls two hang, two fail, two are nonsense. */
const WAYS: readonly ScriptedReply[] = [
  { hang: true },
  { text: "Feedback: fine. [RESULT] 4", latencyMs: 900 },
  { fail: "overloaded", latencyMs: 50 },
  { text: "Feedback: A, B, who knows. [RESULT] 5", latencyMs: 900 },
  { text: "All in all a fine answer.", latencyMs: 900 },
  { text: "Feedback: no. [RESULT] 1", latencyMs: 900 },
  { hang: true },
  { text: "Feedback: fine. [RESULT] 4", latencyMs: 900 },
  { fail: "rate-limited", latencyMs: 50 },
  { text: "Feedback: hm. [RESULT] 3", latencyMs: 900 },
  { text: "[RESULT] 17", latencyMs: 900 },
  { text: "Feedback: hm. [RESULT] 2", latencyMs: 900 },
];

/** Pairs are told apart, by which of two stands first. */
const judging = ({ text }: { readonly text: string }, nth: number): ScriptedReply => {
  const way = WAYS[nth % WAYS.length] ?? { hang: true as const };
  const fine = "text" in way && /\[RESULT\] [1-5]/.test(way.text);
  return fine && text.includes("Response B") ? { text: "Feedback: A. [RESULT] A", latencyMs: 900 } : way;
};

type Load = {
  readonly critic: boolean;
  readonly second: boolean;
  readonly drains: boolean;
  readonly n: number;
};

/** So many answers, one asked for every 10 ms; what they took, and what came of them once nothing was left to do. */
async function loaded({ critic, second, drains, n }: Load) {
  const engrams = memoryEngrams();
  const memory = createMemory({ store: engrams, embeddings: null, world: stepClock() });
  const on = stage({
    protocols: [respond],
    reactors,
    ports: { memory },
    script: {
      first: () => ({ text: "It is 391.\n\nFinal answer: 391", latencyMs: TAKES_MS }),
      second: () => ({ text: "I make it 392.\n\nFinal answer: 392", latencyMs: 3 * TAKES_MS }),
      judge: ({ messages }, nth) => judging({ text: messages.map(({ text }) => text).join("\n") }, nth),
    },
  });
  punctual(on);
  const stop = new AbortController();
  const { signal } = stop;
  const working = drains ? Promise.resolve() : on.engine.react({ worker: "w", signal });
  await on.clock.advance(1);
  const settings: Record<string, Json> = { ...RESPONDENT_SETTINGS, recall: RECALL };
  const reactions: Record<string, unknown> = {
    memory: { user: USER, write: true, mergeAt: 0.9, retireAt: 2 },
    ...(second ? { "respondent-b": settings } : {}),
    ...(critic ? { critic: CRITIC, ...(second ? { pairwise: JUDGE } : {}) } : {}),
  };
  const asked = respondAsked({
    settings,
    // What is pinned is JSON.
    reactions: reactions as Record<string, Json>,
    templates: Object.fromEntries(
      ["respond", "judge-grade-prometheus", "judge-preference-prometheus"].map((name) => [
        name,
        shippedText(name),
      ]),
    ),
  });
  const draining: Promise<void>[] = [];
  const answered = Array.from({ length: n }, async (_, index) => {
    await on.clock.sleep(index * EVERY_MS, new AbortController().signal);
    const startMs = on.clock.now();
    const question = `What is ${index} * 23?`;
    const { opened } = await on.engine.open(`r${index}`, { ...asked, question });
    const id = opened.deliberation;
    const driven = on.engine.drive(id, { signal });
    if (drains) draining.push(on.engine.drain(id, { worker: "w", signal, until: driven }));
    const { status } = await driven;
    return { id, status, ms: on.clock.now() - startMs };
  });
  const answers = await on.clock.settle(Promise.all(answered));
  await on.clock.settle(Promise.all(draining));
  const behind = async () => {
    const end = await on.store.end();
    const cursors = await Promise.all(reactors.map(({ name }) => on.store.cursor(name)));
    return cursors.filter((cursor) => cursor !== end).length;
  };
  let minutes = 0;
  for (; !drains && minutes < MOST_MINUTES && (await behind()) > 0; minutes += 1)
    await on.clock.advance(60_000);
  const journals = await Promise.all(answers.map(({ id }) => on.store.for(LOCAL).read(id)));
  const outcome = {
    times: answers.map(({ ms }) => ms),
    statuses: new Set(answers.map(({ status }) => status)),
    behind: drains ? 0 : await behind(),
    owed: journals.reduce((sum, entries) => sum + owedIn(entries), 0),
    ...(await verdictsIn(journals, (ids) =>
      engrams.get({ organization: asked.organization, user: USER }, ids),
    )),
  };
  stop.abort();
  await on.clock.settle(working);
  return outcome;
}

/** Events that a reactor has to answer and has not answered. Of the shipped reactors only memory decides by its settings: by whose memory it is. */
const owedIn = (entries: readonly Entry[]): number =>
  reactors.flatMap((reactor) =>
    entries.filter(
      (entry, index) =>
        needsReaction(reactor, entry, {
          before: entries.slice(0, index + 1),
          settings: { ok: true, value: { user: USER } },
        }) &&
        !entries.some(
          ({ origin }) =>
            origin.by === "reactor" && origin.reactor === reactor.name && origin.event === entry.id,
        ),
    ),
  ).length;

type Lookup = ReturnType<typeof memoryEngrams>["get"];

/** By answer: whether its grade is one score or one null with its reason, and whether its engram says the same. */
async function verdictsIn(
  journals: readonly (readonly Entry[])[],
  engramsOf: (ids: Parameters<Lookup>[1]) => ReturnType<Lookup>,
) {
  const kinds: string[] = [];
  const whys: string[] = [];
  let preferences = 0;
  const deliberations = new Set<DeliberationId>();
  for (const entries of journals) {
    for (const answer of entries) {
      if (isEvent(answer, "preference-given")) preferences += 1;
      if (!isEvent(answer, "answer-given")) continue;
      deliberations.add(answer.deliberation);
      const grades = entries.flatMap((entry) =>
        isEvent(entry, "grade-given") && entry.data.of === answer.id ? [entry.data] : [],
      );
      for (const { why } of grades) if (why !== undefined) whys.push(why);
      const [written] = entries.flatMap((entry) =>
        isEvent(entry, "engram-written") && entry.data.of === answer.id ? [entry.data.engram.id] : [],
      );
      const [stored] = written === undefined ? [] : await engramsOf([written]);
      const said = (stored?.annotations ?? []).flatMap(({ what }) =>
        what.kind === "grade" ? [what.score] : [],
      );
      const graded = grades.map(({ score, why }) => (score === null && why ? "null, with a why" : "a score"));
      kinds.push(
        `${graded.join(" and ") || "no grade"}; ${stored ? "an engram" : "no engram"} with ${said.length}`,
      );
      if (said.join() !== grades.flatMap(({ score }) => score ?? []).join()) kinds.push("another score");
    }
  }
  return { kinds: counted(kinds), whys: counted(whys), preferences, answers: deliberations.size };
}

const counted = (words: readonly string[]): Record<string, number> =>
  words.toSorted().reduce<Record<string, number>>((sums, word) => {
    sums[word] = (sums[word] ?? 0) + 1;
    return sums;
  }, {});

/** How many answers are asked for while the critic is behind; `LONG=1` asks for more. */
const MANY = isLong ? 200 : 80;

it.each([
  { second: false, drains: false, n: MANY },
  { second: true, drains: false, n: MANY },
  { second: false, drains: true, n: 50 },
  { second: true, drains: true, n: 50 },
])(
  "no critic that hangs, fails or talks nonsense delays an answer: %o",
  async (load) => {
    const without = await loaded({ ...load, critic: false });
    const outcome = await loaded({ ...load, critic: true });
    expect(outcome.times).toEqual(without.times);
    expect(outcome.times).toEqual(Array.from({ length: load.n }, () => TAKES_MS));
    expect(outcome.statuses).toEqual(new Set(["closed"]));
    expect([without.behind, without.owed, outcome.behind, outcome.owed]).toEqual([0, 0, 0, 0]);
    const answers = load.second ? 2 * load.n : load.n;
    const { "a score; an engram with 1": graded = 0, "null, with a why; an engram with 0": ungraded = 0 } =
      outcome.kinds;
    expect(Object.keys(outcome.kinds).sort()).toEqual([
      "a score; an engram with 1",
      "null, with a why; an engram with 0",
    ]);
    expect(graded + ungraded).toBe(answers);
    expect(graded).toBeGreaterThan(answers / 4);
    expect(Object.keys(outcome.whys).sort()).toEqual([
      "overloaded: scripted: overloaded",
      "rate-limited: scripted: rate-limited",
      "the reply declares no score",
      "the score 17 is outside of 1 to 5",
      "timed-out: no reply within 30 s",
    ]);
    expect(outcome.preferences > 0).toBe(load.second);
    expect(without.kinds).toEqual({ "no grade; an engram with 0": answers });
    expect(outcome.answers).toBe(load.n);
  },
  120_000,
);
