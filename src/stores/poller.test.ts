import { expect, it, vi } from "vitest";
import { Cursor } from "../kernel/index.ts";
import { poller } from "./poller.ts";

const at = (cursor: number) => Cursor.parse(cursor);
const never = new AbortController().signal;

it("POLL-2: does not wait for what is already known", async () => {
  const { beyond, reached } = poller(() => Promise.reject(new Error("nobody should ask")), 60_000);
  reached(at(5));
  await beyond(at(4), never);
  await beyond(at(9), AbortSignal.abort());
});

it("asks once an interval for everybody, only while somebody waits", async () => {
  vi.useFakeTimers();
  try {
    let end = 3;
    let asked = 0;
    const { beyond } = poller(() => Promise.resolve(at((asked++, end))), 25);
    const woken: number[] = [];
    const wait = (after: number) => beyond(at(after), never).then(() => woken.push(after));
    const all = [wait(3), wait(3), wait(4)];
    await vi.advanceTimersByTimeAsync(50);
    expect([asked, woken]).toEqual([2, []]);
    end = 4;
    await vi.advanceTimersByTimeAsync(25);
    expect([asked, woken]).toEqual([3, [3, 3]]);
    end = 5;
    await vi.advanceTimersByTimeAsync(25);
    await Promise.all(all);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toBe(4);
  } finally {
    vi.useRealTimers();
  }
});

it("hands a failure of the database to those who wait, and goes on for those who come after", async () => {
  vi.useFakeTimers();
  try {
    let broken = true;
    const { beyond } = poller(
      () => (broken ? Promise.reject(new Error("gone")) : Promise.resolve(at(9))),
      25,
    );
    const failed = expect(beyond(at(3), never)).rejects.toThrow("gone");
    await vi.advanceTimersByTimeAsync(25);
    await failed;
    broken = false;
    const woken = beyond(at(3), never);
    await vi.advanceTimersByTimeAsync(50);
    await woken;
  } finally {
    vi.useRealTimers();
  }
});
