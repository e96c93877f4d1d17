import { expect, it } from "vitest";
import type { Entry } from "../kernel/index.ts";
import { reviewMatrix } from "./review-matrix.ts";

const entry = (type: string, data: object, origin: object): Entry =>
  ({
    type,
    data,
    origin: { by: "protocol", after: [], ...origin },
    seq: 1,
    id: "",
    deliberation: "",
  }) as unknown as Entry; // as much as the fold reads

const draft = (by: string, step = `draft/${by}`) =>
  entry("answer-given", { by, text: by, final: null }, { step, work: { kind: "draft", by } });
const opened = entry(
  "deliberation-opened",
  { participants: ["ann", "bob", "cyd"].map((id) => ({ id, seat: "member" })) },
  {},
);

it("says where each draft stood when it was read, and how it was ranked, by its author", () => {
  const { authors, reviews } = reviewMatrix([
    opened,
    ...["bob", "cyd", "ann"].map((id) => draft(id)),
    entry(
      "review-given",
      {
        by: "ann",
        shown: ["draft/cyd", "draft/bob"],
        remarks: [{ of: "draft/bob", strengths: ["short"], weaknesses: [] }],
        ranking: { ok: true, steps: ["draft/bob", "draft/cyd"] },
      },
      { step: "review/ann", work: { kind: "review", by: "ann" } },
    ),
  ]);
  expect(authors).toEqual(["bob", "cyd"]);
  expect([...(reviews[0]?.cells ?? [])]).toEqual([
    ["cyd", { position: 1, rank: 2 }],
    ["bob", { position: 2, rank: 1 }],
  ]);
  expect(reviews[0]?.remarks).toEqual([{ of: "bob", strengths: ["short"], weaknesses: [] }]);
});

it("keeps what could not be read and who is missing, and tells a tie-break apart", () => {
  const { reviews, missing } = reviewMatrix([
    opened,
    draft("ann"),
    entry(
      "review-given",
      { by: "bob", shown: ["draft/ann"], remarks: [], ranking: { ok: false, reason: "no list" } },
      { step: "tie-break/bob", work: { kind: "tie-break", by: "bob" } },
    ),
    entry(
      "roster-fixed",
      { phase: "review", in: ["bob"], out: [{ id: "cyd", why: "timed-out" }] },
      { step: "review/roster", work: { kind: "roster", of: "review" } },
    ),
    entry(
      "roster-fixed",
      { phase: "draft", in: [], out: [{ id: "ann", why: "late" }] },
      { step: "draft/roster", work: { kind: "roster", of: "draft" } },
    ),
  ]);
  expect(reviews[0]).toMatchObject({ unreadable: "no list", isTieBreak: true });
  expect(reviews[0]?.cells.get("ann")).toEqual({ position: 1, rank: null });
  expect(missing).toEqual([{ id: "cyd", why: "timed-out" }]);
});
