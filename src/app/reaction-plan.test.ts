import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineReactor } from "../engine/index.ts";
import { reactorSettings } from "./reaction-plan.ts";

describe("a reactor without a setting of its own", () => {
  const watcher = defineReactor({
    name: "length-watch",
    on: ["answer-given"],
    emits: ["note-taken"],
    settings: z.strictObject({ words: z.int().positive().default(300) }),
    react: () => Promise.resolve(),
  });

  it("is turned on by its entry below `reactors`, with settings by its own schema", () => {
    expect(reactorSettings(watcher, undefined)).toBeUndefined();
    expect(reactorSettings(watcher, false)).toBeUndefined();
    expect(reactorSettings(watcher, true)).toEqual({ words: 300 });
    expect(reactorSettings(watcher, { words: 5 })).toEqual({ words: 5 });
    expect(() => reactorSettings(watcher, { words: 0 })).toThrow(
      /^reactors\.length-watch\.words must be above 0 /,
    );
  });

  it("is told which setting to use where it has one", () => {
    const own = { ...watcher, switch: "critic" };
    expect(() => reactorSettings(own, true)).toThrow("turned on by the setting critic");
  });
});
