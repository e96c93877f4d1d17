import { describe, expect, it } from "vitest";
import { scratch, type Scratch } from "../../../../test/support/scratch.ts";
import { recallSettings } from "../../../app/reaction-plan.ts";
import { fileResources } from "../../../config/resources.ts";
import { loadSettings } from "../../../config/sources.ts";
import { MemorySettings } from "../reactor/index.ts";
import { memorySettings } from "./memory.ts";

const settingsOf = (place: Scratch, flags: Record<string, unknown> = {}) =>
  loadSettings({ ...place, flags }).settings;

describe("memory", () => {
  it("is on for the settings' user by default", () => {
    using place = scratch();
    const settings = settingsOf(place, { user: "ada" });
    const memory = memorySettings(fileResources(place), settings);
    expect(memory).toEqual({ user: "ada", write: true, mergeAt: 0.9, retireAt: 2 });
    expect(MemorySettings.parse(memory)).toEqual(memory);
    expect(recallSettings(fileResources(place), settings)).toMatchObject({
      user: "ada",
      rules: { minimum: 0.75, most: 2, extraAt: 0.9, timeoutMs: 2_000, weights: { grade: 0.05 } },
    });
  });

  it("neither writes nor recalls where it is off", () => {
    using place = scratch({ "project/.parley/memory.yaml": "retire-at: 7" });
    const settings = settingsOf(place, { memory: false });
    expect(memorySettings(fileResources(place), settings)).toEqual({
      user: "local",
      write: false,
      mergeAt: 0.9,
      retireAt: 7,
    });
    expect(recallSettings(fileResources(place), settings)).toBeNull();
  });
});
