import { expect, it } from "vitest";
import type { Json } from "../kernel/index.ts";
import { dateTime } from "./datetime.ts";

const tool = dateTime(() => Date.UTC(2026, 0, 31, 22, 5, 9));
const tell = (input: Json) => tool.call(input, new AbortController().signal);

it.each<[Json, string, string, string]>([
  [{}, "2026-01-31T22:05:09+00:00", "Saturday", "UTC"],
  [{ timezone: "Europe/Kyiv" }, "2026-02-01T00:05:09+02:00", "Sunday", "Europe/Kyiv"],
  [{ timezone: "asia/kolkata" }, "2026-02-01T03:35:09+05:30", "Sunday", "asia/kolkata"],
  [{ timezone: "America/New_York" }, "2026-01-31T17:05:09-05:00", "Saturday", "America/New_York"],
])("tells the time of %j", async (...[input, datetime, weekday, timezone]) => {
  expect(await tell(input)).toEqual({ ok: true, result: { datetime, weekday, timezone } });
});

it.each<[Json, RegExp]>([
  [{ timezone: "Mars/Olympus" }, /^that is no time zone; write one such as Europe\/Kyiv or UTC$/],
  [{ timezone: "" }, /^that is no time zone/],
  [{ timezone: 7 }, /^get_datetime expects .*timezone is not valid/],
  [{ at: "now" }, /there is an argument that it does not know$/],
  ["UTC", /^get_datetime expects/],
])("refuses %j", async (input, reason) => {
  expect(await tell(input)).toEqual({ ok: false, reason: expect.stringMatching(reason) as string });
});
