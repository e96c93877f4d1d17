import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { listenKeys, type KeyInput } from "./keys.ts";

/** A terminal's input and its process, which note what is done to them. */
function terminal({ isTTY = true } = {}) {
  const log: string[] = [];
  const keys = new EventEmitter();
  const signals = new EventEmitter();
  const input: KeyInput = {
    isTTY,
    setRawMode: (raw) => void log.push(raw ? "raw" : "as it was"),
    on: (event, listener) => keys.on(event, listener),
    off: (event, listener) => keys.off(event, listener),
    resume: () => void log.push("reads"),
    pause: () => void log.push("reads no more"),
  };
  const lifecycle = {
    on: (event: string, listener: () => void) => signals.on(event, listener),
    off: (event: string, listener: () => void) => signals.off(event, listener),
    stop: () => void (log.push("stops"), signals.emit("SIGTSTP")),
  };
  const unlisten = listenKeys(
    { q: () => void log.push("quit"), interrupt: () => void log.push("interrupt") },
    input,
    lifecycle,
  );
  return {
    log,
    unlisten,
    press: (text: string) => void keys.emit("data", Buffer.from(text)),
    signal: (name: string) => void signals.emit(name),
    listeners: () =>
      ["exit", "SIGTSTP", "SIGCONT"].reduce((sum, name) => sum + signals.listenerCount(name), 0) +
      keys.listenerCount("data"),
  };
}

it("hears q and Ctrl-C, gives the terminal back at Ctrl-Z, takes it again, and leaves it as it was", () => {
  const one = terminal();
  one.press("xyzQ é");
  one.press("q");
  one.press("\u0003");
  one.press("\u001a");
  one.signal("SIGCONT");
  one.signal("exit");
  one.unlisten();
  expect(one.log).toEqual([
    "raw",
    "reads",
    "quit",
    "interrupt",
    "stops",
    "as it was",
    "raw",
    "as it was",
    "reads no more",
    "as it was",
  ]);
  expect(one.listeners()).toBe(0);
});

it("reads nothing where stdin is no terminal", () => {
  const one = terminal({ isTTY: false });
  one.press("q");
  one.unlisten();
  expect([one.log, one.listeners()]).toEqual([[], 0]);
});
