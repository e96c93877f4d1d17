import { describe, expect, it } from "vitest";
import type { Json } from "../kernel/index.ts";
import { openRealm, runScript, type ScriptLimits, type ScriptRun } from "./script.ts";
import { sized } from "../../test/support/long.ts";

const LIMITS: ScriptLimits = { timeMs: 5_000, memoryBytes: 16_000_000, maxOutput: 10_000 };
const run = (source: string, more: Partial<ScriptRun> = {}) =>
  runScript({ ...LIMITS, source, entry: "f", input: null, ...more });
const body = (statements: string, more: Partial<ScriptRun> = {}) =>
  run(`function f(input) { ${statements} }`, more);

describe("runScript", () => {
  it("calls the entry with the input, and gives its result", async () => {
    expect(await body("return [input.a + 1, input.b]", { input: { a: 1, b: "ü\0\u{1F600}" } })).toEqual({
      ok: true,
      value: [2, "ü\0\u{1F600}"],
    });
    for (const source of [
      "const f = (x) => x",
      "let f = (x) => x",
      "var f = (x) => x",
      "async function f(x) { return x }",
    ])
      expect(await run(source, { input: 7 })).toEqual({ ok: true, value: 7 });
    expect(await body("return '\\ud800'")).toEqual({ ok: true, value: "\ud800" });
  });

  it("says what is wrong with a script or its entry", async () => {
    expect(await run("function f( {")).toMatchObject({
      cause: "error",
      detail: expect.stringMatching(/^SyntaxError/),
    });
    expect(await run("var f = 1")).toMatchObject({ detail: "the script declares no function f" });
    expect(await run("1")).toMatchObject({ detail: "ReferenceError: 'f' is not defined" });
    expect(await run("1", { entry: "f);(1" })).toMatchObject({
      detail: '"f);(1" is not the name of a function',
    });
    expect(await run("class f {}")).toMatchObject({
      cause: "error",
      detail: expect.stringMatching(/^TypeError/),
    });
    expect(await body("throw new TypeError('bad')")).toMatchObject({
      cause: "error",
      detail: "TypeError: bad",
    });
    expect(await body("throw 'x'.repeat(1e6)")).toMatchObject({
      cause: "error",
      detail: expect.stringMatching(/^it threw x{1,1991}$/),
    });
  });

  // Invariant SCRIPT-1.
  it("has the language, and nothing of the host", async () => {
    const names = [
      "process",
      "require",
      "console",
      "fetch",
      "setTimeout",
      "WebAssembly",
      "performance",
      "Date",
      "Atomics",
      "std",
      "os",
      "print",
    ];
    const looks = names.map((name) => `typeof ${name}`).join();
    expect(await body(`return [${looks}]`)).toEqual({ ok: true, value: names.map(() => "undefined") });
    const viaThis = "(function () { return this })().constructor.constructor('return typeof process')()";
    expect(await body(`return ${viaThis}`)).toEqual({ ok: true, value: "undefined" });
    expect(await run("async function f() { return await import('node:fs') }")).toMatchObject({
      ...{ cause: "error", detail: "ReferenceError: could not load module 'node:fs'" },
    });
  });

  it("gives the same each time, and other chance for another seed", async () => {
    const draw = (seed?: string) =>
      body("return [Math.random(), Math.random()]", seed === undefined ? {} : { seed });
    const first = await draw("a");
    expect(await draw("a")).toEqual(first);
    expect(await draw("b")).not.toEqual(first);
    expect(await draw()).toEqual(await draw(""));
    const values = first.ok ? (first.value as number[]) : [];
    for (const value of values) expect(value >= 0 && value < 1).toBe(true);
  });

  it("keeps nothing from one run to the next", async () => {
    await run("globalThis.kept = 1; Object.prototype.kept = 2; Array.prototype.map = null; function f() {}");
    expect(await body("return [typeof kept, {}.kept ?? null, [1].map((x) => x)]")).toEqual({
      ok: true,
      value: ["undefined", null, [1]],
    });
  });

  it.each([
    ["an endless loop", "for (;;);"],
    ["a catastrophic regular expression", "return /(a+)+b/.test('a'.repeat(50))"],
    ["a loop inside of a built-in function", "return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)"],
    [
      "a search inside of a built-in function",
      "const s = 'x'.repeat(4e6); let n = 0; for (let i = 0; i < 1e4; i++) n += s.indexOf('xy'); return n",
    ],
    ["an endless loop that catches everything", "for (;;) try { for (;;); } catch {} finally { continue }"],
    ["an endless chain of promises", "const next = () => Promise.resolve().then(next); return next()"],
    ["a toJSON without end", "return { toJSON() { for (;;); } }"],
    ["an error whose text has no end", "throw { toString() { for (;;); } }"],
    ["a getter without end", "return { get a() { for (;;); } }"],
    ["a proxy without end", "return new Proxy([], { get() { for (;;); } })"],
    [
      "sharing that multiplies",
      "let t = [1]; for (let i = 0; i < 40; i++) t = [t, t]; return JSON.stringify(t).length",
    ],
  ])("stops %s", async (_, statements) => {
    const outcome = await body(statements, { timeMs: 100, memoryBytes: 64_000_000 });
    expect(outcome).toEqual({ ok: false, cause: "time-limit", detail: "it did not end within 100 ms" });
  });

  it("stops a script that hangs before its entry is called", async () => {
    expect(await run("for (;;);", { timeMs: 200 })).toMatchObject({ cause: "time-limit" });
  });

  it("stops at its work, wherever it runs", async () => {
    const counted = await body("for (;;);", { maxWork: 50_000_000, timeMs: 60_000 });
    expect(counted).toEqual({
      ok: false,
      cause: "time-limit",
      detail: "it did more work than 50000000 instructions",
    });
  });

  it.each([
    ["arrays without end", "const a = []; for (;;) a.push([a.length])"],
    ["objects without end", "let a = null; for (;;) a = { a }"],
    ["closures without end", "let a = () => 1; for (;;) { const b = a; a = () => b }"],
    ["one huge text", "return 'x'.repeat(2 ** 29)"],
    ["one huge buffer", "return new ArrayBuffer(1e9).byteLength"],
    ["one huge array", "return new Array(1e8).fill(1).length"],
  ])("stops %s at the limit of memory", async (_, statements) => {
    expect(await body(statements)).toEqual({
      ...{ ok: false, cause: "memory", detail: "it needed more than 16000000 bytes of memory" },
    });
  });

  it("refuses an input that does not fit into its memory", async () => {
    expect(await body("return 1", { input: "x".repeat(5_000_000) })).toMatchObject({ cause: "memory" });
    expect(await body("return input.length", { input: "x".repeat(3_000_000) })).toEqual({
      ok: true,
      value: 3_000_000,
    });
  });

  it.each([
    ["recursion without end", "return f(input)"],
    ["recursion through a built-in function", "return [1].map(() => f(input))"],
    ["a text nested too deeply", "return JSON.parse('['.repeat(1e5))"],
    ["source nested too deeply", "return eval('('.repeat(5e4))"],
    ["a proxy of proxies", "let p = {}; for (let i = 0; i < 2e4; i++) p = new Proxy(p, {}); return p.x"],
    ["a generator of generators", "function* g() { yield* g() } return [...g()]"],
  ])("fails on %s, and the next run is well", async (_, statements) => {
    const outcome = await body(statements);
    expect(outcome).toMatchObject({ ok: false, cause: "error" });
    expect(outcome).toMatchObject({ detail: expect.stringMatching(/stack overflow|nested too deeply/) });
    expect(await body("return 1")).toEqual({ ok: true, value: 1 });
  });

  it("bears the recursion of honest functions", async () => {
    expect(await run("function f(n) { return n === 0 ? 0 : 1 + f(n - 1) }", { input: 800 })).toEqual({
      ok: true,
      value: 800,
    });
  });

  it.each([
    ["a function", "return f", "gave nothing that JSON can say"],
    ["nothing", "", "gave nothing that JSON can say"],
    ["a symbol", "return Symbol()", "gave nothing that JSON can say"],
    ["a circular value", "const a = {}; a.a = a; return a", "circular reference"],
    ["a big integer", "return 1n", "BigInt"],
    ["a promise that never settles", "return new Promise(() => {})", "never settles"],
    ["a rejected promise", "return Promise.reject(new Error('no'))", "Error: no"],
  ])("refuses %s as a result", async (_, statements, words) => {
    const outcome = await body(statements);
    expect(outcome).toMatchObject({ ok: false, cause: "error" });
    expect(outcome.ok ? "" : outcome.detail).toContain(words);
  });

  it("bounds the result in bytes, and in depth", async () => {
    expect(await body("return 'x'.repeat(9998)")).toMatchObject({ ok: true });
    for (const statements of ["return 'x'.repeat(9999)", "return 'ü'.repeat(5000)", "return 'x'.repeat(1e6)"])
      expect(await body(statements)).toEqual({
        ...{ ok: false, cause: "output", detail: "its result has more than 10000 bytes" },
      });
    const nest = (depth: number) => body(`let a = 1; for (let i = 0; i < ${depth}; i++) a = [a]; return a`);
    expect(await nest(500)).toMatchObject({ ok: true });
    expect(await nest(501)).toMatchObject({ ok: false, cause: "output" });
  });

  it("lets no prototype through", async () => {
    const outcome = await body(
      `return JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')`,
    );
    const value = (outcome.ok ? outcome.value : {}) as Record<string, Json>;
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const input = JSON.parse('{"__proto__":{"polluted":1}}') as Json;
    expect(await body("return [input.polluted ?? null, Object.keys(input)]", { input })).toEqual({
      ...{ ok: true, value: [null, ["__proto__"]] },
    });
  });

  it("does not rest on what a script can replace", async () => {
    const replaced =
      "JSON.stringify = JSON.parse = () => 9; Reflect.apply = null; globalThis.String = null; Function.prototype.call = null;";
    expect(await run(`${replaced} function f(x) { return x }`, { input: [1] })).toEqual({
      ok: true,
      value: [1],
    });
    // The input has been read before the script runs.
    const settable =
      "Object.defineProperty(Array.prototype, 0, { set() { throw 1 } }); function f(x) { return x.length }";
    expect(await run(settable, { input: [1] })).toEqual({ ok: true, value: 1 });
  });

  // The instances are dropped whole: their memory is the collector's.
  it("does not grow over many runs", async () => {
    const many = async (count: number) => {
      for (let index = 0; index < count; index += 1)
        await body("const a = []; for (let i = 0; i < 1e4; i++) a.push([i]); return a.length");
      return process.memoryUsage.rss();
    };
    const before = await many(sized(30));
    const after = await many(sized(100));
    expect((after - before) / 1e6).toBeLessThan(150);
  }, 60_000);
});

describe("openRealm", () => {
  it("stays closed once it was stopped", async () => {
    const realm = await openRealm({ ...LIMITS, timeMs: 300 });
    expect(realm.run("function f() { for (;;); } function g() { return 1 }")).toMatchObject({ ok: true });
    expect(realm.call("g", [])).toEqual({ ok: true, value: 1 });
    expect(realm.isOpen).toBe(true);
    const stopped = realm.call("f", []);
    expect(stopped).toMatchObject({ cause: "time-limit" });
    expect(realm.isOpen).toBe(false);
    expect(realm.call("g", [])).toBe(stopped);
  });

  it("survives what a script throws", async () => {
    const realm = await openRealm(LIMITS);
    realm.run("function f() { throw new Error('no') } function g() { return f.name }");
    for (let index = 0; index < 500; index += 1) realm.call("f", []);
    expect(realm.call("g", [])).toEqual({ ok: true, value: "f" });
  });

  it("counts the same work for the same source and input", async () => {
    const work = async () => {
      const realm = await openRealm({ ...LIMITS, memoryBytes: 64_000_000 });
      realm.run(
        "function f(n) { const m = new Map(); for (let i = 0; i < n; i++) m.set('k' + i, [i]); return [...m.keys()].sort().length }",
      );
      const called = realm.call("f", [5_000]);
      return [called, realm.work, realm.callWork];
    };
    const first = await work();
    expect(await work()).toEqual(first);
    expect(await Promise.all([work(), work()])).toEqual([first, first]);
  });

  it("parses without running", async () => {
    const realm = await openRealm(LIMITS);
    expect(realm.parse("for (;;);")).toEqual({ ok: true, value: null });
    expect(realm.parse("for (;;")).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^SyntaxError/),
    });
  });

  it("hands copies to a function of the host and back", async () => {
    const realm = await openRealm(LIMITS);
    const seen: unknown[] = [];
    realm.provide("ask", (args) => {
      seen.push(args);
      return args.length === 0
        ? { ok: false, cause: "error", detail: "nothing asked" }
        : { ok: true, value: [args.length] };
    });
    realm.run(
      "function f(x) { return [ask(x, { toJSON: () => 2 }), ask.constructor('return typeof process')()] }",
    );
    expect(realm.call("f", [{ a: 1 }])).toEqual({ ok: true, value: [[2], "undefined"] });
    expect(seen).toEqual([[{ a: 1 }, 2]]);
    realm.run("function g() { try { ask() } catch (error) { return String(error) } }");
    expect(realm.call("g", [])).toEqual({ ok: true, value: "Error: nothing asked" });
  });
});
