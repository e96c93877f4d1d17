import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StepKey } from "../kernel/index.ts";
import type { RunProgress, ProgressRow, StepView } from "../views/progress.ts";
import { styleOf } from "../reports/style.ts";
import { widthOf } from "../reports/text-width.ts";
import { closingLine, screenLines, spentWords } from "./screen-lines.ts";

const style = styleOf(false);
const spent: RunProgress["spent"] = {
  ...{ calls: 3, unknown: 0 },
  tokens: { in: 3_000, out: 936, cached: null, thinking: null },
  cost: { usd: 0.0063, source: "table" },
};

const step = (key: string, changes: Partial<StepView> = {}): StepView => ({
  step: StepKey.parse(key),
  work: key.split("/")[0] ?? key,
  state: "writing",
  text: "The answer depends on 吞吐量 and on 👩‍👩‍👧 who is on call.",
  attempt: 1,
  again: key.endsWith("/repair"),
  doing: null,
  why: null,
  tokensOut: null,
  tokensThought: null,
  thinking: null,
  latencyMs: null,
  ...changes,
});

const row = (
  id: string,
  steps: readonly StepView[] = [],
  changes: Partial<ProgressRow> = {},
): ProgressRow => ({
  id,
  name: id.charAt(0).toUpperCase() + id.slice(1),
  seat: id.startsWith("chair") ? "chair" : "member",
  model: `openai/gpt-of-${id}`,
  steps,
  ...changes,
});

const progress = (rows: readonly ProgressRow[], changes: Partial<RunProgress> = {}): RunProgress => ({
  question:
    "Should we move our 队列 queue 🚀 from Redis to Postgres, given that we have two engineers and one rota?",
  rows,
  spent,
  phases: [],
  closed: undefined,
  ...changes,
});

const done = { state: "done", latencyMs: 1_200, tokensOut: 312 } as const;
const drafting = progress([
  row("analyst", [step("draft/analyst", done)]),
  row("builder", [step("draft/builder")]),
  row("skeptic", [step("draft/skeptic", { state: "failed", why: "network: connection reset" })]),
  row("judge", [step("draft/judge", { state: "calling", text: "", attempt: 2 })]),
  row("chair"),
  row("chair-2"),
]);
const story = "The team is small. ".repeat(30);
const writing = progress([
  row("analyst", [step("draft/analyst", done), step("review/analyst", done)]),
  row("builder", [step("draft/builder", done), step("review/builder", done)]),
  row("chair", [step("synthesis/chair", { text: story })]),
]);

const shown = (view: RunProgress, columns: number, rows: number): string =>
  screenLines({ progress: view, elapsedMs: 4_200, nowMs: 0, tick: 3 }, { columns, rows, style }).join("\n");

describe("what a person sees", () => {
  it("while members draft, at 80 and at 40 columns", () => {
    expect(shown(drafting, 79, 23)).toMatchInlineSnapshot(`
      "Should we move our 队列 queue 🚀 from Redis to Postgres, given that we have tw…
      drafting, 2 of 4 done · 4.2 s
      ✓ Analyst  openai/gpt-of-analyst  draft done (1.2 s, 312 tokens)
      ⠸ Builder  openai/gpt-of-builder  drafting… 57 characters
        The answer depends on 吞吐量 and on 👩‍👩‍👧 who is on call.
      ✗ Skeptic  openai/gpt-of-skeptic  draft failed: network: connection reset
      ⠸ Judge    openai/gpt-of-judge    drafting…, attempt 2
      · Chair    openai/gpt-of-chair    waiting
      3 calls · 3,936 tokens · $0.0063"
    `);
    expect(shown(drafting, 39, 11)).toMatchInlineSnapshot(`
      "Should we move our 队列 queue 🚀 from…
      drafting, 2 of 4 done · 4.2 s
      ✓ Analyst  draft done (1.2 s, 312 toke…
      ⠸ Builder  drafting… 57 characters
        …on 吞吐量 and on 👩‍👩‍👧 who is on call.
      ✗ Skeptic  draft failed: network: conn…
      ⠸ Judge    drafting…, attempt 2
      · Chair    waiting
      3 calls · 3,936 tokens · $0.0063"
    `);
  });

  it("while the chair writes, at 80 and at 40 columns", () => {
    expect(shown(writing, 79, 23)).toMatchInlineSnapshot(`
      "Should we move our 队列 queue 🚀 from Redis to Postgres, given that we have tw…
      writing · 4.2 s
      ✓ Analyst  openai/gpt-of-analyst  review done (1.2 s, 312 tokens)
      ✓ Builder  openai/gpt-of-builder  review done (1.2 s, 312 tokens)
      ⠸ Chair    openai/gpt-of-chair    writing… 570 characters
        The team is small. The team is small. The team is small. The team is small.
        The team is small. The team is small. The team is small. The team is small.
        The team is small. The team is small. The team is small. The team is small.
        The team is small. The team is small. The team is small. The team is small.
        The team is small. The team is small. The team is small. The team is small.
        The team is small. The team is small.
      3 calls · 3,936 tokens · $0.0063"
    `);
    expect(shown(writing, 39, 11)).toMatchInlineSnapshot(`
      "Should we move our 队列 queue 🚀 from…
      writing · 4.2 s
      ✓ Analyst  review done (1.2 s, 312 tok…
      ✓ Builder  review done (1.2 s, 312 tok…
      ⠸ Chair    writing… 570 characters
        The team is small. The team is small.
        The team is small. The team is small.
        The team is small. The team is small.
        The team is small. The team is small.
        The team is small. The team is small.
      3 calls · 3,936 tokens · $0.0063"
    `);
  });

  it("as the last line, whatever came of it", () => {
    const last = (closed: string | undefined) =>
      closingLine(
        { progress: progress([], { closed }), elapsedMs: 4_200, nowMs: 0, tick: 0 },
        { columns: 79, rows: 23, style },
      );
    expect(last("answered-degraded")).toBe("✓ Done in 4.2 s, degraded · 3 calls · 3,936 tokens · $0.0063");
    expect(last("failed")).toMatch(/^✗ Failed after/);
    expect(last(undefined)).toMatch(/^✗ Paused after/);
  });
});

it("says free, unknown and nothing of the cost", () => {
  expect(spentWords({ ...spent, cost: { usd: 0, source: "free" } })).toBe("3 calls · 3,936 tokens · free");
  const unknown = {
    ...{ calls: 1, unknown: 0 },
    tokens: { in: null, out: 4, cached: null, thinking: null },
    cost: { usd: null, source: "unknown" },
  } as const;
  expect(spentWords(unknown)).toBe("1 call · tokens unknown · cost unknown");
  expect(spentWords({ ...spent, unknown: 1 })).toBe("3 calls · 3,936 tokens · $0.0063 + 1 call unknown");
  expect(spentWords({ ...spent, calls: 0 })).toBe("");
});

it("keeps a long text's lines as they were broken while more is added", () => {
  const saying = (text: string) =>
    shown(progress([row("analyst"), row("chair", [step("synthesis/chair", { text })])]), 60, 23).split("\n");
  const long = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");
  const before = saying(long).slice(4, 9);
  expect(before.join(" ")).toContain("word395");
  for (const line of before) expect(saying(`${long} and more`)).toContain(line);
});

it("shows those at work when there is no space for all, and says how many are hidden", () => {
  const many = Array.from({ length: 12 }, (_, at) => row(`m${at}`, at === 11 ? [step("draft/m11")] : []));
  const lines = shown(progress(many), 79, 8).split("\n");
  expect(lines).toHaveLength(8);
  expect(lines[5]).toContain("M11");
  expect(lines[6]).toBe("  and 8 more");
});

it("fits, whatever the size, the people and their texts", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 200 }),
    fc.constantFrom("\u001b[2J\u009b1;1H", "a\nb\rc\td", "日".repeat(90), "👩‍👩‍👧".repeat(40), "x".repeat(5_000)),
  );
  const someStep = fc
    .record({
      state: fc.constantFrom("calling", "writing", "done", "failed"),
      text: hostile,
      why: fc.option(hostile),
      work: fc.constantFrom("draft", "synthesis", "dream"),
    })
    .map((changes) => step("draft/x", { ...changes, latencyMs: 12, tokensOut: 3 }));
  const someRow = fc
    .record({
      name: hostile,
      model: hostile,
      seat: fc.constantFrom("member", "chair"),
      steps: fc.array(someStep, { maxLength: 2 }),
    })
    .map((changes) => row("x", [], changes));
  const size = fc.record({
    columns: fc.integer({ min: 1, max: 120 }),
    rows: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(
      fc.array(someRow, { maxLength: 9 }),
      hostile,
      size,
      (rows, question, { columns, rows: height }) => {
        const unique = rows.map((one, at) => ({ ...one, id: `x${at}` }));
        const moment = { progress: progress(unique, { question }), elapsedMs: 1, nowMs: 0, tick: 1 };
        const lines = screenLines(moment, { columns, rows: height, style });
        expect(lines.length).toBeLessThanOrEqual(height);
        for (const line of lines) {
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
      },
    ),
  );
});

describe("while structured steps and drafts are written", () => {
  const at = (work: string, text: string): string =>
    shown(
      progress([row("analyst", [step("a", { ...done, work })]), row("builder", [step("b", { work, text })])]),
      79,
      23,
    );

  it.each([
    ["review", "ranking 1 of 2"],
    ["comparison", "comparing 1 of 2"],
    ["summary", "summarizing 1 of 2"],
    ["grade", "grading 1 of 2"],
    ["clarification", "asking questions 1 of 2"],
  ])("says of a %s what is done and how far it is, and shows none of its JSON", (work, words) => {
    const screen = at(work, '```json\n{"reviews":[{"label":"A"');
    expect(screen).toContain(`${words} · `);
    expect(screen).toContain("32 characters");
    expect(screen).not.toMatch(/[{}"`]/);
  });

  it.each(["clarify-1", "judge/summary", "summary-made", "round-1/proposal"])(
    "shows no step's key such as %s",
    (work) => expect(at(work, "text")).not.toContain(work),
  );

  it.each([
    ["## Costs\n\n**Two** things", "Costs Two things"],
    ["- `one` and *two* of ~~three~~", "one and two of three"],
    ["> said_so with snake_case and 17 * 23", "said_so with snake_case and 17 * 23"],
    ["| a | b |\n| --- | --- |\n| 1 | 2 |", "a b 1 2"],
    ['So.\n```json\n{"weights": {"A": 1', "So."],
    ["```sql\nselect 1", "select 1"],
  ])("shows a draft %j without its marks", (text, plain) =>
    expect(
      at("draft", text)
        .split("\n")
        .map((line) => line.trim()),
    ).toContain(plain),
  );

  it.each(['{"draft": 1', '[{"a"', '```json\n{"a"'])("shows no JSON of a draft: %j", (text) =>
    expect(at("draft", text)).not.toMatch(/[{}[\]"]/),
  );
});
