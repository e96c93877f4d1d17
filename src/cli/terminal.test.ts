import { expect, it } from "vitest";
import { fakeTerminal } from "../../test/support/terminal.ts";
import { createRegion } from "./terminal.ts";

it("T1: draws again in place, below what was there, and erases lines that are gone", () => {
  const terminal = fakeTerminal(40, 10);
  terminal.write("before\n");
  const region = createRegion(terminal);
  region.draw(["one", "two longer", "three"]);
  expect(terminal.screen()).toEqual(["before", "one", "two longer", "three", ""]);
  region.draw(["ONE", "two"]);
  expect(terminal.screen()).toEqual(["before", "ONE", "two", ""]);
});

it("writes nothing when nothing has changed, or while the terminal is behind", () => {
  const terminal = fakeTerminal(40, 10);
  const region = createRegion(terminal);
  region.draw(["one"]);
  region.draw(["one"]);
  expect(terminal.writes).toHaveLength(1);
  terminal.writableNeedDrain = true;
  region.draw(["two"]);
  expect(terminal.writes).toHaveLength(1);
  terminal.writableNeedDrain = false;
  region.draw(["two"]);
  expect(terminal.screen()).toEqual(["two", ""]);
});

it("T2: a line that turns out too wide does not wrap", () => {
  const terminal = fakeTerminal(10, 10);
  const region = createRegion(terminal);
  region.draw(["0123456789abc", "next"]);
  expect(terminal.screen()).toEqual(["012345678c", "next", ""]);
});

it("T3: hides the cursor while it draws and gives it back, once", () => {
  const terminal = fakeTerminal(40, 10);
  const region = createRegion(terminal);
  region.release();
  expect(terminal.writes).toEqual([]);
  region.draw(["one"]);
  expect(terminal.cursorVisible).toBe(false);
  region.release();
  region.release();
  expect([terminal.cursorVisible, terminal.autowrap, terminal.writes.length]).toEqual([true, true, 2]);
  region.draw(["one"]);
  expect(terminal.cursorVisible).toBe(false);
  region.leave(["done"]);
  expect([terminal.cursorVisible, terminal.autowrap]).toEqual([true, true]);
  expect(terminal.screen()).toEqual(["done", ""]);
});

it("T4: is never higher than the terminal, so that it can be drawn over", () => {
  const terminal = fakeTerminal(40, 5);
  const region = createRegion(terminal);
  for (const name of ["a", "b", "c"]) region.draw(Array.from({ length: 12 }, (_, at) => `${name}${at}`));
  expect(terminal.screen()).toEqual(["c0", "c1", "c2", "c3", ""]);
  expect(terminal.scrolled).toEqual([]);
});

it("reaches its first line again after the terminal became narrower and wrapped the old ones", () => {
  const terminal = fakeTerminal(30, 10);
  const region = createRegion(terminal);
  region.draw(["x".repeat(25), "short"]);
  terminal.columns = 10;
  region.draw(["new"]);
  // 25 cells take three lines of ten.
  expect(terminal.writes[1]).toContain("\r\u001b[4A");
});

it("leaves what is drawn alone after `forget`", () => {
  const terminal = fakeTerminal(40, 10);
  const region = createRegion(terminal);
  region.draw(["one"]);
  terminal.write("a shell's words\n");
  region.forget();
  region.draw(["one"]);
  expect(terminal.screen()).toEqual(["one", "a shell's words", "one", ""]);
});
