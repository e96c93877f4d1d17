import { expect, it } from "vitest";
import { DeliberationId, OrganizationId, SeriesId, type Summary } from "../kernel/index.ts";
import { listText } from "./list-text.ts";
import { widthOf } from "../reports/text-width.ts";

const NOW = Date.UTC(2026, 0, 2, 12);

const summary = (id: string, openedAgoMs: number, changes: Partial<Summary> = {}): Summary => ({
  id: DeliberationId.parse(id),
  organization: OrganizationId.parse("local"),
  series: null,
  protocol: "council",
  question: "What is 17 * 23?",
  openedAt: new Date(NOW - openedAgoMs).toISOString(),
  status: "answered",
  seq: 11,
  ...changes,
});

const rows = [
  summary("aaaaaaaaaaaaaaaaaaaa", 20_000),
  summary("bbbbbbbbbbbbbbbbbbbb", 192_000, {
    status: "answered-degraded",
    question: "Wohin?\n\u001b[2JJetzt " + "日".repeat(100),
  }),
  summary("cccccccccccccccccccc", 90 * 3_600_000, { status: "open" }),
];

it("is a line for each, with its age, status and question", () => {
  expect(listText(rows, { now: NOW, width: 80 })).toMatchInlineSnapshot(`
    "ID                    ASKED      STATUS             QUESTION
    aaaaaaaaaaaaaaaaaaaa  just now   answered           What is 17 * 23?
    bbbbbbbbbbbbbbbbbbbb  3 min ago  answered-degraded  Wohin? Jetzt 日日日日日日日…
    cccccccccccccccccccc  3 d ago    open               What is 17 * 23?
    "
  `);
});

it("marks a follow-up, which stands in the series of its conversation", () => {
  const followUp = summary("dddddddddddddddddddd", 10_000, {
    series: SeriesId.parse("aaaaaaaaaaaaaaaaaaaa"),
  });
  const [, first, second] = listText([followUp, ...rows], { now: NOW, width: 80 }).split("\n");
  expect([first, second].map((line) => line?.includes("↳ What is 17"))).toEqual([true, false]);
});

it("keeps ids whole and lines within the width; the question has a line of its own where there is no room", () => {
  expect(listText(rows, { now: NOW, width: 50 }).split("\n")).toEqual([
    "ID                    ASKED      STATUS",
    "aaaaaaaaaaaaaaaaaaaa  just now   answered",
    "  What is 17 * 23?",
    "bbbbbbbbbbbbbbbbbbbb  3 min ago  answered-degraded",
    `  Wohin? Jetzt ${"日".repeat(17)}…`,
    "cccccccccccccccccccc  3 d ago    open",
    "  What is 17 * 23?",
    "",
  ]);
  for (const width of [50, 80])
    for (const line of listText(rows, { now: NOW, width }).split("\n"))
      expect(widthOf(line)).toBeLessThanOrEqual(width);
});

it("says how to begin when there are none", () => {
  expect(listText([], { now: NOW, width: 80 })).toBe('No runs yet. Ask: parley "your question"\n');
});
