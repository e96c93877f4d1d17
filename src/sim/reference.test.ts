import { describe, expect, it } from "vitest";
import { readReference, toSimName } from "./reference.ts";

const reason = (ref: string): string => {
  const read = readReference(ref);
  return read.ok ? "" : read.reason;
};

describe("a reference", () => {
  it("has defaults for what it does not say", () => {
    expect(readReference("sim/ada")).toEqual({
      ok: true,
      parameters: {
        name: "ada",
        skill: 0.9,
        latency: 0,
        seed: 0,
        family: null,
        malformed: 0,
        fail: 0,
        position: 0,
        self: 0,
        length: 0,
        vary: 0,
        care: 0,
        asks: null,
        calls: null,
        facts: null,
      },
    });
  });

  it("sets every parameter", () => {
    const ref =
      "sim/ada?skill=0.8&latency=200&seed=7&family=x&malformed=0.1&fail=0.05&position=0.2&self=.1&length=0.3&vary=.5&care=.25&asks=2&facts=a%20b/facts.yaml";
    expect(readReference(ref)).toEqual({
      ok: true,
      parameters: {
        name: "ada",
        skill: 0.8,
        latency: 200,
        seed: 7,
        family: "x",
        malformed: 0.1,
        fail: 0.05,
        position: 0.2,
        self: 0.1,
        length: 0.3,
        vary: 0.5,
        care: 0.25,
        asks: 2,
        calls: null,
        facts: "a b/facts.yaml",
      },
    });
  });

  it("names the nearest parameter for one that it does not know", () => {
    expect(reason("sim/ada?skil=1")).toContain('did you mean "skill"');
    expect(reason("sim/ada?malform=1")).toContain('did you mean "malformed"');
    expect(reason("sim/ada?toString=1")).toContain("unknown parameter");
  });

  it.each([
    "skill=1.1",
    "skill=-0.1",
    "skill=",
    "skill=NaN",
    "skill=1e-1",
    "latency=1.5",
    "latency=600001",
    "asks=11",
    "asks=1.5",
    "seed=9007199254740993",
    "fail=0x1",
  ])("refuses %s with the range that holds", (parameter) => {
    expect(reason(`sim/ada?${parameter}`)).toMatch(/must be (?:a number|an integer) from 0 to \d+/);
  });

  it.each([
    "sim/",
    "sim/?skill=1",
    "sim/a/b",
    "sim/ada?skill=1&skill=1",
    "sim/ada?family=a b",
    "sim/ada?facts=",
  ])("refuses %s", (ref) => {
    expect(reason(ref)).not.toBe("");
  });
});

describe("the name of a model elsewhere", () => {
  it("is kept where a reference can have it, and is one that it can have otherwise", () => {
    expect(toSimName("ada-2.1_x")).toBe("ada-2.1_x");
    const names = [
      "prometheus:7b",
      "prometheus/7b",
      "prometheus 7b",
      "",
      "/",
      "模型",
      "模 型",
      "x".repeat(999),
    ];
    const given = names.map(toSimName);
    for (const name of given) expect(readReference(`sim/${name}`).ok).toBe(true);
    expect(new Set(given).size).toBe(names.length);
    expect(given[0]).toMatch(/^prometheus-7b-[0-9a-f]{6}$/);
  });
});
