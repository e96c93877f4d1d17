import * as z from "zod";
import { defineTool, refuse, type Tool } from "./tool.ts";

const DateTimeInput = z.strictObject({
  timezone: z
    .string()
    .max(100)
    .optional()
    .describe("An IANA time zone, for example Europe/Kyiv; UTC unless given."),
});

/** Tells the time that `now` gives, in milliseconds since 1970. */
export function dateTime(now: () => number): Tool {
  return defineTool({
    name: "get_datetime",
    description: "Tells today's date and the time of day, in UTC or in a time zone.",
    input: DateTimeInput,
    expects: '{"timezone": an IANA time zone such as Europe/Kyiv (optional)}',
    run: ({ timezone = "UTC" }) => Promise.resolve(tell(now(), timezone)),
  });
}

function tell(at: number, timezone: string): Awaited<ReturnType<Tool["call"]>> {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      ...{ timeZone: timezone, hourCycle: "h23", weekday: "long", timeZoneName: "longOffset" },
      ...{ year: "numeric", month: "2-digit", day: "2-digit" },
      ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
    });
    const { year, month, day, hour, minute, second, weekday, timeZoneName } = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, value]),
    );
    const offset = timeZoneName?.replace("GMT", "") || "+00:00";
    return {
      ok: true,
      result: {
        datetime: `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`,
        weekday: weekday ?? "",
        timezone,
      },
    };
  } catch {
    return refuse("that is no time zone; write one such as Europe/Kyiv or UTC");
  }
}
