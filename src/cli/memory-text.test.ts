import { describe, expect, it } from "vitest";
import { Annotation, Engram, EngramId, UserId } from "../kernel/index.ts";
import type { MemoryAblation } from "../lab/ablation/report.ts";
import type { EngramView, FoundView, MemorySearch } from "../views/memory-view.ts";
import { memoryAblationText } from "../lab/ablation/text.ts";
import { memoryStatsText, type StatsShown } from "./memory-stats-text.ts";
import { memoryEngramText, memoryFactsText, memorySearchText } from "./memory-text.ts";
import { widthOf } from "../reports/text-width.ts";

const plain = { color: false, width: 80 };
const user = UserId.parse("ann");
/** What a terminal would obey, in a text that somebody else has written. */
const HOSTILE = "\u001b[2J\u001b]0;title\u0007\u202eevil\nline";

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

/** No line is wider, and no character of it moves a cursor. */
function expectFit(text: string, width: number): void {
  for (const line of text.split("\n")) expect(widthOf(line), line).toBeLessThanOrEqual(width);
  expect(text.endsWith("\n")).toBe(true);
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u);
}

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

type Pairs = MemoryAblation["right"]["all"];
const pairs = (changes: Partial<Pairs> = {}): Pairs => ({
  n: 24,
  both: 4,
  onlyWith: 12,
  onlyWithout: 1,
  neither: 7,
  difference: { value: 0.4583, low: 0.2, high: 0.65 },
  p: 0.0034,
  ...changes,
});
const graded = (changes: Partial<MemoryAblation["grades"]["all"]> = {}) => ({
  n: 24,
  with: 4.2,
  without: 3.1,
  higher: 15,
  alike: 6,
  lower: 3,
  difference: { value: 1.1, low: 0.4, high: 1.8 },
  ...changes,
});
const ungraded = { ...graded({ n: 0, with: null, without: null, difference: null }) };
const unpaired = pairs({ n: 0, both: 0, onlyWith: 0, onlyWithout: 0, neither: 0, difference: null, p: 1 });
const side: MemoryAblation["with"] = {
  finished: 24,
  failed: 0,
  accuracy: { value: 2 / 3, n: 24, low: 0.46, high: 0.82 },
  grade: { mean: 4.2, n: 24 },
  calls: 24,
  tokens: { in: 12_345, out: null },
  usd: 0.0123,
};
const ablation = (changes: Partial<MemoryAblation> = {}): MemoryAblation => ({
  simulated: false,
  complete: true,
  tasks: { file: "t.jsonl", count: 24, known: 24 },
  user,
  model: "lab/model",
  seed: null,
  startedAt: null,
  recalled: { n: 24, engrams: 20, facts: 0, any: 20, how: ["full text alone"] },
  with: side,
  without: side,
  right: { all: pairs(), recalled: pairs({ n: 20 }) },
  grades: { all: ungraded, recalled: ungraded },
  judge: null,
  rows: [],
  ...changes,
});
const verdictOf = (changes: Partial<MemoryAblation>): string =>
  memoryAblationText(ablation(changes), { ...plain, width: 300 }).split("\n")[0] ?? "";

describe("an ablation", () => {
  it("shows pairs, differences with their intervals, and what each side took", () => {
    const judge = {
      id: "j1",
      status: "answered",
      simulated: false,
      model: "lab/judge",
      family: null,
      form: "json",
      rubric: "quality",
      calls: 47,
      unknown: 0,
      tokens: { in: 1, out: 2, cached: null },
      cost: { usd: 0, source: "free" },
      answers: 48,
      read: 47,
      why: HOSTILE,
    };
    const grades = { all: graded(), recalled: graded({ n: 20 }) };
    const text = memoryAblationText(ablation({ grades, judge, simulated: true }), plain);
    expect(text).toMatch(/^By known answers, memory helps; by the judge, memory helps\.\nSimulated models/);
    expect(text).toMatch(
      /n +both +only with +only without +neither\n +all +24 +4 +12 +1 +7\n +where retrieved +20 /,
    );
    expect(text).toContain("all: difference in points +45.8 (+20.0 to +65.0), p 0.003");
    expect(text).toMatch(/all +24 +4\.20 +3\.10 +15 +6 +3\n/);
    expect(text).toContain("all: mean difference +1.10 (+0.40 to +1.80)");
    expect(text).toMatch(/with +24 +66\.7 % \(46\.0–82\.0\) +24 +12,345 +unknown +\$0\.0123/);
    expect(text).toContain("47 grades of 48 distinct");
    expect(text).toContain("1 answer without a grade: evil line");
    expect(text.replaceAll(/\s+/g, " ")).toContain("a result for 20 of 24 questions (answers for 20)");
    expectFit(text, 80);
  });

  it("claims what is told, and nothing of few questions or where nothing was recalled", () => {
    const by = (right: Partial<Pairs>) => verdictOf({ right: { all: pairs(right), recalled: pairs() } });
    expect(by({})).toBe("By known answers, memory helps.");
    expect(by({ onlyWith: 1, onlyWithout: 12 })).toBe("By known answers, memory harms.");
    expect(by({ p: 0.2 })).toBe("By known answers, no significant difference.");
    expect(by({ p: 1, onlyWith: 2, onlyWithout: 1 })).toBe(
      "By known answers, underpowered: only 3 discordant questions.",
    );
    expect(by({ n: 19 })).toBe("By known answers, 19 questions are not enough (20 required).");
    const graders = (all: Parameters<typeof graded>[0]) =>
      verdictOf({
        right: { all: unpaired, recalled: unpaired },
        grades: { all: graded(all), recalled: ungraded },
      });
    expect(graders({})).toBe("By the judge, memory helps.");
    expect(graders({ difference: { value: -1, low: -2, high: -0.1 } })).toBe("By the judge, memory harms.");
    expect(graders({ difference: { value: 1, low: 0, high: 2 } })).toBe(
      "By the judge, no significant difference.",
    );
    expect(graders({ n: 19 })).toMatch(/19 questions are not enough/);
    const nothing = { n: 24, engrams: 0, facts: 0, any: 0, how: ["nothing is remembered yet"] };
    expect(verdictOf({ recalled: nothing })).toMatch(
      /^Memory retrieved nothing .* any difference is chance\.$/,
    );
    const empty = { all: unpaired, recalled: unpaired };
    expect(verdictOf({ right: empty })).toBe("There is nothing to compare yet.");
  });

  it("says what is missing", () => {
    const text = memoryAblationText(
      ablation({ complete: false, without: { ...side, finished: 20, failed: 4 } }),
      { ...plain, width: 200 },
    );
    expect(text).toContain("Not complete: finished with memory 24, without 20 of 24; 4 answers failed");
  });
});
