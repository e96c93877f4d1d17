import { expect, it } from "vitest";
import { doingAfter, type Doing } from "../views/doing.ts";
import { doingWords } from "./doing-words.ts";

const started = (expectedMs?: number): Doing | null =>
  doingAfter({ kind: "started", expectedMs }, 1_000, undefined);
const words = (doing: Doing | null, nowMs: number, isShort = false): string =>
  doing ? doingWords(doing, { nowMs, usual: "drafting…", isShort }) : "it writes";

it("says of a call that was asked how long that is, and of how long it usually takes", () => {
  expect(words(started(), 2_000)).toBe("drafting…");
  expect(words(started(), 13_000)).toBe("drafting… 12 s");
  expect(words(started(40_000), 13_000)).toBe("drafting… 12 s of about 40 s");
  expect(words(started(40_000), 13_000, true)).toBe("drafting… 12 of 40 s");
  expect(words(started(200), 1_100)).toBe("drafting…");
});

it("says that it thinks, since it began to, or since it was asked where it is known how long that takes", () => {
  const thinks = (before: Doing | null, atMs: number) =>
    doingAfter({ kind: "thinking", attempt: 1, text: "hm" }, atMs, before);
  const first = thinks(started(), 3_000);
  expect(thinks(first, 9_000)).toBe(first);
  expect(words(first, 21_000)).toBe("thinking 18 s");
  expect(words(thinks(started(40_000), 3_000), 21_000)).toBe("thinking 20 s of about 40 s");
});

it("says what it waits for, until its request goes out", () => {
  const place = doingAfter({ kind: "waiting", for: "place" }, 1_000, started());
  expect(words(place, 9_000)).toBe("waiting for a place 8 s");
  const loading = doingAfter({ kind: "waiting", for: "loading" }, 4_000, started(40_000));
  expect(words(loading, 13_000)).toBe("loading the model, 12 s of about 40 s");
  const limited = { kind: "waiting", for: "again", code: "rate-limited", ms: 14_000 } as const;
  const again = doingAfter({ ...limited, attempt: 2, of: 4 }, 5_000, started());
  expect(words(again, 5_000)).toBe("rate limited, again in 14 s (2 of 4)");
  expect(words(again, 25_000)).toBe("rate limited, again in 0 s (2 of 4)");
  expect(words(again, 5_000, true)).toBe("rate limited 14 s (2/4)");
  expect(words(doingAfter({ kind: "sent", attempt: 2 }, 20_000, again), 21_000)).toBe("drafting…");
  expect(words(doingAfter({ kind: "text" }, 22_000, again), 22_000)).toBe("it writes");
});
