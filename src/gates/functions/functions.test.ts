import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Json } from "../../kernel/index.ts";
import type { DomainGate, GateFinding } from "../domain.ts";
import functions from "./index.ts";
import { BUILTIN_TASKS, type FunctionTask } from "./tasks.ts";
import { isLong, sampled } from "../../../test/support/long.ts";

const scratch = mkdtempSync(join(tmpdir(), "parley-functions-test-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let soil: FunctionTask;
beforeAll(async () => {
  ({ soil } = await functions.load({ task: "longest-run" }, scratch));
});

const gate = (name: string): DomainGate<FunctionTask> => {
  const found = functions.gates.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no gate ${name}`);
  return found;
};
const check = async (name: string, candidate: string, more: { seed?: string; task?: FunctionTask } = {}) => {
  const tried = gate(name);
  if (!("check" in tried)) throw new Error(`${name} has no check`);
  const { thresholds = {} } = tried;
  const { seed = "seed", task = soil } = more;
  return tried.check({ candidate, soil: task, thresholds, accepted: [], seed });
};
const HARD = ["G1", "G2", "G3", "G4", "G5"];
const checkAll = async (candidate: string, task = soil) => {
  const findings: Record<string, GateFinding> = {};
  for (const name of HARD) findings[name] = await check(name, candidate, { task });
  return findings;
};
const passed = (findings: Record<string, GateFinding>) =>
  Object.entries(findings).flatMap(([name, finding]) => (finding.passed ? [name] : []));

const GOOD = `function longestRun(values) {
  let longest = 0, run = 0, before;
  for (const value of values) {
    run = value === before ? run + 1 : 1;
    before = value;
    if (run > longest) longest = run;
  }
  return longest;
}`;
const WRONG = "function longestRun(values) { return values.length > 3 ? 3 : values.length }";
const TABLE = `function longestRun(values) {
  const answers = { "1,1,2,2,2,3": 3, "5": 1, "": 0, "4,7,4,7": 1 };
  return answers[values.join()] ?? 1;
}`;

describe("the domain of functions", () => {
  it("lets a good candidate through every gate", async () => {
    const findings = await checkAll(GOOD);
    expect(passed(findings)).toEqual(HARD);
    expect(findings["G2"]).toMatchObject({ value: 1, detail: "it passes 8 of 8 hidden tests" });
    expect(findings["G5"]?.value).toBeGreaterThan(3);
  });

  it("has an incumbent that is right, and not faster than itself", async () => {
    for (const name of sampled(Object.keys(BUILTIN_TASKS))) {
      const { soil: task } = await functions.load({ task: name }, scratch);
      const findings = await checkAll(task.incumbent, task);
      expect(passed(findings)).toEqual(["G1", "G2", "G3", "G4"]);
      expect(findings["G5"]).toMatchObject({ passed: false, value: 1, threshold: 1.2 });
    }
  });

  it("ships a second task, which a map solves with less work", async () => {
    const { soil: task } = await functions.load({ task: "two-sum" }, scratch);
    const candidate = `const twoSum = (values, target) => {
      const first = new Map();
      for (const [j, value] of values.entries()) {
        const i = first.get(target - value);
        if (i !== undefined) return [i, j];
        if (!first.has(value)) first.set(value, j);
      }
      return null;
    };`;
    expect(passed(await checkAll(candidate, task))).toEqual(HARD);
  });

  it("stops a wrong candidate, and says that it was right on some", async () => {
    const findings = await checkAll(WRONG);
    expect(passed(findings)).toEqual(["G1"]);
    expect(findings["G2"]).toMatchObject({ passed: false, weak_signal: true, value: 0.375 });
    expect(findings["G2"]?.detail).toBe("it passes 3 of 8 hidden tests (5 × wrong)");
    expect(findings["G4"]).not.toHaveProperty("leakage");
    expect(await check("G2", "function longestRun() { return 99 }")).not.toHaveProperty("weak_signal");
  });

  it("stops a slow one", async () => {
    const slow = GOOD.replace("return longest", "for (let i = 0; i < 1e5; i++); return longest");
    const findings = await checkAll(slow);
    expect(passed(findings)).toEqual(["G1", "G2", "G3", "G4"]);
    expect(findings["G5"]?.value).toBeLessThan(1);
  });

  // The interrupts of the interpreter would not see this work: it is done by built-in functions.
  it("counts the work of built-in functions", async () => {
    const idle = GOOD.replace("return longest", "new Array(2e5).fill(0).indexOf(1); return longest");
    const finding = await check("G5", idle);
    expect(finding).toMatchObject({ passed: false });
    expect(finding.value).toBeLessThan(1);
  });

  it("counts work that is put off to the result's toJSON, or done beforehand", async () => {
    const later = GOOD.replace(
      "return longest",
      "return { toJSON() { for (let i = 0; i < 3e5; i++); return longest } }",
    );
    expect((await check("G5", later)).value).toBeLessThan(1);
    expect((await check("G5", `for (let i = 0; i < 3e5; i++);\n${GOOD}`)).value).toBeLessThan(1);
  });

  it("takes a table of the tests' answers for leakage", async () => {
    const visible = await checkAll(TABLE);
    expect(passed(visible)).toEqual(["G1"]);
    expect(visible["G4"]).toMatchObject({ passed: false, leakage: true });
    const rows = soil.hidden.map(
      ({ args, result }) => `${JSON.stringify(JSON.stringify(args[0]))}: ${JSON.stringify(result)}`,
    );
    const hidden = await checkAll(
      `const answers = { ${rows.join()} }; function longestRun(values) { return answers[JSON.stringify(values)] ?? 1 }`,
    );
    expect(passed(hidden)).toEqual(["G1", "G2"]);
    expect(hidden["G4"]).toMatchObject({ passed: false, leakage: true });
  });

  it.each(["typeof process", "globalThis['require']", "(() => { try { return fetch } catch {} })()"])(
    "takes a look at %s for leakage",
    async (look) => {
      const finding = await check("G4", GOOD.replace("return longest", `${look}; return longest`));
      expect(finding).toMatchObject({ passed: false, leakage: true, value: 1 });
    },
  );

  it("minds no global of the language, and none of the candidate's own", async () => {
    const own = `var helper = Math.max; ${GOOD.replace("return longest", "counter = 1; helper(new Map().size, counter); toString; typeof Date; return longest")}`;
    expect(await check("G4", own)).toMatchObject({ passed: true });
  });

  it("stops one that hangs, natively or not", async () => {
    const native = "[].indexOf.call({ length: 2 ** 53 - 1 }, 1);";
    const sometimes = `function longestRun(values) { if (values.length > 6) ${native} return 2 }`;
    expect(await check("G2", sometimes)).toMatchObject({ passed: false, weak_signal: true });
    for (const hang of sampled([native, "for (;;);"])) {
      const always = `function longestRun() { ${hang} }`;
      expect((await check("G3", always)).detail).toContain("could not be tried to its end: time-limit");
      if (isLong) expect((await check("G5", always)).detail).toBe("it fails (time-limit) on input 1 of 11");
    }
    expect((await check("G1", "for (;;);")).detail).toContain("more work than 2000000000 instructions");
  }, 120_000);

  it("stops one that exhausts memory", async () => {
    const candidate = "function longestRun() { const all = []; for (;;) all.push(new Array(1000).fill(1)) }";
    const task = { ...soil, hidden: soil.hidden.slice(0, 2) };
    expect((await check("G2", candidate, { task })).detail).toBe(
      "it passes 0 of 2 hidden tests (2 × memory)",
    );
    for (const name of sampled(["G3", "G5"]))
      expect((await check(name, candidate)).detail).toContain("memory");
  }, 60_000);

  it("gives no words of a candidate, which might tell the tests", async () => {
    const telling = "function longestRun(values) { throw new Error(`SECRET ${JSON.stringify(values)}`) }";
    const findings = await checkAll(telling);
    expect(passed(findings)).toEqual(["G1"]);
    expect(JSON.stringify(findings)).not.toContain("SECRET");
  });

  it("does not let a candidate change how it is judged", async () => {
    const meddling = `Array.prototype.every = () => true; Number.isInteger = () => true; JSON.stringify = () => "3";
      Object.prototype.toString = () => "3"; Math.random = () => 0; globalThis.property = () => true;
      function longestRun() { return { valueOf: () => 1, toJSON: () => 99 } }`;
    expect(passed(await checkAll(meddling))).toEqual(["G1"]);
  });

  it("gives the same for the same seed, and other inputs for another", async () => {
    const first = await check("G5", GOOD);
    expect(await check("G5", GOOD)).toEqual(first);
    expect((await check("G5", GOOD, { seed: "other" })).value).not.toBe(first.value);
    expect(await check("G3", WRONG)).toEqual(await check("G3", WRONG));
  });

  it("leaves the mechanism to the aligner", () => {
    expect(gate("G7")).toMatchObject({ aligned: true, hard: false });
    expect(functions.gates.map(({ name }) => name)).toEqual([...HARD, "G7"]);
  });
});

describe("propose", () => {
  it("shows the task, and nothing that is hidden", () => {
    const words = functions.propose(soil);
    expect(words).toContain("`function longestRun(values)`");
    expect(words).toContain("longestRun([1,1,2,2,2,3]) → 3");
    for (const { args } of soil.hidden) expect(words).not.toContain(JSON.stringify(args[0]));
    expect(words.endsWith(`\`\`\`js\n${soil.incumbent}\n\`\`\``)).toBe(true);
    expect(functions.compile(words, soil)).toEqual({ ok: true, text: soil.incumbent });
  });
});

describe("compile", () => {
  const compile = (text: string) => functions.compile(text, soil);

  it("takes the first block of JavaScript, or all of the text", () => {
    const text = `Here it is:\n\n\`\`\`text\nno\n\`\`\`\n\n\`\`\`js\n${GOOD}\n\`\`\`\n\n\`\`\`js\nno\n\`\`\`\n`;
    expect(compile(text)).toEqual({ ok: true, text: GOOD });
    expect(compile(`\n${GOOD}\n\n`)).toEqual({ ok: true, text: GOOD });
    expect(compile(`\`\`\`\n${GOOD}\n\`\`\``)).toEqual({ ok: true, text: GOOD });
  });

  it.each([
    ["function longestRun(values) {} // end", true],
    ["const longestRun = (values) => 1", true],
    ["async function longestRun() {}", true],
    ["function longestRun( {", "cannot be parsed: SyntaxError"],
    ["export function longestRun() {}", "cannot be parsed: SyntaxError"],
    ["function other() {}", "declares no function longestRun"],
    ["{ let longestRun = () => 1 }", "declares no function longestRun"],
    ["/* function longestRun() {} */ 1", "declares no function longestRun"],
    ["", "there is no code"],
  ])("judges %.40s", (text, expected) => {
    const compiled = compile(text);
    if (expected === true) expect(compiled).toEqual({ ok: true, text });
    else expect(compiled).toMatchObject({ ok: false, why: expect.stringContaining(String(expected)) });
  });

  it("bounds the length", () => {
    const { why = "" } = { ...compile("x".repeat(20_001)) } as { why?: string };
    expect(why).toBe("the code has 20001 characters; at most 20000 are allowed");
  });

  it("runs nothing", () => {
    expect(compile("for (;;); function longestRun() {}")).toMatchObject({ ok: true });
  });

  it("bears code that is nested too deeply, however often", () => {
    for (const deep of [
      "(",
      "[",
      "!",
      "- ",
      "a=>",
      "{",
      "`${",
      "({a:",
      "if(1)",
      "function f(){",
      "async()=>",
    ])
      expect(compile(deep.repeat(Math.floor(20_000 / deep.length)))).toMatchObject({ ok: false });
    expect(compile(GOOD)).toMatchObject({ ok: true });
    expect(compile(`${GOOD};${"(".repeat(80)}1${")".repeat(80)}`)).toMatchObject({ ok: true });
  });
});

describe("load", () => {
  const task = BUILTIN_TASKS["two-sum"];
  const write = (name: string, content: Json | object | string) => {
    const text = typeof content === "string" ? content : stringify(content);
    mkdirSync(join(scratch, name, ".."), { recursive: true });
    writeFileSync(join(scratch, name), text);
    return name;
  };
  const load = async (settings: Json) => functions.load(settings, scratch);

  it("reads a task from a file, or from a folder", async () => {
    const { soil: builtin, digest } = await load({ task: "two-sum" });
    expect(await load({ task: write("mine.yaml", { ...task }) })).toEqual({ soil: builtin, digest });
    write("folder/task.yaml", { ...task, ratio: 2 });
    const other = await load({ task: "folder" });
    expect(other.soil.ratio).toBe(2);
    expect(other.digest).not.toBe(digest);
  });

  it("names file and field of what is wrong", async () => {
    const load2 = (change: object) => load({ task: write("bad.yaml", { ...task, ...change }) });
    await expect(load2({ hidden: [{ args: [] }] })).rejects.toThrow(/bad\.yaml: hidden\[0\]\.result: /);
    await expect(load2({ name: "two sum" })).rejects.toThrow(/bad\.yaml: name: must be the name of/);
    await expect(load2({ extra: 1 })).rejects.toThrow(/bad\.yaml: .*extra/);
    await expect(load({ task: write("bad.yaml", "a: [") })).rejects.toThrow(/bad\.yaml: it is not YAML/);
    await expect(load({ task: "none.yaml" })).rejects.toThrow(
      /soil\.task: there is no file "none\.yaml" in /,
    );
    await expect(load({ tasks: "x" })).rejects.toThrow(/^soil: /);
    await expect(load(null)).rejects.toThrow(/^soil: /);
  });

  it("reads nothing outside of the forest's folder", async () => {
    await expect(load({ task: "../../etc/passwd" })).rejects.toThrow(/soil\.task/);
    await expect(load({ task: "/etc/passwd" })).rejects.toThrow(/leads out of the forest's folder/);
    symlinkSync("/etc/passwd", join(scratch, "link"));
    await expect(load({ task: "link" })).rejects.toThrow(/leads out of the forest's folder/);
  });

  it("refuses a task that its own incumbent fails", async () => {
    const load2 = (change: object) => load({ task: write("bad.yaml", { ...task, ...change }) });
    const hidden = [{ args: [[1], 1], result: [0, 1] }];
    await expect(load2({ hidden })).rejects.toThrow("hidden[0]: the incumbent does not give this result");
    const properties = [{ name: "never", source: "() => false" }];
    await expect(load2({ properties })).rejects.toThrow("properties[0]: it does not hold for the incumbent");
    await expect(load2({ properties: [{ name: "x", source: "nonsense" }] })).rejects.toThrow(
      /properties\[0\]\.source: /,
    );
    await expect(load2({ workload: "() => 1" })).rejects.toThrow("workload: it must return an array");
    await expect(load2({ incumbent: "for(;" })).rejects.toThrow("visible[0]");
  });
});
