import { describe, expect, it } from "vitest";
import { bindGates, GateProfile, type GateProfile as Profile } from "./profile.ts";
import type { DeclaredGate } from "./tasks.ts";

const gates: readonly DeclaredGate[] = [
  {
    name: "G1",
    title: "sanity",
    hard: true,
    thresholds: { max_missing: 0.3 },
    provenance: "shipped",
    by: "domain",
  },
  { name: "G7", title: "alignment", hard: false, thresholds: {}, provenance: "shipped", by: "aligner" },
];
const bind = (profile?: Profile) => bindGates(gates, profile, (file) => `// ${file}`);

describe("a profile of gates", () => {
  it("is all that the domain declares, where there is none", () => {
    expect(bind()).toMatchObject([
      {
        name: "G1",
        hard: true,
        needs_handoff: false,
        thresholds: { max_missing: 0.3 },
        provenance: "shipped",
      },
      { name: "G7", hard: false, needs_handoff: true },
    ]);
  });

  it("binds what it names, with other thresholds and where they come from", () => {
    expect(bind({ G1: { thresholds: { max_missing: 0.1 }, provenance: "the team" } })).toMatchObject([
      { name: "G1", thresholds: { max_missing: 0.1 }, provenance: "the team" },
    ]);
    expect(() => bind({ G1: { thresholds: { max_missing: 0.1 } } })).toThrow(/where they come from/);
  });

  it("refuses a gate or a threshold that there is not, with the nearest", () => {
    expect(() => bind({ G11: {} })).toThrow(/no gate "G11"/);
    expect(() => bind({ G1: { thresholds: { max_mising: 1 }, provenance: "x" } })).toThrow(
      /no threshold "max_mising"/,
    );
  });

  it("refuses a threshold that makes no sense", () => {
    const [first] = gates;
    const ranged = first ? [{ ...first, ranges: { max_missing: [0, 1] as const } }] : [];
    const binding = { G1: { thresholds: { max_missing: 30 }, provenance: "a slip" } };
    expect(() => bindGates(ranged, binding, () => "")).toThrow(/must be from 0 to 1 \(got 30\)/);
  });

  it("takes a gate of one's own: a script or a command, and not both", () => {
    expect(bind({ mine: { script: "mine.js", hard: false } })).toMatchObject([
      { name: "mine", by: "script", script: "// mine.js", hard: false },
    ]);
    expect(bind({ mine: { command: ["python3", "mine.py"], time_limit_ms: 500 } })).toMatchObject([
      { name: "mine", by: "command", command: ["python3", "mine.py"], hard: true, time_limit_ms: 500 },
    ]);
    expect(() => bind({ mine: { script: "a", command: ["b"] } })).toThrow(/a script and a command/);
  });

  it("makes no judgement hard, because a model could bend it", () => {
    expect(() => bind({ G7: { hard: true } })).toThrow(/may be hard/);
  });

  it("refuses names that are no names", () => {
    expect(GateProfile.safeParse({ "../G1": {} }).success).toBe(false);
    expect(GateProfile.safeParse({ G1: { treshold: {} } }).success).toBe(false);
  });
});
