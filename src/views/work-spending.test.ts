import { expect, it } from "vitest";
import type { Entry } from "../kernel/index.ts";
import { rostersIn, spendingByWork } from "./spending.ts";

const called = (kind: string, at: string, origin: object = {}): Entry =>
  ({
    ...{ type: "answer-given", seq: 1, at },
    origin: { by: "protocol", step: kind, after: [], work: { kind, by: "ann" }, ...origin },
    data: {
      ...{ by: "ann", text: "x", final: null },
      call: {
        ...{ ok: true, attempts: 1, reply: "x", latencyMs: 1_000 },
        ...{ tokens: { in: 2, out: 3, cached: null }, cost: { usd: 0.5, source: "list" } },
      },
    },
  }) as unknown as Entry; // as much as the fold reads

it("adds up each kind of work, tells calls beside each other from those in turn, and leaves out what was adopted", () => {
  const rows = spendingByWork([
    called("draft", "2026-01-01T00:00:01.000Z"),
    called("draft", "2026-01-01T00:00:01.500Z"),
    called("review", "2026-01-01T00:00:04.000Z"),
    called("review", "2026-01-01T00:00:05.000Z", { by: "adopted" }),
  ]);
  expect(
    rows.map(({ kind, spent, callMs, wallMs }) => [kind, spent.calls, spent.cost.usd, callMs, wallMs]),
  ).toEqual([
    ["draft", 2, 1, 2_000, 1_500],
    ["review", 1, 0.5, 1_000, 1_000],
  ]);
});

it("tells who was let in from who was in time", () => {
  const fixed = (kind: string, out: readonly object[]) =>
    ({
      ...{ type: "roster-fixed", seq: 7, origin: { by: "protocol", work: { kind, of: "draft", round: 2 } } },
      data: { phase: "draft", in: ["ann"], out },
    }) as unknown as Entry; // as much as the fold reads
  const out = { id: "bob", why: "over budget" };
  expect(rostersIn([fixed("admission", [out]), fixed("roster", [])])).toEqual([
    { seq: 7, phase: "draft", round: 2, isAdmission: true, present: ["ann"], out: [out] },
    { seq: 7, phase: "draft", round: 2, isAdmission: false, present: ["ann"], out: [] },
  ]);
});
