import { describe, expect, it } from "vitest";
import { expectFit, HOSTILE } from "../../../../test/support/hostile-texts.ts";
import { Annotation, Engram, EngramId, UserId } from "../../../kernel/index.ts";
import type { EngramView, FoundView, MemorySearch } from "../contract.ts";
import {
  memoryEngramText,
  memoryFactsText,
  memorySearchText,
  memoryStatsText,
  type StatsShown,
} from "./text.ts";

const plain = { color: false, width: 80 };
const user = UserId.parse("ann");
/** What a terminal would obey, in a text that somebody else has written. */
const engramOf = (changes: Record<string, unknown> = {}): Engram =>
  Engram.parse({
    id: "d1/protocol/answer/A#0",
    type: "episodic",
    organization: "local",
    user,
    question: "What is the capital of Freedonia?",
    summary: "Final answer: Fredville",
    intent: "fact",
    entities: ["Freedonia"],
    participant: "A",
    respondent: "A",
    models: ["lab/model"],
    temperature: 0.5,
    deliberation: "d1",
    conversation: "d1",
    tools: false,
    at: "2026-01-02T03:04:05.000Z",
    ...changes,
  });

const unjudged: EngramView["judged"] = {
  grade: null,
  feedback: "",
  preference: null,
  thumb: null,
  outcome: null,
  retired: null,
};

const view = (changes: Partial<EngramView> = {}, engram: Engram = engramOf()): EngramView => ({
  engram,
  cluster: engram.id,
  annotations: [],
  embedded: [],
  forgotten: null,
  judged: unjudged,
  mark: "unjudged",
  ...changes,
});

const found = (changes: Partial<FoundView> = {}, engram?: Engram): FoundView => ({
  ...view({}, engram),
  similarity: null,
  words: null,
  score: null,
  ...changes,
});

const searched = (engrams: FoundView[], changes: Partial<MemorySearch> = {}): MemorySearch => ({
  user,
  query: null,
  how: "the newest",
  more: false,
  engrams,
  ...changes,
});

const annotation = (n: number, what: unknown): Annotation =>
  Annotation.parse({ event: `e${n}`, by: "judge", at: "2026-02-03T04:05:06.000Z", what });

describe("a list of engrams", () => {
  it("shows each with its id, what was said of it, and what it was ranked by", () => {
    const judged = { ...unjudged, grade: 4, preference: "won", thumb: "up", outcome: "good" } as const;
    const one = found({ judged, mark: "good-example", similarity: 0.913, words: 0.5, score: 1.054 });
    const two = found(
      { words: 0.5, score: 0.5 },
      engramOf({ id: "d2/x", respondent: null, temperature: null }),
    );
    const text = memorySearchText(
      searched([one, two], { query: "capital", how: "full text alone", more: true }),
      { ...plain, width: 200 },
    );
    expect(text.split("\n")).toEqual([
      "d1/protocol/answer/A#0",
      "  What is the capital of Freedonia?",
      "  Final answer: Fredville",
      "  ● 4/5 · good example · won a comparison · thumb up · outcome good · A lab/model at 0.5, 2026-01-02 03:04 · score 1.05 · similarity 0.91 · words 0.50",
      "",
      "d2/x",
      "  What is the capital of Freedonia?",
      "  Final answer: Fredville",
      "  not judged · lab/model, 2026-01-02 03:04 · score 0.50 · no vector · words 0.50",
      "",
      "Searched by full text alone.",
      "There are more: --limit 4.",
      "One of them whole: parley memory show ID",
      "",
    ]);
  });

  it("says what to do where there is nothing, and does not take a part of it for all", () => {
    expect(memorySearchText(searched([]), plain)).toMatch(/^Nothing is remembered yet\..*parley respond/s);
    for (const text of [
      memorySearchText(searched([]), { ...plain, narrowed: true }),
      memorySearchText(searched([], { query: "x" }), plain),
    ]) {
      expect(text).toMatch(/^Nothing fits\./);
      expect(text).not.toContain("remembered yet");
    }
  });

  it("keeps to the width and to one line for what others wrote; ids are never cut", () => {
    const id = `d1/${"long/".repeat(30)}A#0`;
    const hostile = engramOf({
      id,
      question: HOSTILE.repeat(40),
      summary: `${"many words ".repeat(60)}${HOSTILE}`,
      at: HOSTILE,
    });
    const lines = memorySearchText(searched([found({}, hostile)], { how: HOSTILE, query: "x" }), plain).split(
      "\n",
    );
    expect(lines[0]).toBe(id);
    expectFit(lines.slice(1).join("\n"), 80);
    expect(lines.findIndex((line) => line === "")).toBeLessThanOrEqual(6);
    expect(lines.join("\n")).toContain("…");
  });

  it("colors the badge, and nothing without a grade", () => {
    const style = { color: true, width: 80 };
    const graded = found({ judged: { ...unjudged, grade: 2 }, mark: "avoid" });
    expect(memorySearchText(searched([graded]), style)).toContain("\u001b[31m● 2/5\u001b[39m · to avoid");
    expect(memorySearchText(searched([found()]), style)).not.toContain("\u001b[31m");
  });
});

describe("one engram", () => {
  it("comes with who said what of it, when, and its near-duplicates, newest first", () => {
    const said = [
      annotation(1, { kind: "grade", score: 4, feedback: "good", rubric: "quality" }),
      annotation(2, {
        kind: "preference",
        result: "won",
        against: EngramId.parse("other"),
        orderSensitive: true,
        reason: "clear",
      }),
      annotation(3, { kind: "thumb", thumb: "down", text: "short" }),
      annotation(4, { kind: "outcome", outcome: "bad" }),
      annotation(5, { kind: "comment", text: "hm" }),
      annotation(6, { kind: "retired", reason: "2 against" }),
    ];
    const judged = { ...unjudged, grade: 4, retired: "2 against" };
    const other = (id: string) => view({}, engramOf({ id }));
    const text = memoryEngramText(
      { ...view({ annotations: said, judged, embedded: ["lab/e"] }), history: [other("h1"), other("h2")] },
      { ...plain, width: 120 },
    );
    const at = "2026-02-03 04:05 judge: ";
    for (const line of [
      `${at}grade 4 (quality): good`,
      `${at}won against other, but the verdict changed with the order: clear`,
      `${at}thumb down: short`,
      `${at}outcome bad`,
      `${at}hm`,
      `${at}retired: 2 against`,
      "not recalled any more: 2 against",
      "2 near-duplicates; this one is the first",
      "parley show d1",
      "lab/e",
    ])
      expect(text).toContain(line);
    expect(text.indexOf("h2")).toBeLessThan(text.indexOf("h1"));
    expect(text).not.toContain("--json");
  });

  it("says so where it was forgotten, imported or pinned", () => {
    const gone = view(
      { forgotten: { by: "ann", at: "2026-03-04T05:06:07Z" } },
      engramOf({ question: "", summary: "" }),
    );
    expect(memoryEngramText({ ...gone, history: [] }, plain)).toContain(
      "forgotten on 2026-03-04 05:06 by ann",
    );
    expect(memoryEngramText({ ...gone, history: [] }, plain)).not.toContain("Said");
    const imported = view({}, engramOf({ deliberation: null, conversation: null }));
    expect(memoryEngramText({ ...imported, history: [] }, plain)).toMatch(/From +imported/);
    const pinned = view(
      {},
      engramOf({ type: "pinned", question: "", summary: "We deploy.", deliberation: null }),
    );
    expect(memoryEngramText({ ...pinned, history: [] }, plain)).toMatch(/Fact +We deploy\.\nState +pinned/);
  });

  it("shows the newest of many, says so, and keeps to the width", () => {
    const many = Array.from({ length: 40 }, (_, n) =>
      annotation(n, { kind: "comment", text: `${HOSTILE}no. ${n}.` }),
    );
    const near = Array.from({ length: 14 }, (_, n) => view({}, engramOf({ id: `h${n}` })));
    const text = memoryEngramText({ ...view({ annotations: many }), history: near }, plain);
    expect(text).toContain("(10 earlier annotations not shown)");
    expect(text).not.toContain("no. 9.");
    expect(text).toContain("no. 10.");
    expect(text).toContain("(4 more not shown)");
    expect(text).not.toContain(": h3");
    expect(text).toContain("All of it: --json");
    expectFit(text, 80);
  });
});

describe("pinned facts", () => {
  it("stand in their order, each with its id", () => {
    const facts = [
      { id: EngramId.parse("pinned:1"), fact: `${HOSTILE} one`, at: "2026-01-02T03:04:05Z", by: "sim/ada" },
      { id: EngramId.parse("pinned:2"), fact: "two", at: "", by: null },
    ];
    const text = memoryFactsText({ user, facts }, plain);
    expect(text).toMatch(/one\n {2}pinned:1 · 2026-01-02 03:04 · kept by sim\/ada\ntwo\n {2}pinned:2/);
    expectFit(text, 80);
    expect(memoryFactsText({ user, facts: [] }, plain)).toContain("parley memory pin");
  });
});

const none = { value: null, n: 0, low: null, high: null };
const configuration = (
  changes: Partial<StatsShown["configurations"][number]>,
): StatsShown["configurations"][number] => ({
  models: ["lab/model"],
  temperature: null,
  intent: "fact",
  engrams: 3,
  wins: 0,
  losses: 0,
  ties: 0,
  won: none,
  lost: none,
  tied: none,
  grade: { mean: null, n: 0 },
  claim: "too-few",
  ...changes,
});
const held = (configurations: StatsShown["configurations"]): StatsShown => ({
  episodic: 30,
  pinned: 1,
  retired: 2,
  judged: 4,
  forgotten: 1,
  clusters: 29,
  configurations,
});

describe("how configurations have done", () => {
  const ahead = configuration({
    temperature: 0.5,
    wins: 18,
    losses: 3,
    ties: 1,
    won: { value: 18 / 22, n: 22, low: 0.61, high: 0.93 },
    lost: { value: 3 / 22, n: 22, low: 0.05, high: 0.33 },
    grade: { mean: 4.26, n: 20 },
    claim: "ahead",
  });

  it("is shown by kind of question with intervals, and as better only where that was told", () => {
    const text = memoryStatsText(
      held([configuration({ intent: "procedure" }), ahead, { ...ahead, intent: null }]),
      plain,
    );
    expect(text).toMatch(/^30 answers in 29 clusters, 4 judged, 1 pinned fact, 2 retired, 1 forgotten\n/);
    expect(text.match(/^\S.*question$|^Asked for .*$/gm)).toEqual([
      "Asked for a fact",
      "Asked for a procedure",
      "Every kind of question",
    ]);
    expect(text.replaceAll(/\n +/g, " ")).toContain(
      "lab/model at 0.5 3 answers; grade 4.3 (20 graded); of 22 comparisons won 18 (82 %, 61–93), lost 3 (14 %, 5–33), tied 1 wins more than it loses",
    );
    expect(text.replaceAll("\n", " ")).toContain(
      "Better: for a fact lab/model at 0.5; for every kind together lab/model at 0.5.",
    );
    expectFit(text, 80);
  });

  it("claims nothing of few, and does not say the same of one kind twice", () => {
    const few = { ...ahead, claim: "too-few" } as const;
    const text = memoryStatsText(held([few, { ...few, intent: null }]), plain);
    expect(text).toContain("not enough comparisons (20 required)");
    expect(text).toContain("No configuration is significantly better yet.");
    expect(text).not.toContain("Every kind");
    expect(text).not.toContain("Better:");
  });

  it("says what to do where nothing is remembered", () => {
    const empty = { ...held([]), episodic: 0, pinned: 0, forgotten: 0 };
    expect(memoryStatsText(empty, plain)).toMatch(/^Nothing is remembered yet/);
    expect(memoryStatsText({ ...empty, pinned: 1 }, plain)).toMatch(/^0 answers/);
  });
});
