import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { countedCalls } from "../support/counted-calls.ts";
import type { Json } from "../support/server.ts";
import { built, isProblem, simServer, somewhere, type Ended, type Somewhere } from "./parley.ts";
import { call, follow, freePort, holds, newKey, served } from "./server.ts";

built();

const SUM = "What is 17 * 23?";

/** A sim-server whose calls are counted, and what makes `openai/…` its models. */
async function paid(place: Somewhere) {
  const sim = await simServer(place, {}, 60_000);
  const calls = await countedCalls(sim.url);
  return {
    calls: calls.calls,
    env: { OPENAI_BASE_URL: calls.url, PARLEY_CLIENT_MODELS: "openai/ada,openai/bo,openai/cy" },
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  };
}

const asked = (latency: number, more: object = {}) => ({
  body: {
    ...{ question: SUM, protocol: "council", reactions: false },
    models: ["ada", "bo", "cy"].map((name) => `openai/${name}?latency=${latency}`),
    ...more,
  },
});

describe.concurrent("parley serve", () => {
  it("prints links for any browser, takes keys, and drops a revoked one within a second", async () => {
    await using place = somewhere();
    const none = await place.run(["serve", "link"]);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringMatching(/no server was started.*\nTry: parley serve\n/),
    ]);
    const { process, url, key, link: newLink } = await served(place);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    const link = await newLink();
    expect(link.startsWith(`${url}?token=pl_`)).toBe(true);
    for (const browser of [1, 2]) {
      const opened = await call(link);
      expect([browser, opened.status]).toEqual([browser, 303]);
      expect(opened.headers["set-cookie"]?.[0]).toMatch(/HttpOnly; SameSite=Strict/);
    }
    const ended = await call(`${url}?token=${key}`, undefined, { headers: { accept: "text/html" } });
    expect([ended.status, ended.headers.location, ended.headers["set-cookie"]]).toEqual([
      303,
      "/",
      undefined,
    ]);
    expect((await place.run(["serve", "links"])).stderr).toContain(
      'serve takes link, or nothing (got "links")',
    );
    expect((await call(`${url}api/v1/usage`, key)).status).toBe(200);
    const read = await newKey(place, "--scopes", "read", "--until", "2d");
    expect(await call(`${url}api/v1/deliberations`, read, asked(0))).toMatchObject({ status: 403 });
    const listed = await place.run(["serve", "keys", "list", "--json"]);
    expect(listed.stdout).not.toContain(key.slice(16));
    for (const file of readdirSync(place.home).filter((name) => name.startsWith("parley.db")))
      expect(readFileSync(join(place.home, file)).includes(key)).toBe(false);
    const all = JSON.parse(listed.stdout) as Json[];
    expect(all.map(({ kind }: Json) => kind as string).toSorted()).toEqual([
      "key",
      "key",
      "session",
      "session",
    ]);
    const [{ id }] = all.filter(({ kind, scopes }: Json) => kind === "key" && scopes.length > 1);
    const revoked = await place.run(["serve", "keys", "revoke", id]);
    expect(revoked).toMatchObject({ code: 0, stdout: "" });
    await holds(async () => (await call(`${url}api/v1/usage`, key)).status === 401, 3_000);
    process.kill("SIGTERM");
    const { code, signal, stdout, stderr } = await process.ended;
    expect([code, signal]).toEqual([0, null]);
    // What is no terminal may be kept.
    expect(stdout + stderr).not.toMatch(/token|p[kls]_/);
    expect(stderr).toContain("parley serve link");
  }, 120_000);

  it.skipIf(!existsSync("/usr/bin/script"))(
    "prints the link itself to a terminal alone",
    async () => {
      await using place = somewhere();
      const cli = fileURLToPath(new URL("../../dist/cli.mjs", import.meta.url));
      const env = { PATH: process.env["PATH"], HOME: place.folder, PARLEY_HOME: place.home };
      const command = `'${process.execPath}' '${cli}' serve --simulated --port 0`;
      const child = spawn("/usr/bin/script", ["-qfc", command, "/dev/null"], { cwd: place.cwd, env });
      let shown = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => void (shown += text));
      const ended = once(child, "close");
      try {
        await holds(async () => /http:\S+\?token=pl_\S+/.test(shown));
        const [link = ""] = /http:\S+/.exec(shown) ?? [];
        expect((await call(link)).status).toBe(303);
      } finally {
        child.kill("SIGTERM");
        await ended;
      }
    },
    40_000,
  );

  it("refuses what it cannot serve with exit 2 and the next step", async () => {
    await using place = somewhere();
    const refusals: [args: string[], next: RegExp][] = [
      [["--host", "0.0.0.0", "--port", "0"], /Try: parley serve keys new NAME/],
      [["--base-path", "a b"], /Try: .*--base-path \/parley\//],
      [["--public-url", "ftp://x"], /Try: .*--public-url https/],
      [["--host", "203.0.113.9", "--port", "0"], /Try: parley serve keys new NAME/],
    ];
    const ended: Ended[] = [];
    for (const [args, next] of refusals) {
      const one = await place.run(["serve", ...args]);
      expect([args, one.code, one.stdout]).toEqual([args, 2, ""]);
      expect(one.stderr).toMatch(next);
      ended.push(one);
    }
    expect(ended.every(({ stderr }) => isProblem(stderr))).toBe(true);
    await newKey(place);
    const elsewhere = await place.run(["serve", "--host", "203.0.113.9", "--port", "0"]);
    expect(elsewhere).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not an address of this machine") as string,
    });
    const open = await served(place, { args: ["--host", "0.0.0.0", "--port", "0"], key: "" });
    const { port } = new URL(open.url);
    const taken = await place.run(["serve", "--port", port]);
    expect(taken).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/in use\.\nTry: .*--port 0/) as string,
    });
    // By default it is 7317 of this machine alone, unless somebody has it already.
    const usual = place.start(["serve"]);
    const link = await usual.seen("stdout", /^http:\S+/).catch(() => "");
    if (link === "") expect((await usual.ended).stderr).toContain("port 7317 is in use");
    else expect(link).toBe("http://127.0.0.1:7317/"); // stdout is no terminal: no token
  }, 120_000);

  it("64 live drives end with exit 0 within 15 s of SIGTERM, and a restart repeats what was in flight alone", async () => {
    await using place = somewhere();
    await using sim = await paid(place);
    const one = await served(place, { env: sim.env });
    const open = (models: string[]) =>
      call(`${one.url}api/v1/deliberations`, one.key, asked(0, { protocol: "respond", models }));
    // As many calls of one model as may be in flight; the others are in this process.
    const counted = await Promise.all(Array.from({ length: 8 }, () => open(["openai/ada?latency=20000"])));
    const inside = await Promise.all(Array.from({ length: 56 }, () => open(["sim/ada?latency=100000"])));
    await holds(async () => sim.calls() === 8);
    const [first, ...others] = [...counted, ...inside].map(({ json }) => json.id as string);
    expect(others.length).toBe(63);
    const last = await open(["openai/ada"]);
    expect(last).toMatchObject({ status: 202, json: { place: 1 } });
    const stream = await follow(`${one.url}api/v1/deliberations/${first}/events`, one.key);
    // A burst of openings makes it late for a moment.
    await holds(async () => (await call(`${one.url}readyz`)).status === 200);
    one.process.kill("SIGTERM");
    await stream.ended; // before the process has
    expect(await call(`${one.url}readyz`)).toMatchObject({
      ...{ status: 503, json: { problems: { server: expect.any(String) as string } } },
    });
    expect(await open(["openai/ada"])).toMatchObject({
      ...{ status: 503, headers: { "retry-after": expect.any(String) as string } },
    });
    expect(await one.process.ended).toMatchObject({ code: 0, signal: null });
    const two = await served(place, {
      env: sim.env,
      key: one.key,
      args: ["--port", "0", "--max-drives", "65"],
    });
    await holds(async () => {
      const { json } = await call(`${two.url}api/v1/deliberations?status=answered&limit=200`, two.key);
      return json.data.length === 9;
    }, 150_000);
    // Eight that were in flight, again, and the one that was in line.
    expect(sim.calls()).toBe(17);
    two.process.kill("SIGKILL");
  }, 260_000);

  it("of two servers over one store one pays; after kill -9 the other goes on when the lease ends", async () => {
    await using place = somewhere();
    await using sim = await paid(place);
    const key = await newKey(place);
    const [one, two] = await Promise.all([
      served(place, { env: sim.env, key }),
      served(place, { env: sim.env, key }),
    ]);
    // Longer than two sweeps of the other one.
    const whole = await call(`${one.url}api/v1/deliberations`, key, {
      ...asked(1_500),
      headers: { prefer: "wait=20" },
    });
    expect(whole).toMatchObject({ status: 200, json: { finalAnswer: "391", calls: 7 } });
    expect(sim.calls()).toBe(7);
    const named = { ...asked(1_000), headers: { "idempotency-key": "killed" } };
    const { json } = await call(`${one.url}api/v1/deliberations`, key, named);
    const at = `api/v1/deliberations/${json.id}`;
    await holds(async () => sim.calls() === 10);
    one.process.kill("SIGKILL");
    await one.process.ended;
    const before = sim.calls();
    // A repeat elsewhere joins it, and pays nothing while whoever died holds the lease.
    expect(await call(`${two.url}api/v1/deliberations`, key, named)).toMatchObject({
      status: 202,
      json: { id: json.id },
    });
    expect(sim.calls()).toBe(before);
    await holds(async () => (await call(two.url + at, key)).json.status === "answered");
    expect((await call(two.url + at, key)).json).toMatchObject({ finalAnswer: "391", calls: 7 });
    expect(sim.calls()).toBeLessThanOrEqual(7 + 7 + 3);
    const { data } = (await call(`${two.url}${at}/events`, key)).json;
    expect(new Set(data.map(({ id }: Json) => id as string)).size).toBe(data.length);
    two.process.kill("SIGTERM");
    expect((await two.process.ended).code).toBe(0);
  }, 120_000);

  it("adds nothing to the start of other commands", async () => {
    await using place = somewhere();
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const port = await freePort();
    /** The files that a command evaluates. */
    const loaded = async (name: string, args: readonly string[], stop = false): Promise<string[]> => {
      const folder = join(place.folder, `coverage-${name}`);
      const tsx = join(root, "node_modules/tsx/dist/esm/index.mjs");
      const env = {
        PATH: process.env["PATH"],
        HOME: place.folder,
        PARLEY_HOME: place.home,
        NODE_V8_COVERAGE: folder,
      };
      await new Promise<void>((resolve) => {
        const child = execFile(
          process.execPath,
          ["--import", tsx, join(root, "src/cli/main.ts"), ...args],
          { cwd: place.cwd, env },
          () => resolve(),
        );
        if (stop) child.stdout?.once("data", () => void child.kill("SIGTERM"));
      });
      return readdirSync(folder).flatMap((file) => {
        const { result } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
          result: { url: string }[];
        };
        return result.flatMap(({ url }) => (url.startsWith("file:") ? [url] : []));
      });
    };
    const isOfServer = (url: string) => /\/src\/server\/|\/node_modules\/(?:hono|@hono)\//.test(url);
    const [version, list, serve] = await Promise.all([
      loaded("version", ["--version"]),
      loaded("list", ["list"]),
      loaded("serve", ["serve", "--port", String(port)], true),
    ]);
    expect(serve.filter(isOfServer).length).toBeGreaterThan(10);
    for (const urls of [version, list]) {
      expect(urls.filter((url) => url.includes("/src/cli/")).length).toBeGreaterThan(0);
      expect(urls.filter(isOfServer)).toEqual([]);
    }
  }, 120_000);
});
