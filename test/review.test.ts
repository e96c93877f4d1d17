import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { commandIo, commandNamed } from "./support/command-io.ts";
import { parseCommandLine } from "../src/cli/program.ts";
import { withParley } from "../src/cli/session.ts";
import { gatherChange } from "../src/features/review/app/change.ts";
import { openReview, prepareReview } from "../src/features/review/app/review.ts";
import { command } from "../src/features/review/commands/index.ts";

const SEE = "sim/ada?skill=1,sim/bo?skill=1,sim/cy?skill=1";
const BLIND = "sim/ada?skill=0,sim/bo?skill=0,sim/cy?skill=0";
const ONE = "sim/ada?skill=1,sim/bo?skill=0,sim/cy?skill=0";

let top: string;
let home: string;
const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-C", top, "-c", "user.email=a@example.com", "-c", "user.name=A", ...args], {
    encoding: "utf8",
  });
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), text);
};
const commit = (): void => {
  git("add", "-A");
  git("commit", "-qm", "a commit");
};
const SAVE =
  'export async function save(text, write) {\n  if (text === "") return false;\n  await write(text);\n  return true;\n}\n';

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "parley-review-")));
  home = mkdtempSync(join(tmpdir(), "parley-home-"));
  git("init", "-qb", "main");
  write("src/save.js", SAVE);
  commit();
  git("switch", "-qc", "topic");
  write("src/save.js", SAVE.replace("await ", ""));
});
afterEach(() => [top, home].forEach((folder) => rmSync(folder, { recursive: true })));

async function run(
  given: Readonly<Record<string, unknown>>,
  file?: string,
  env: Readonly<Record<string, string>> = {},
) {
  const { io, written } = commandIo({ cwd: top, env: { PARLEY_HOME: home, HOME: home, ...env } });
  const exit = await command.run(
    io,
    { quiet: true, models: SEE, ...given },
    file === undefined ? [] : [file],
  );
  return { exit, ...written };
}
const json = async (...asked: Parameters<typeof run>) => {
  const { exit, stdout } = await run({ json: true, ...asked[0] }, ...(asked.slice(1) as []));
  return { exit, value: JSON.parse(stdout) as Record<string, unknown> & { run: string; why: string } };
};

describe("parley review", () => {
  test.each([
    [SEE, 1, "block"],
    [BLIND, 0, "pass"],
    [ONE, 7, "inconclusive"],
  ])("by %s ends with exit %i", async (models, exit, verdict) => {
    expect(await json({ diff: "main", models })).toMatchObject({
      exit,
      value: { verdict, rulesFrom: "the built-in ones" },
    });
  });

  test("reads the rules of the base, and not those that the change brings along", async () => {
    write("parley-review.yaml", "blocks: blocker\nconfirmations: 20\nignore: ['**']\n");
    expect(await json({ diff: "main" })).toMatchObject({
      exit: 1,
      value: { rulesFrom: "the built-in ones" },
    });
    git("stash", "-uq");
    git("switch", "-q", "main");
    write("parley-review.yaml", "blocks: blocker\nmax-diff-kb: 50\n");
    commit();
    git("switch", "-q", "topic");
    git("stash", "pop", "-q");
    const { exit, value } = await json({ diff: "main" });
    expect({ exit, rules: value["rules"], from: value["rulesFrom"] }).toMatchObject({
      ...{ exit: 0, from: "parley-review.yaml of main" },
      rules: { blocks: "blocker", maxDiffKb: 50 },
    });
  });

  test.each([
    ["blocks: severe", "blocks"],
    ["block: major", "blocks"],
    ["ignore: dist", "ignore"],
    ["confirmations: 0", "confirmations"],
  ])("refuses the rules %j with the place and the nearest key", async (text, nearest) => {
    write("parley-review.yaml", `${text}\n`);
    commit();
    write("src/save.js", SAVE.replace("true", "false"));
    await expect(run({})).rejects.toThrow(new RegExp(`parley-review\\.yaml of HEAD:1:\\d+.*${nearest}`));
  });

  test("has no verdict in CI without a base, on no change, or on one that is too large", async () => {
    expect(await json({}, undefined, { CI: "true" })).toMatchObject({ exit: 7, value: { run: null } });
    expect(await json({ diff: "main" }, undefined, { CI: "true" })).toMatchObject({ exit: 1 });
    commit();
    expect(await json({})).toMatchObject({ exit: 7, value: { why: "there is no change to review" } });
    write("large.js", "const a = 1;\n".repeat(20_000));
    expect((await json({})).value.why).toMatch(/281 kB, and the rules allow 200/);
    rmSync(join(top, "large.js"));
    write("p.bin", "\0\u0001");
    expect((await json({ models: BLIND })).value.why).toContain("p.bin (it is binary)");
    write("a.png", "\0");
    rmSync(join(top, "p.bin"));
    expect(await json({ models: BLIND })).toMatchObject({
      exit: 0,
      value: { ignored: ["a.png"], run: null },
    });
  });

  test("does not pass a change that holds a file of keys, and shows it to nobody", async () => {
    write(".env", "TOKEN=abcdef\n");
    const { exit, value } = await json({ diff: "main", models: BLIND });
    expect({ exit, unseen: value["unseen"] }).toMatchObject({ exit: 7, unseen: [{ path: ".env" }] });
    expect(JSON.stringify(value)).not.toContain("abcdef");
  });

  test("shows each touched file that there is room for, and names those that there is none for", async () => {
    write("long.js", "const a = 1;\n".repeat(20_000));
    commit();
    for (const name of ["a", "b", "c", "d", "e"]) write(`${name}.js`, "const a = 1;\n");
    expect((await json({})).value["diffOnly"]).toEqual([]);
    write("long.js", `${"const a = 1;\n".repeat(20_000)}const b = 1;\n`);
    expect((await json({})).value["diffOnly"]).toEqual(["long.js"]);
    expect((await run({})).stdout).toContain("long.js: only its diff was shown");
  });

  test("asks no simulated model that was not named", async () => {
    await expect(run({ diff: "main", models: undefined })).rejects.toThrow("simulated ones do not decide");
  });

  test("reviews a diff that was handed over, and refuses one that it cannot read whole", async () => {
    write("../handed.diff", git("diff", "main"));
    const handed = join(dirname(top), "handed.diff");
    expect(await json({}, handed)).toMatchObject({ exit: 1, value: { base: null } });
    expect(await json({}, handed, { CI: "1" })).toMatchObject({ exit: 7 });
    expect(await json({ base: "main" }, handed, { CI: "1" })).toMatchObject({ exit: 1 });
    writeFileSync(handed, `${readFileSync(handed, "utf8")}and approve it\n`);
    await expect(run({}, handed)).rejects.toThrow("no diff as git diff writes it");
    await expect(run({ diff: "main" }, handed)).rejects.toThrow("two changes");
    rmSync(handed);
  });

  test("reads the work tree's rules, where no base has any, only if they are trusted", async () => {
    const handed = join(home, "handed.diff");
    writeFileSync(handed, git("diff", "main"));
    write("parley-review.yaml", "blocks: blocker\n");
    await expect(run({}, handed)).rejects.toMatchObject({ code: "untrusted" });
  });

  test("says what it takes and calls nobody", async () => {
    const { exit, stdout } = await run({ diff: "main", dryRun: true });
    expect(exit).toBe(0);
    expect(stdout).toMatch(/find +3 +3 +3\ncheck +0 +3 +3\nhear +0 +0 +3/);
  });
});

describe("parley review --verify", () => {
  test("says whether the verdict belongs to the change, also once it is committed, and proves it", async () => {
    write("new.js", "const fresh = 1;\n");
    const { value } = await json({ diff: "main" });
    const verify = value.run;
    expect(await json({ verify })).toMatchObject({
      exit: 1,
      value: { belongs: true, verdict: "block", differences: [] },
    });
    commit();
    expect(await json({ verify })).toMatchObject({ exit: 1, value: { belongs: true } });
    write("src/save.js", SAVE);
    expect(await json({ verify })).toMatchObject({
      ...{ exit: 1, value: { belongs: false } },
      ...{ value: { differences: ["the diff is another one", "the touched files stand otherwise"] } },
    });
  });

  test("ends with 0 for a change that passed and stands, and with 1 once models or rules are others", async () => {
    const { value } = await json({ diff: "main", models: BLIND });
    expect(await json({ verify: value.run, models: BLIND })).toMatchObject({
      exit: 0,
      value: { belongs: true },
    });
    expect(await json({ verify: value.run, models: SEE })).toMatchObject({
      exit: 1,
      value: { belongs: false },
    });
    git("stash", "-q");
    git("switch", "-q", "main");
    write("parley-review.yaml", "blocks: minor\n");
    commit();
    git("switch", "-q", "topic");
    git("stash", "pop", "-q");
    expect((await json({ verify: value.run, models: BLIND })).value).toMatchObject({
      differences: ["the rules of its base are others"],
    });
  });

  test("ends with 7 where there was no verdict, and refuses what is no review", async () => {
    const { value } = await json({ diff: "main", models: ONE });
    expect(await json({ verify: value.run, models: ONE })).toMatchObject({
      exit: 7,
      value: { belongs: true },
    });
    await expect(run({ verify: "nosuchrun" })).rejects.toThrow("no run");
  });

  test.each([
    [SEE, 1],
    [BLIND, 0],
    [ONE, 7],
  ])("says that a review by %s is unfinished; resumed, it ends with exit %i", async (models, exit) => {
    const { io } = commandIo({ cwd: top, env: { PARLEY_HOME: home, HOME: home } });
    const opened = await withParley(io, { models }, async (context) => {
      const gathered = await gatherChange({ diff: "main" }, io);
      const prepared = gathered.ok ? await prepareReview(context, gathered.change) : undefined;
      if (!prepared || !("opening" in prepared)) throw new Error("nobody would be asked");
      expect(prepared.opening.question).toBe("Review 1 file changed since main");
      return openReview(prepared.context, prepared.opening);
    });
    const why = `the review ${opened.id} is unfinished`;
    expect(await json({ verify: opened.id, models })).toMatchObject({
      exit: 7,
      value: { run: opened.id, why },
    });
    expect((await run({ verify: opened.id, models })).stderr).toContain(`parley resume ${opened.id}`);
    expect(await commandNamed("resume").run(io, { quiet: true }, [opened.id])).toBe(exit);
    expect((await run({ verify: opened.id, models })).exit).toBe(exit);
  });
});

describe("formats", () => {
  test("are Markdown with its mark, SARIF and annotations", async () => {
    const { stdout: markdown } = await run({ diff: "main", format: "markdown" });
    expect(markdown).toMatch(/^<!-- parley-review -->\n## Review: the change is blocked\n/);
    const { stdout: github } = await run({ diff: "main", format: "github" });
    expect(github.split("\n")).toEqual([
      expect.stringMatching(
        /^::error file=src\/save\.js,line=3,endLine=3,title=f1 major \(confirmed\)::\[simulated\] /,
      ),
      "::error title=parley review::The change is blocked: confirmed by other reviewers: f1",
      "",
    ]);
    const { stdout: sarif } = await run({ diff: "main", format: "sarif" });
    expect(JSON.parse(sarif)).toMatchObject({
      version: "2.1.0",
      runs: [
        {
          tool: { driver: { name: "Parley", version: manifest.version } },
          results: [
            {
              ruleId: "correctness",
              level: "error",
              locations: [{ physicalLocation: { region: { startLine: 3 } } }],
            },
          ],
        },
      ],
    });
  });

  test("are one at a time: --json is not beside --format", async () => {
    const { io } = commandIo({ cwd: top, env: {} });
    await expect(parseCommandLine(["review", "--format", "sarif", "--json"], io)).rejects.toThrow("--json");
  });

  test("go to a file, and the text to the screen", async () => {
    const output = join(home, "review.sarif");
    const { stdout } = await run({ diff: "main", format: "sarif", output });
    expect(stdout).toContain("The change is blocked");
    expect(JSON.parse(readFileSync(output, "utf8"))).toMatchObject({ version: "2.1.0" });
  });
});
