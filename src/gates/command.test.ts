import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { detectTools, runCommand, type CommandRun, type SandboxTools } from "./command.ts";

const isWindows = process.platform === "win32";
const NO_TOOLS: SandboxTools = { bwrap: null, prlimit: null };
const detected = await detectTools();
const scratch = mkdtempSync(join(tmpdir(), "parley-command-test-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const node = process.execPath;
const run = (command: CommandRun["command"], more: Partial<CommandRun> = {}) =>
  runCommand({
    ...{ command, input: null, timeMs: 10_000, maxOutput: 10_000, tools: NO_TOOLS },
    ...{ signal: new AbortController().signal, ...more },
  });
const script = (source: string, more: Partial<CommandRun> = {}) => run([node, "-e", source], more);

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A killed process that its new parent has not yet collected is a zombie.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    // Where there is no /proc, what can be signalled is alive.
    return error instanceof Error && "code" in error && error.code === "ENOENT" && !existsSync("/proc");
  }
};
const isGone = (pid: number) =>
  expect.poll(() => isAlive(pid), { timeout: 3_000, message: `process ${pid} is still there` }).toBe(false);
let files = 0;
/** A file outside of the command's folder, through which it tells a process id. */
const pidFile = (): { readonly path: string; read(): number } => {
  files += 1;
  const path = join(scratch, `pid-${files}`);
  return { path, read: () => Number(readFileSync(path, "utf8")) };
};

describe.skipIf(isWindows)("runCommand (skipped on Windows, which has no process groups)", () => {
  it("gives what the command prints, from its input", async () => {
    const outcome = await script(
      'let t="";process.stdin.on("data",(d)=>t+=d).on("end",()=>console.log(JSON.stringify({got:JSON.parse(t)})))',
      { input: { a: [1, "ü"] } },
    );
    expect(outcome).toEqual({
      ...{ ok: true, value: { got: { a: [1, "ü"] } } },
      ...{ sandbox: "none", memoryBounded: false },
    });
  });

  it("takes exit code 0 without output for success, and output that it cannot read for a failure", async () => {
    expect(await run(["true"])).toMatchObject({ ok: true, value: null });
    expect(await run(["echo", "all is well"])).toMatchObject({ ok: false, cause: "error" });
    expect(await run(["echo", '{"passed": false'])).toMatchObject({ ok: false, cause: "error" });
    expect(await run(["printf", 'loading\n{"passed": false}\n'])).toMatchObject({
      ok: true,
      value: { passed: false },
    });
  });

  it("keeps another exit code, and the end of what was written to standard error", async () => {
    const source = 'process.stderr.write("x".repeat(5000)+" the reason\\n", () => process.exit(3))';
    const outcome = await script(source);
    expect(outcome).toMatchObject({ ok: false, cause: "exit", exitCode: 3 });
    const detail = outcome.ok ? "" : outcome.detail;
    expect(detail).toMatch(/^it ended with exit code 3: x+ the reason$/);
    expect(detail.length).toBeLessThan(2_100);
  });

  it("tells a signal from an exit code", async () => {
    const outcome = await script("process.kill(process.pid, 'SIGSEGV')");
    expect(outcome).toMatchObject({ ok: false, cause: "exit", detail: "it was ended by SIGSEGV" });
  });

  it("says what to do where there is no such program", async () => {
    for (const tools of [NO_TOOLS, detected])
      expect(await run(["parley-no-such-program"], { tools })).toMatchObject({
        ...{ ok: false, cause: "error" },
        detail: 'there is no program "parley-no-such-program": install it, or give its full path',
      });
  });

  it("does not mind a command that reads no input", async () => {
    expect(await run(["true"], { input: "x".repeat(5_000_000) })).toMatchObject({ ok: true });
  });

  it("refuses output that is nested too deeply for any reader", async () => {
    const outcome = await script('process.stdout.write("[".repeat(900)+"]".repeat(900))');
    expect(outcome).toMatchObject({ ok: false, cause: "output" });
  });

  // Invariant SPAWN-1.
  it("reads no shell syntax, and tells the command nothing of its environment", async () => {
    process.env["PARLEY_TEST_SECRET"] = "secret";
    const inFolder =
      "JSON.stringify([process.argv[1],Object.keys(process.env).sort(),process.env.HOME===process.cwd()])";
    const outcome = await run([node, "-e", `console.log(${inFolder})`, "$(id); `id` > x"]);
    delete process.env["PARLEY_TEST_SECRET"];
    expect(outcome).toMatchObject({ value: ["$(id); `id` > x", ["HOME", "LANG", "PATH", "TMPDIR"], true] });
  });

  it("stops a command that hangs and ignores every signal that can be ignored", async () => {
    const pid = pidFile();
    const outcome = await script(
      `for (const s of ["SIGTERM","SIGINT","SIGHUP"]) process.on(s, () => {});
       require("fs").writeFileSync(${JSON.stringify(pid.path)}, String(process.pid)); for(;;);`,
      { timeMs: 700 },
    );
    expect(outcome).toMatchObject({ ok: false, cause: "time-limit", detail: "it did not end within 700 ms" });
    await isGone(pid.read());
  });

  it("stops a command that prints without end", async () => {
    const outcome = await run(["yes"], { maxOutput: 1_000_000, timeMs: 600_000 });
    expect(outcome).toMatchObject({ ok: false, cause: "output" });
    const noisy = await script("for(;;)process.stderr.write('x'.repeat(60000))", { timeMs: 700 });
    expect(noisy).toMatchObject({ ok: false, cause: "time-limit" });
  });

  // Invariant SPAWN-2.
  const leaveChild = (path: string, then: string) =>
    `const c = require("child_process").spawn("sleep", ["60"], { stdio: "inherit" });
     require("fs").writeFileSync(${JSON.stringify(path)}, String(c.pid)); ${then}`;
  it.each([
    ["ends well", "c.unref(); console.log(7); process.exit(0)", { ok: true, value: 7 }],
    ["fails", "process.exit(2)", { ok: false, cause: "exit" }],
    ["hangs", "for(;;);", { ok: false, cause: "time-limit" }],
    ["prints too much", "for(;;)console.log('x'.repeat(5000))", { ok: false, cause: "output" }],
  ])("kills the children that a command leaves behind when it %s", async (_, then, expected) => {
    const pid = pidFile();
    expect(await script(leaveChild(pid.path, then), { timeMs: 1_500 })).toMatchObject(expected);
    await isGone(pid.read());
  });

  it("kills the group when it is aborted", async () => {
    const pid = pidFile();
    const stop = new AbortController();
    const reason = new Error("stop");
    const running = script(leaveChild(pid.path, "for(;;);"), { signal: stop.signal });
    const outcome = expect(running).rejects.toBe(reason);
    await expect.poll(() => existsSync(pid.path) && pid.read() > 0, { timeout: 5_000 }).toBe(true);
    stop.abort(reason);
    await outcome;
    await isGone(pid.read());
    await expect(script("", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  // Without bubblewrap such a process outlives the run: this is what a group cannot do.
  it("does not wait for a process that left the group and holds the pipe", async () => {
    const pid = pidFile();
    const source = leaveChild(pid.path, "c.unref(); console.log(7)").replace(
      'stdio: "inherit"',
      'stdio: "inherit", detached: true',
    );
    expect(await script(source, { timeMs: 600_000 })).toMatchObject({ ok: true, value: 7 });
    expect(isAlive(pid.read())).toBe(true); // what it waited for would have ended
    process.kill(pid.read(), "SIGKILL");
  });

  it("works in a folder of its own, and removes it with all that was left there", async () => {
    const source = `const fs=require("fs"); fs.mkdirSync("a/b",{recursive:true}); fs.writeFileSync("a/b/c","");
      console.log(JSON.stringify([process.cwd(), require("os").tmpdir()]))`;
    const outcome = await script(source);
    const [folder = "", temporary] = (outcome.ok ? outcome.value : []) as string[];
    expect(folder).toContain("parley-gate-");
    expect(temporary).toBe(folder);
    expect(existsSync(folder)).toBe(false);
  });

  it("leaves a folder that it was given", async () => {
    const folder = join(scratch, "given");
    mkdirSync(folder);
    await script('require("fs").writeFileSync("x","")', { folder });
    expect(readdirSync(folder)).toEqual(["x"]);
  });

  it.skipIf(detected.prlimit === null)("bounds memory (skipped where there is no prlimit)", async () => {
    const source = "console.log(Buffer.alloc(600e6, 1).length)";
    const tools = { ...NO_TOOLS, prlimit: detected.prlimit };
    expect(await script(source, { tools })).toMatchObject({ ok: true, memoryBounded: true });
    const outcome = await script(source, { tools, memoryBytes: 400_000_000 });
    expect(outcome).toMatchObject({ ok: false, cause: "exit", memoryBounded: true });
  });
});

describe.skipIf(detected.bwrap === null)(
  "runCommand in bubblewrap (skipped where it is not installed, or not allowed)",
  () => {
    const boxed = (source: string, more: Partial<CommandRun> = {}) =>
      script(source, { tools: detected, ...more });

    // Invariant SPAWN-5.
    it("can write its own folder alone", async () => {
      const target = join(scratch, "outside");
      writeFileSync(target, "as it was");
      const outcome = await boxed(
        `const fs=require("fs"); fs.writeFileSync("mine","1"); const tried=[];
         for (const path of [${JSON.stringify(target)}, "/parley-test", "/etc/parley-test"])
           try { fs.writeFileSync(path, "changed"); tried.push("written"); } catch (e) { tried.push(e.code); }
         console.log(JSON.stringify(tried))`,
      );
      expect(outcome).toMatchObject({ ok: true, value: ["EROFS", "EROFS", "EROFS"], sandbox: "bwrap" });
      expect(readFileSync(target, "utf8")).toBe("as it was");
    });

    it("has no network, and sees no other process", async () => {
      const { createServer } = await import("node:net");
      const server = createServer().listen(0, "127.0.0.1");
      await new Promise((listening) => server.once("listening", listening));
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      const source = `const s=require("net").connect(${port},"127.0.0.1");
        const pids=require("fs").readdirSync("/proc").filter((n)=>/^\\d+$/.test(n)).length;
        s.on("connect",()=>{console.log('["connected"]');process.exit()}).on("error",(e)=>console.log(JSON.stringify([e.code,pids<10])))`;
      expect(await script(source)).toMatchObject({ value: ["connected"] });
      expect(await boxed(source)).toMatchObject({ value: ["ECONNREFUSED", true] });
      server.close();
    });

    it("keeps the exit code, the limits and the output", async () => {
      expect(await boxed("process.exit(3)")).toMatchObject({ cause: "exit", exitCode: 3 });
      expect(await boxed("for(;;);", { timeMs: 700 })).toMatchObject({ cause: "time-limit" });
      expect(await boxed("for(;;)console.log('x'.repeat(5000))")).toMatchObject({ cause: "output" });
      expect(await boxed("console.log('[1]')")).toMatchObject({ ok: true, value: [1] });
    });

    it("kills even a process that left the group", async () => {
      const mark = `3${Date.now() % 1_000_000}`;
      const running = () =>
        readdirSync("/proc").some((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(`sleep\0${mark}`);
          } catch {
            return false;
          }
        });
      const start = `require("child_process").spawn("sleep",["${mark}"],{detached:true,stdio:"ignore"}).unref();`;
      expect(await boxed(`${start} setTimeout(()=>console.log(1),300)`)).toMatchObject({ value: 1 });
      await expect.poll(running, { timeout: 3_000 }).toBe(false);
      await boxed(`${start} for(;;);`, { timeMs: 700 });
      await expect.poll(running, { timeout: 3_000 }).toBe(false);
    });
  },
);

describe("detectTools", () => {
  it("probes a machine once", async () => {
    expect(detectTools()).toBe(detectTools());
    const { bwrap, prlimit } = await detectTools();
    expect([null, "bwrap"]).toContain(bwrap);
    expect([null, "prlimit"]).toContain(prlimit);
  });
});
