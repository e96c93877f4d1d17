import { describe, expect, it } from "vitest";
import { Duration, writeDuration } from "./duration.ts";

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
