import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { openRealm } from "../script.ts";
import { FUEL_EXPORT, METER_IMPORT, meterModule } from "./meter.ts";

type Wasm = {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Record<string, unknown> };
};
// The types of Node know no WebAssembly.
const wasm = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;

/** Fewer than 128 bytes, with their number before them. */
const sized = (...bytes: readonly number[]) => [bytes.length, ...bytes];

const LOOP = [
  ...[0x03, 0x40, 0x20, 1, 0x20, 0, 0x10, 0, 0x21, 1], // loop: total = add(total, n)
  ...[0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x41, 0, 0x4a, 0x0d, 0, 0x0b], // n = n - 1, and again while n > 0
  ...[0x20, 1, 0x0b], // return total
];
/** `sum(n)`: calls the imported `add` n times. It has a global, as every module that can be metered. */
const SUM = new Uint8Array([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, ...sized(2, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 0x60, 1, 0x7f, 1, 0x7f)],
  ...[2, ...sized(1, 1, 0x65, 1, 0x61, 0, 0)],
  ...[3, ...sized(1, 1)],
  ...[6, ...sized(1, 0x7f, 1, 0x41, 0, 0x0b)],
  ...[7, ...sized(1, 3, 0x73, 0x75, 0x6d, 0, 1)],
  ...[10, ...sized(1, ...sized(1, 1, 0x7f, ...LOOP))],
]);

describe("meterModule", () => {
  const open = (bytes: Uint8Array) => {
    let ticks = 0;
    const fuel = { value: 0 };
    const imports = {
      e: { a: (one: number, other: number) => one + other },
      [METER_IMPORT]: { tick: () => void (ticks += 1) },
    };
    const { exports } = new wasm.Instance(new wasm.Module(bytes), imports);
    return {
      sum: exports["sum"] as (count: number) => number,
      fuel: (exports[FUEL_EXPORT] as typeof fuel | undefined) ?? fuel,
      ticks: () => ticks,
    };
  };

  it("computes the same, with another function to call", () => {
    const [plain, metered] = [open(SUM), open(meterModule(SUM))];
    for (const count of [1, 2, 100]) expect(metered.sum(count)).toBe(plain.sum(count));
    expect(metered.sum(4)).toBe(10);
  });

  it("charges every instruction, and ticks in each round when there is no fuel left", () => {
    const metered = open(meterModule(SUM));
    const spent = (count: number) => {
      const before = metered.fuel.value;
      metered.sum(count);
      return before - metered.fuel.value;
    };
    const one = spent(1);
    expect(spent(1)).toBe(one);
    const round = spent(2) - one;
    expect(round).toBe(11);
    expect(spent(1_001) - one).toBe(1_000 * round);
    expect(metered.ticks()).toBe(0);
    metered.fuel.value = 0;
    metered.sum(100);
    expect(metered.ticks()).toBeGreaterThanOrEqual(99);
  });

  it("refuses what it does not know", () => {
    expect(() => meterModule(SUM.subarray(0, 60))).toThrow("cut off");
    const vectors = Uint8Array.from(SUM);
    vectors[vectors.indexOf(0x6b, 60)] = 0xfd;
    expect(() => meterModule(vectors)).toThrow("unknown instruction (0xfd)");
  });

  it("meters the interpreter, which counts bulk instructions by their length", async () => {
    const path = createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm");
    expect(meterModule(readFileSync(path)).length).toBeGreaterThan(500_000);
    const realm = await openRealm({ timeMs: 10_000, memoryBytes: 64_000_000, maxOutput: 100 });
    realm.run("function copy(n) { new Uint8Array(n).slice(); return 0 }");
    const work = (size: number) => (realm.call("copy", [size]), realm.callWork);
    expect(work(8_000_000) - work(8)).toBeGreaterThan(1_000_000);
  });
});
