import { expect, it } from "vitest";
import { isDeviceName } from "./path-checks.ts";

it.each([
  "con",
  "NUL",
  "Aux.c",
  "prn.tar.gz",
  "com1",
  "LPT9.txt",
  "COM²",
  "nul:",
  "con .txt",
  "NUL.",
  "CONIN$",
])("takes %j for a device", (name) => {
  expect(isDeviceName(name)).toBe(true);
});

it.each(["", ".", "console", "com", "com0", "com10", "lpt", "nuls", "a.con", ".con", "auxiliary.c"])(
  "takes %j for a file",
  (name) => {
    expect(isDeviceName(name)).toBe(false);
  },
);
