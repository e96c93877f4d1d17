import { describe, expect, it } from "vitest";
import { random } from "../../stats/numbers.ts";
import type { GateFinding, GateInput } from "../domain.ts";
import { evaluate } from "./evaluate.ts";
import { GATES } from "./gates.ts";
import { PLANTED_FORMULA } from "./generate.ts";
import { examineLookahead } from "./lookahead.ts";
import { OPERATORS, type Operator } from "./operators.ts";
import type { FactorPanel } from "./panel.ts";
import { createSoil, loadSoil, type FactorSoil } from "./soil.ts";

type Given = Partial<Omit<GateInput<FactorSoil>, "soil">>;

/** What a gate says of a candidate, or of one with other inputs than the usual ones. */
async function check(name: string, soil: FactorSoil, given: string | Given): Promise<GateFinding> {
  const gate = GATES.find((one) => one.name === name);
  if (!gate || !("check" in gate)) throw new Error(`no gate ${name}`);
  const usual = { soil, candidate: "hint", thresholds: {}, accepted: [], seed: "a" };
  return gate.check({ ...usual, ...(typeof given === "string" ? { candidate: given } : given) });
}

type Made = {
  readonly days?: number;
  /** How much of the next return the field `hint` tells on a day. */
  readonly edge?: (day: number) => number;
  readonly fields?: (panel: FactorPanel) => FactorPanel["fields"];
};

let made = 0;

/** A soil of 20 instruments, whose field `hint` tells of the next return as much as `edge` says; `noise` tells nothing. */
function makeSoil({ days = 200, edge = () => 0, fields }: Made): FactorSoil {
  const instruments = 20;
  const next = random(`made ${days}`);
  const uniform = () => Float64Array.from({ length: days * instruments }, () => next() - 0.5);
  const [hint, noise] = [uniform(), uniform()];
  const close = new Float64Array(days * instruments).fill(100);
  for (let at = instruments; at < close.length; at += 1) {
    const told = edge(Math.floor(at / instruments) - 1) * (hint[at - instruments] ?? 0);
    close[at] = (close[at - instruments] ?? 0) * (1 + 0.02 * (told + next() - 0.5));
  }
  const panel = { days, instruments, fields: { close, hint, noise } };
  made += 1;
  return createSoil(
    { ...panel, fields: { ...panel.fields, ...fields?.(panel) } },
    { digest: `made ${made}` },
  );
}

describe("G1", () => {
  const holes = (share: number) =>
    makeSoil({
      fields: ({ fields }) => ({
        ragged: Float64Array.from(fields["noise"] ?? [], (value) =>
          value + 0.5 < share ? Number.NaN : value,
        ),
      }),
    });

  it("passes values that are there", async () => {
    expect(await check("G1", makeSoil({}), "ts_mean(ts_std(close, 60), 20)")).toMatchObject({
      passed: true,
      value: 0,
      threshold: 0.3,
    });
    expect(await check("G1", holes(0.2), "ragged")).toMatchObject({ passed: true });
  });

  it("fails for missing, infinite and constant values, and without a full window", async () => {
    expect(await check("G1", holes(0.5), "ragged")).toMatchObject({
      passed: false,
      value: expect.closeTo(0.5, 1) as number,
    });
    expect(
      await check("G1", holes(0.5), { candidate: "ragged", thresholds: { max_missing: 0.6 } }),
    ).toMatchObject({ passed: true });
    const large = makeSoil({
      fields: ({ fields }) => ({ large: Float64Array.from(fields["close"] ?? [], (value) => value * 1e200) }),
    });
    expect(await check("G1", large, "mul(large, large)")).toMatchObject({ passed: false, infinite: 4_000 });
    expect(await check("G1", makeSoil({}), "sign(close)")).toMatchObject({ passed: false, constant: 1 });
    const short = makeSoil({ days: 50 });
    expect(await check("G1", short, "ts_mean(close, 60)")).toMatchObject({
      passed: false,
      detail: "its windows take 59 days, and there are 50",
    });
  });
});

describe("G2", () => {
  const peek: Operator = {
    arity: 1,
    apply({ args: [xs], size: { instruments }, out }) {
      for (let at = 0; at < out.length; at += 1) out[at] = xs?.[at + instruments] ?? Number.NaN;
    },
  };
  const { panel } = makeSoil({});
  const examine = (op: string) =>
    examineLookahead({
      panel,
      seed: "a",
      compute: (of) =>
        evaluate(
          { kind: "call", op: "neg", args: [{ kind: "call", op, args: [{ kind: "field", name: "close" }] }] },
          of,
          { ...OPERATORS, peek },
        ),
    });

  it("passes what looks back", async () => {
    expect(examine("log")).toMatchObject({ passed: true });
    expect(examine("log")).not.toHaveProperty("lookahead");
    for (const candidate of ["close", "cs_rank(ts_mean(close, 60))", PLANTED_FORMULA.replace("open", "hint")])
      expect(await check("G2", makeSoil({}), candidate)).toMatchObject({ passed: true });
  });

  it("fails an operator that looks a day ahead, and calls it a look ahead", () => {
    expect(examine("peek")).toEqual({
      passed: false,
      lookahead: true,
      value: 0,
      threshold: null,
      detail: "the value of day 34 changes when the days after day 34 do",
    });
  });

  it("fails an operator that levels with what is still to come", () => {
    const level: Operator = {
      arity: 1,
      apply({ args: [xs = new Float64Array()], out }) {
        const mean = xs.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0) / xs.length;
        for (let at = 0; at < out.length; at += 1) out[at] = (xs[at] ?? 0) - mean;
      },
    };
    const compute = (of: FactorPanel) =>
      evaluate({ kind: "call", op: "level", args: [{ kind: "field", name: "close" }] }, of, { level });
    expect(examineLookahead({ panel, seed: "a", compute })).toMatchObject({ passed: false, lookahead: true });
  });
});

describe("G3", () => {
  const thresholds = { count: 199 };

  it("passes what tells the next return, and says where its bar comes from", async () => {
    const generate = { seed: "G3", instruments: 50, days: 200, signal: 0.1 };
    const { soil } = await loadSoil({ generate }, ".");
    const found = await check("G3", soil, { candidate: PLANTED_FORMULA, thresholds });
    expect(found).toMatchObject({
      passed: true,
      provenance: {
        count: 199,
        percentile: 99,
        seed: "a",
        soil: soil.digest,
        universe: { days: 200, instruments: 50 },
        tier: "medium",
        depth: 2,
      },
    });
    expect(found).not.toHaveProperty("weak_signal");
    expect(found.value).toBeGreaterThan(found.threshold ?? Number.POSITIVE_INFINITY);
  });

  it("fails what tells nothing, and what has no Sharpe ratio", async () => {
    const soil = makeSoil({});
    expect(await check("G3", soil, { candidate: "neg(noise)", thresholds })).toMatchObject({ passed: false });
    expect(await check("G3", soil, { candidate: "sign(close)", thresholds })).toMatchObject({
      passed: false,
      value: null,
    });
  });

  it("fails a tie with its bar: the best of the fields is the bar of the fields", async () => {
    for (const candidate of ["close", "hint", "noise"])
      expect(await check("G3", makeSoil({}), { candidate, thresholds })).toMatchObject({ passed: false });
  });

  it("calls a near miss a weak signal, and nothing below the ninth decile", async () => {
    const soil = makeSoil({});
    const formulas = [1, 2, 3, 5, 10, 20, 60].flatMap((window) =>
      ["noise", "hint", "close"].flatMap((field) =>
        ["ts_mean", "ts_std", "ts_max", "ts_min", "ts_delta"]
          .filter(() => window > 1)
          .flatMap((op) => [`neg(${op}(${field}, ${window}))`, `abs(${op}(${field}, ${window}))`]),
      ),
    );
    const found = await Promise.all(
      formulas.map((formula) => check("G3", soil, { candidate: formula, thresholds })),
    );
    for (const { passed, weak_signal: weak, share_below: below } of found)
      if (typeof below === "number") expect(weak === true).toBe(!passed && below >= 0.9);
    expect(found.some(({ weak_signal: weak }) => weak === true)).toBe(true);
  });

  it("gives the same bar again, and another with another seed", async () => {
    const again = () => check("G3", makeSoil({}), { candidate: "neg(hint)", thresholds });
    const [one, other] = [await again(), await again()];
    expect({ ...one, provenance: null }).toEqual({ ...other, provenance: null });
    const seeded = await check("G3", makeSoil({}), { candidate: "neg(hint)", thresholds, seed: "b" });
    expect(seeded.threshold).not.toBe(one.threshold);
  });

  it("refuses fewer formulas than its percentile takes, and fails where no formula has a Sharpe ratio", async () => {
    await expect(
      check("G3", makeSoil({}), { candidate: "neg(hint)", thresholds: { count: 98 } }),
    ).rejects.toThrow(
      "percentile 99 of 98 random formulas is not defined; percentile 99 takes at least 99 of them",
    );
    const flat = makeSoil({
      fields: ({ fields }) => ({ close: (fields["close"] ?? new Float64Array()).fill(1) }),
    });
    expect(await check("G3", flat, { candidate: "neg(hint)", thresholds })).toMatchObject({
      passed: false,
      threshold: null,
      detail: "too few random formulas have a Sharpe ratio on this soil",
    });
  });
});

describe("G4", () => {
  const soil = makeSoil({});

  it("passes the first fruit, and one unlike the others", async () => {
    expect(await check("G4", soil, "hint")).toMatchObject({ passed: true, value: null });
    const found = await check("G4", soil, {
      candidate: "hint",
      accepted: ["noise", "add(hint, noise)", "gone"],
    });
    expect(found).toMatchObject({ passed: true, value: expect.closeTo(0.7, 1) as number });
    expect(found.detail).toContain("add(hint, noise); 1 could not be compared");
  });

  it.each(["hint", "neg(hint)", "cs_rank(hint)", "add(hint, mul(hint, hint))"])(
    "fails for %s, which is much like hint",
    async (fruit) => {
      const found = await check("G4", soil, { candidate: "mul(hint, 3)", accepted: ["noise", fruit] });
      const isNear = fruit !== "add(hint, mul(hint, hint))";
      expect(found.passed).toBe(!isNear && (found.value ?? 1) <= 0.9);
      if (isNear) expect(found.value).toBeCloseTo(1, 12);
    },
  );
});

describe("G5", () => {
  it("passes what holds on, and fails what is forgotten overnight or never held", async () => {
    const soil = makeSoil({});
    expect(await check("G5", soil, "ts_mean(hint, 10)")).toMatchObject({ passed: true, threshold: 1 });
    const fast = await check("G5", soil, "hint");
    expect(fast).toMatchObject({ passed: false });
    expect(fast.value).toBeCloseTo(4 / 3, 1);
    expect(await check("G5", soil, { candidate: "hint", thresholds: { max_turnover: 1.5 } })).toMatchObject({
      passed: true,
    });
    expect(await check("G5", soil, "sign(close)")).toMatchObject({ passed: false, value: null });
  });
});

describe("G6", () => {
  // The days out of sample are 120 to 199.
  it("passes what lasts", async () => {
    const found = await check("G6", makeSoil({ edge: () => 1 }), "hint");
    expect(found).toMatchObject({ passed: true, value: 4, threshold: 3 });
    expect(found).not.toHaveProperty("sub_regime");
  });

  it("fails what comes and goes, and tells what held in one period alone", async () => {
    const once = makeSoil({ edge: (day) => (day >= 180 ? 2 : -0.4) });
    expect(await check("G6", once, "hint")).toMatchObject({ passed: false, value: 1, sub_regime: true });
    const swinging = makeSoil({ edge: (day) => (Math.floor(day / 20) % 2 === 0 ? 1.5 : -1.5) });
    const found = await check("G6", swinging, "hint");
    expect(found).toMatchObject({ passed: false, value: 2 });
    expect(found).not.toHaveProperty("sub_regime");
    expect(await check("G6", swinging, "sign(close)")).toMatchObject({ passed: false, value: 0 });
  });
});

describe("G8", () => {
  it("passes what stays, fails what fades", async () => {
    expect(await check("G8", makeSoil({ edge: () => 1 }), "hint")).toMatchObject({ passed: true });
    const fading = await check("G8", makeSoil({ edge: (day) => 1 - day / 100 }), "hint");
    expect(fading).toMatchObject({ passed: false, threshold: -0.5 });
    expect(fading.value).toBeLessThan(-2);
  });

  it("says that it measured nothing on few days, and fails a formula that leaves too few", async () => {
    expect(await check("G8", makeSoil({ days: 90 }), "hint")).toMatchObject({ passed: true, vacuous: true });
    const late = await check("G8", makeSoil({}), "ts_mean(ts_mean(hint, 60), 60)");
    expect(late).toMatchObject({ passed: false, detail: "it has a Sharpe ratio in 2 periods only" });
  });
});

describe("G9", () => {
  const trading = (volume: number) =>
    makeSoil({
      fields: ({ fields }) => ({ volume: (fields["hint"] ?? new Float64Array()).map(() => volume) }),
    });

  it("passes what is traded enough, and fails what is not", async () => {
    const busy = await check("G9", trading(1e6), "hint");
    expect(busy).toMatchObject({ passed: true, threshold: 1_000_000 });
    expect(busy.value).toBeGreaterThan(5e7);
    expect(await check("G9", trading(10), "hint")).toMatchObject({ passed: false });
    expect(await check("G9", trading(Number.NaN), "hint")).toMatchObject({ passed: false, value: null });
  });

  it("says that it measured nothing without volumes", async () => {
    expect(await check("G9", makeSoil({}), "hint")).toMatchObject({ passed: true, vacuous: true });
  });
});

it("finds a planted signal: its formula passes every gate, whose figures have their reasons", async () => {
  const { soil } = await loadSoil({ generate: { seed: "planted", signal: 0.05 } }, ".");
  for (const gate of GATES) {
    if (!("check" in gate)) continue;
    expect(Object.keys(gate.thresholds ?? {}).length === 0 || gate.provenance !== undefined).toBe(true);
    const found = await check(gate.name, soil, PLANTED_FORMULA);
    expect(found, `${gate.name}: ${found.detail}`).toMatchObject({ passed: true });
  }
  expect(GATES.filter(({ hard }) => hard).map(({ name }) => name)).toEqual([
    "G1",
    "G2",
    "G3",
    "G4",
    "G5",
    "G6",
  ]);
});
