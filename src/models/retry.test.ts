import { describe, expect, it } from "vitest";
import { readRetryAfter, waitBefore } from "./retry.ts";

const nowMs = Date.UTC(2026, 0, 1);
const read = (retryAfter: string, retryAfterMs = ""): number | null =>
  readRetryAfter({ retryAfter, retryAfterMs }, nowMs);

describe("Retry-After", () => {
  it.each([
    ["7", 7_000],
    ["0.5", 500],
    [" 0 ", 0],
    ["Thu, 01 Jan 2026 00:00:20 GMT", 20_000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["", null],
    ["-5", null],
    ["soon", null],
    ["9".repeat(400), 86_400_000],
    ["1e400", null],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 86_400_000],
    ["Thu, 01 Jan 0001 00:00:00 GMT", 0],
    ["-9999999999", null],
  ])("%j is %s ms", (value, ms) => {
    expect(read(value)).toBe(ms);
  });

  it("is less exact than retry-after-ms", () => {
    expect(read("1", "250")).toBe(250);
    expect(read("1", "x")).toBe(1_000);
    expect(read("1", "9".repeat(400))).toBe(86_400_000);
  });
});

describe("the wait before another attempt", () => {
  const settings = { baseMs: 100, capMs: 1_000 };

  it("is anywhere from nothing to twice as much each time, up to the cap", () => {
    const most = [1, 2, 3, 4, 5, 6].map((failed) =>
      waitBefore(failed, null, { ...settings, random: () => 1 }),
    );
    expect(most).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(waitBefore(3, null, { ...settings, random: () => 0 })).toBe(0);
  });

  it("is never less than what was named", () => {
    expect(waitBefore(1, 5_000, { ...settings, random: () => 0 })).toBe(5_000);
    expect(waitBefore(1, 5_000, { ...settings, random: () => 1 })).toBe(5_100);
  });
});
