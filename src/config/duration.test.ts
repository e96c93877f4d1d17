import { describe, expect, it } from "vitest";
import { Duration, Since, writeDuration } from "./duration.ts";

describe("Duration", () => {
  it.each([
    [90, 90_000],
    ["90", 90_000],
    ["90s", 90_000],
    ["1.5m", 90_000],
    ["2 h", 7_200_000],
    ["1ms", 1],
    [0.25, 250],
  ])("reads %j as %i ms, and writes it so that it is read again", (written, milliseconds) => {
    expect(Duration.parse(written)).toBe(milliseconds);
    expect(Duration.parse(writeDuration(milliseconds))).toBe(milliseconds);
  });

  it.each([
    "",
    "m",
    "-5",
    "5w",
    "1e3",
    "0",
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "597h",
    true,
    null,
    "9".repeat(400),
  ])("refuses %j", (written) => {
    expect(Duration.safeParse(written).success).toBe(false);
  });
});

describe("Since", () => {
  it.each([
    ["12h", 12],
    ["30d", 720],
    ["365 days", 8_760],
  ])("reads %j as so long ago, however long that is", (written, hours) => {
    const before = Date.now();
    const then = Since.parse(written) + hours * 3_600_000;
    expect([before <= then, then <= Date.now()]).toEqual([true, true]);
  });

  it("reads a day and a time in UTC, and nothing else", () => {
    expect(Since.parse("2026-01-31")).toBe(Date.UTC(2026, 0, 31));
    expect(Since.parse("2026-01-31T10:00Z")).toBe(Date.UTC(2026, 0, 31, 10));
    for (const written of ["", "0", "-1d", "5w", "yesterday", "2026-13-01"])
      expect(Since.safeParse(written).success).toBe(false);
  });
});
