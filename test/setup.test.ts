import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isBuilt, isInstalled } from "../scripts/setup.mjs";

const setupModule = new URL("../scripts/setup.mjs", import.meta.url).href;
let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "parley-setup-"));
  for (const folder of ["node_modules", "scripts", "src"]) await mkdir(join(root, folder));
  for (const name of ["package.json", "tsconfig.json"]) await put(name, "{}");
  for (const name of [
    "tsdown.config.ts",
    "vite.config.ts",
    "vite.file.config.ts",
    "scripts/lazy-schemas.mjs",
    "scripts/licenses.mjs",
    "scripts/pure-schemas.mjs",
  ])
    await put(name, "");
  await put("src/a.ts", "export const a = 1;\n");
  await put("package-lock.json", JSON.stringify({ packages: {} }));
  await put("node_modules/.package-lock.json", JSON.stringify({ packages: {} }));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const put = (name: string, content: string) => writeFile(join(root, name), content);

/** Stands in for the real bundler: says that it ran, and runs `more` when half of its output is there. */
const putBundler = (more: string) =>
  put(
    "scripts/bundle.mjs",
    `import { appendFileSync, copyFileSync, mkdirSync } from "node:fs";
     appendFileSync("runs", "x");
     mkdirSync(process.argv[2]);
     ${more};
     copyFileSync("src/a.ts", process.argv[2] + "/a.mjs");`,
  );

/** What npm start and npm run build do first, as a process of its own. */
async function setUp(): Promise<{ code: number | null; stderr: string }> {
  const code = `
    import { runScript, setUp } from ${JSON.stringify(setupModule)};
    await runScript(async () => { await setUp(${JSON.stringify(root)}, { build: true }); return 0; });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(stdout).toBe("");
  return { code: await exit, stderr };
}

describe("isInstalled", () => {
  const wanted = {
    "": { version: "1.0.0" },
    "node_modules/a": { version: "1.2.3", integrity: "sha512-a" },
    "node_modules/other-platform": { version: "1.0.0", integrity: "sha512-o", optional: true },
  };
  const { "node_modules/other-platform": _optional, ...present } = wanted;
  const cases: [string, object | null, boolean][] = [
    ["everything but an optional package", present, true],
    ["nothing", null, false],
    ["another version", { ...present, "node_modules/a": { version: "1.2.4", integrity: "sha512-a" } }, false],
    ["other contents", { ...present, "node_modules/a": { version: "1.2.3", integrity: "sha512-b" } }, false],
    ["one package too few", { "": present[""] }, false],
  ];
  it.each(cases)("with %s", async (_, packages, expected) => {
    await put("package-lock.json", JSON.stringify({ packages: wanted }));
    if (packages === null) await rm(join(root, "node_modules"), { recursive: true });
    else await put("node_modules/.package-lock.json", JSON.stringify({ packages }));
    expect(isInstalled(root)).toBe(expected);
  });
});

describe("setUp", () => {
  it("builds once, and again when a source has changed but not when a test has", async () => {
    await putBundler("");
    expect(await setUp()).toEqual({ code: 0, stderr: "parley: building …\n" });
    expect(await setUp()).toEqual({ code: 0, stderr: "" });
    await put("src/a.test.ts", "");
    expect(await setUp()).toEqual({ code: 0, stderr: "" });
    await put("src/a.ts", "export const a = 2;\n");
    expect(isBuilt(root)).toBe(false);
    expect((await setUp()).code).toBe(0);
    expect(await readFile(join(root, "dist", "a.mjs"), "utf8")).toContain("a = 2");
    expect(await readFile(join(root, "runs"), "utf8")).toBe("xx");
    for (const name of ["src/b.tsx", "src/b.css", "src/b.html"]) {
      await put(name, "");
      expect([name, isBuilt(root)]).toEqual([name, false]);
      await rm(join(root, name));
    }
  });

  it("builds once for several that start at the same time", async () => {
    await putBundler("await new Promise((resolve) => setTimeout(resolve, 200))");
    const all = await Promise.all([setUp(), setUp(), setUp()]);
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await readFile(join(root, "runs"), "utf8")).toBe("x");
  });

  it("keeps what there was when a build fails, says so in one line, and leaves nothing behind", async () => {
    await putBundler("");
    await setUp();
    await putBundler("process.exit(3)");
    expect(await setUp()).toEqual({
      code: 3,
      stderr:
        "parley: building …\nparley: the build failed (see above); run the same command again to go on\n",
    });
    expect(await readFile(join(root, "dist", "a.mjs"), "utf8")).toContain("a = 1");
    expect(await readdir(join(root, ".parley"))).toEqual([]);
  });
});
