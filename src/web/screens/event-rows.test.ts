import { describe, expect, it } from "vitest";
import type { Entry } from "../../kernel/index.ts";
import { describeOrigin } from "../../reports/entry-words.ts";
import { blocksOf, countBy, nameOfType, participantOf } from "./event-rows.ts";

const entry = (seq: number, given: object): Entry =>
  ({ seq, type: "answer-given", origin: { by: "protocol", step: "draft/ada" }, data: {}, ...given }) as Entry;

const unknown = entry(1, { type: "unknown", data: { type: "dream-had", data: { of: "sheep" } } });

describe("a row of the events", () => {
  it("names an unknown type as it was recorded", () => {
    expect(nameOfType(unknown)).toBe("dream-had");
    expect(nameOfType(entry(1, {}))).toBe("answer-given");
  });

  it("tells whose an event is, and of what is nobody's nothing", () => {
    expect(participantOf(entry(1, { data: { by: "ada" } }))).toBe("ada");
    expect(participantOf(entry(1, { type: "round-closed", data: { round: 1 } }))).toBe("");
    expect(participantOf(unknown)).toBe("");
  });

  it("tells what recorded an event", () => {
    expect(describeOrigin(entry(1, {}).origin)).toBe("draft/ada");
    expect(describeOrigin(entry(1, { origin: { by: "open", request: "r" } }).origin)).toBe("open");
    expect(describeOrigin(entry(1, { origin: { by: "client", request: "seat/x" } }).origin)).toBe(
      "client: seat/x",
    );
    expect(
      describeOrigin(entry(1, { origin: { by: "reactor", reactor: "critic", step: "grade" } }).origin),
    ).toBe("critic: grade");
  });

  it("stands in the same block when more come", () => {
    const many = Array.from({ length: 250 }, (_, index) => entry(index + 1, {}));
    const [before, after] = [blocksOf(many.slice(0, 230)), blocksOf(many)];
    expect(after.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(before.map((block) => block[0]?.seq)).toEqual(after.map((block) => block[0]?.seq));
    expect(blocksOf([])).toEqual([]);
  });
});

it("counts what there is to choose from", () => {
  const entries = [
    entry(1, { data: { by: "bo" } }),
    entry(2, { data: { by: "ada" } }),
    entry(3, { data: { by: "bo" } }),
    unknown,
  ];
  expect(countBy(entries, participantOf)).toEqual([
    ["ada", 1],
    ["bo", 2],
  ]);
});
