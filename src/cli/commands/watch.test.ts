import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { Local2WatchReport as WatchReport } from "../../interop/local2/states.ts";
import { processOutput } from "../output.ts";
import { commandNamed } from "../../../test/support/command-io.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));
const tsx = import.meta.resolve("tsx");

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A home with a SQLite file of its own, and commands over it from their sources. */
function place() {
  const folder = mkdtempSync(join(tmpdir(), "parley-watch-"));
  const cwd = join(folder, "project");
  mkdirSync(cwd);
  const killing = new Set<() => void>();
  onTestFinished(() => {
    for (const kill of killing) kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    TMPDIR: folder,
    PARLEY_HOME: join(folder, "home"),
    OLLAMA_HOST: "127.0.0.1:1",
    LMSTUDIO_HOST: "127.0.0.1:1",
  };
  const start = (...args: readonly string[]) => {
    const child = spawn(process.execPath, ["--import", tsx, main, ...args], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const written = { stdout: "", stderr: "" };
    const looking = new Set<() => void>();
    for (const where of ["stdout", "stderr"] as const)
      child[where].setEncoding("utf8").on("data", (text: string) => {
        written[where] += text;
        for (const look of looking) look();
      });
    const kill = () => void child.kill("SIGKILL");
    killing.add(kill);
    const ended = new Promise<Ended>((resolve) =>
      child.once("close", (code) => {
        killing.delete(kill);
        resolve({ code, ...written });
      }),
    );
    /** Resolves when what it wrote there satisfies; rejects when it ended before, or after 60 s. */
    const seen = (where: "stdout" | "stderr", enough: (text: string) => boolean) =>
      new Promise<void>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`it wrote only: ${written[where].slice(-2_000)}`)),
          60_000,
        );
        const look = () => {
          if (!enough(written[where])) return;
          clearTimeout(late);
          looking.delete(look);
          resolve();
        };
        looking.add(look);
        look();
        void ended.then((end) => reject(new Error(`it ended first: ${JSON.stringify(end)}`)));
      });
    return {
      ended,
      seen,
      interrupt: () => void child.kill("SIGINT"),
      closeStdout: () => void child.stdout.destroy(),
    };
  };
  return { env, cwd, start };
}

const RESPOND = [
  "respond",
  "What is 17 * 23?",
  "--model",
  "sim/ada?latency=600",
  "--respondent-b",
  "--judge",
  "sim/judge?latency=900",
  "--quiet",
];
const objectsIn = (text: string): WatchReport[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => WatchReport.parse(JSON.parse(line)));
const wordsOf = (objects: readonly WatchReport[], name: string) => [
  ...new Set(objects.map(({ reactors }) => reactors.find(({ reactor }) => reactor === name)?.state)),
];
/** The reactors that the question here is for; others may ship as well. */
const ASKED = ["critic", "memory", "pairwise", "respondent-b"];
const asked = ({ reactors }: WatchReport) => reactors.filter(({ reactor }) => ASKED.includes(reactor));
const isServed = (text: string) =>
  objectsIn(text).some((report) => asked(report).every(({ servedBy }) => servedBy.worker !== null));
const isDone = (objects: readonly WatchReport[]) => {
  const latest = objects.at(-1);
  return latest !== undefined && asked(latest).every((one) => one.said > 0 && one.behind === 0);
};

it("shows what other processes make of a question, and a worker reacts, until Ctrl-C or until nobody reads", async () => {
  const { env, cwd, start } = place();
  const [watcher, lines, unread, worker] = [
    start("watch", "--json"),
    start("watch"),
    start("watch", "--quiet"),
    start("worker"),
  ];
  const idle = (text: string) => text.includes("respondent-b: idle");
  await Promise.all([
    lines.seen("stdout", idle),
    unread.seen("stdout", idle),
    watcher.seen("stdout", isServed),
    worker.seen("stderr", (text) => text.includes("A worker for")),
  ]);
  unread.closeStdout();
  const answered = await start(...RESPOND).ended;
  expect(answered.code).toBe(0);
  await Promise.all([
    watcher.seen("stdout", (text) => isDone(objectsIn(text))),
    lines.seen("stdout", (text) => text.includes("preference-given  pairwise")),
  ]);
  for (const one of [watcher, lines, worker]) one.interrupt();

  const { code, stdout, stderr } = await watcher.ended;
  expect([code, stderr]).toEqual([130, ""]);
  const objects = objectsIn(stdout);
  expect(objects[0]).toMatchObject({ deliberations: 0, end: 0 });
  expect(wordsOf(objects, "respondent-b")).toContain("generating");
  expect(wordsOf(objects, "critic")).toContain("grading");
  expect(wordsOf(objects, "pairwise")).toContain("pairwise-grading");

  const log = await lines.ended;
  expect([log.code, log.stderr]).toEqual([130, ""]);
  expect(log.stdout).toMatch(/^No runs yet/);
  expect(log.stdout).toMatch(/answer-given {2}A {2}\[simulated/);
  expect(log.stdout).toMatch(/answer-given {2}B {2}\[simulated/);
  expect(log.stdout).toMatch(/critic: grading answer-given of .* · served by worker/);
  expect((await unread.ended).code).toBe(0);

  const reacted = await worker.ended;
  expect([reacted.code, reacted.stdout]).toEqual([130, ""]);
  for (const one of [
    "answer-given  B",
    "grade-given  critic",
    "preference-given  pairwise",
    "engram-written  memory",
  ])
    expect(reacted.stderr).toContain(one);
  expect(reacted.stderr).not.toContain("reply-received");
  expect(reacted.stderr).toMatch(/Ended after \d+ reactions;/);

  const once = async (flags: Readonly<Record<string, unknown>>) => {
    let text = "";
    const face = { terminal: false, color: false, columns: 80 };
    const result = async (more: string) => void (text += more);
    const output = {
      result,
      note: (): never => expect.fail("nothing is to be noted"),
      stdout: face,
      stderr: face,
    };
    expect(await commandNamed("watch").run({ output, env, cwd }, { once: true, ...flags }, [])).toBe(0);
    return text;
  };
  const report = WatchReport.parse(JSON.parse(await once({ json: true })));
  expect(report).toMatchObject({ deliberations: 1 });
  expect(await once({})).toMatch(/^1 deliberation · [\s\S]*\nREACTOR [\s\S]* preference-given /);
  expect((await once({ quiet: true, since: "1h" })).split("\n")).toHaveLength(3 + report.reactors.length);
  expect(() =>
    commandNamed("watch").run({ output: processOutput(env), env, cwd }, { since: "soon" }, []),
  ).toThrow("must be a duration");
}, 120_000);
