import { spawn, type ChildProcess } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";

const root = fileURLToPath(new URL("..", import.meta.url));
let clone = "";

/** Stands in for Parley: prints its arguments and folder, then obeys the first argument. */
const program = `
  console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd() }));
  const [wish, number] = process.argv.slice(2);
  if (wish === "exit") process.exitCode = Number(number);
  if (wish === "wait") {
    let last;
    process.on("SIGINT", () => {
      console.error("interrupted");
      last ??= setTimeout(() => process.exit(130), 300);
    });
    console.error("waiting");
    setTimeout(() => process.exit(1), 15_000);
  }
`;

// A clone with the project's own scripts and npm settings, nothing to install, and a bundler that copies one file.
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), "parley-start-"));
  const put = (name: string, content: string) => writeFile(join(clone, name), content);
  await cp(join(root, "scripts"), join(clone, "scripts"), { recursive: true });
  await cp(join(root, ".npmrc"), join(clone, ".npmrc"));
  for (const folder of ["node_modules", "src"]) await mkdir(join(clone, folder));
  const Manifest = z.object({ engines: z.unknown(), scripts: z.unknown() });
  const { engines, scripts } = Manifest.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  await put("package.json", JSON.stringify({ name: "clone", version: "1.0.0", engines, scripts }));
  for (const name of ["package-lock.json", "node_modules/.package-lock.json"])
    await put(name, '{"packages":{}}');
  for (const name of ["tsconfig.json", "tsdown.config.ts", "vite.config.ts", "vite.file.config.ts"])
    await put(name, "");
  await put("src/main.ts", program);
  await put(
    "scripts/bundle.mjs",
    `import { cpSync } from "node:fs"; cpSync("src/main.ts", process.argv[2] + "/cli.mjs");`,
  );
});

afterAll(() => rm(clone, { recursive: true, force: true }));

/** `npm start` in a process group of its own and without a terminal. */
function npmStart(args: readonly string[], cwd = clone) {
  const child = spawn("npm", ["start", "--", ...args], {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const streams = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = (async () => {
    const [stdout, stderr] = await streams;
    return { stdout, stderr, code: await code };
  })();
  return { child, ended };
}

const isWaiting = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      if (chunk.includes("waiting")) resolve();
    });
  });

it("S1: builds what is missing, says so on stderr, and leaves stdout to the program", async () => {
  const first = await npmStart(["What is 17 * 23?", "--json"]).ended;
  expect(JSON.parse(first.stdout)).toMatchObject({ args: ["What is 17 * 23?", "--json"] });
  expect(first.stderr).toBe("parley: building …\n");
  expect(first.code).toBe(0);
  const second = await npmStart([]).ended;
  expect(JSON.parse(second.stdout)).toMatchObject({ args: [] });
  expect(second.stderr).toBe("");
});

it.each(["--env-file", "--env-file=missing", "-e"])("hands on %s, which Node.js has too", async (option) => {
  const { stdout, code } = await npmStart(["exit", "2", option, "missing"]).ended;
  expect(JSON.parse(stdout)).toMatchObject({ args: ["exit", "2", option, "missing"] });
  expect(code).toBe(2);
});

it("runs the program where the person stands", async () => {
  const { stdout } = await npmStart([], join(clone, "src")).ended;
  expect(JSON.parse(stdout)).toMatchObject({ cwd: expect.stringMatching(/src$/) });
});

it("S3: ends with the program's exit code", async () => {
  expect(await npmStart(["exit", "7"]).ended).toMatchObject({ code: 7 });
});

it("S2: passes on an interrupt that npm alone was sent", async () => {
  const { child, ended } = npmStart(["wait"]);
  await isWaiting(child);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 130, stderr: "waiting\ninterrupted\n" });
});

it("S2, S3: waits for the program when the whole group is interrupted", async () => {
  const { child, ended } = npmStart(["wait"]);
  await isWaiting(child);
  process.kill(-z.int().positive().parse(child.pid), "SIGINT");
  expect(await ended).toMatchObject({
    code: 130,
    stderr: expect.stringMatching(/^waiting\n(interrupted\n)+$/),
  });
});
