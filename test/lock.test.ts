import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, utimesSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withLock } from "../scripts/lock.mjs";

const lockModule = new URL("../scripts/lock.mjs", import.meta.url).href;
let folder = "";
let path = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-lock-"));
  path = join(folder, "below", "setup.lock");
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** A process that takes the lock, writes "in", holds it for a while, writes "out"; every third dies inside. */
function rival(log: string, dies: boolean): ChildProcess {
  const end = dies ? "process.kill(process.pid, 'SIGKILL')" : "appendFileSync(log, 'out\\n')";
  const code = `
    import { appendFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    import { withLock } from ${JSON.stringify(lockModule)};
    const log = ${JSON.stringify(log)};
    await withLock(${JSON.stringify(path)}, () => {}, async () => {
      appendFileSync(log, "in\\n");
      await sleep(15);
      ${end};
    });`;
  return spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

it("L1, L2: lets one of many processes in at a time, also when holders are killed", async () => {
  const log = join(folder, "log");
  const rivals = Array.from({ length: 9 }, (_, index) => rival(log, index % 3 === 0));
  await Promise.all(rivals.map((child) => once(child, "exit")));
  const lines = (await readFile(log, "utf8")).trim().split("\n");
  expect(lines.filter((line) => line === "in")).toHaveLength(9);
  expect(lines.filter((line) => line === "out")).toHaveLength(6);
  // Everyone who came out had come in just before: nobody else was inside.
  expect(lines.every((line, index) => line === "in" || lines[index - 1] === "in")).toBe(true);
});

it("L2: takes over from a holder that no longer runs, at once", async () => {
  const gone = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(gone, "exit");
  await withLock(
    path,
    () => {},
    async () => {},
  );
  await writeFile(path, `${gone.pid} ${hostname()} token`);
  const waitedFor: string[] = [];
  expect(
    await withLock(
      path,
      (holder) => waitedFor.push(holder),
      async () => "done",
    ),
  ).toBe("done");
  expect(waitedFor).toEqual([]);
});

it("L2: takes over from another host's holder only when it has stopped touching the lock", async () => {
  await withLock(
    path,
    () => {},
    async () => {},
  );
  await writeFile(path, "1 elsewhere token");
  const longAgo = new Date(Date.now() - 60_000);
  const waitedFor: string[] = [];
  // Nobody but the waiter ages the lock, so getting it proves that it had to wait first.
  const waiting = (holder: string) => {
    waitedFor.push(holder);
    utimesSync(path, longAgo, longAgo);
  };
  expect(await withLock(path, waiting, async () => "done")).toBe("done");
  expect(waitedFor).toEqual(["1"]);
});

it("releases the lock when the work fails, and passes the failure on", async () => {
  const failed = withLock(
    path,
    () => {},
    () => Promise.reject(new Error("no space")),
  );
  await expect(failed).rejects.toThrow("no space");
  expect(existsSync(path)).toBe(false);
});
