import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import pg from "pg";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { built, eventsIn, isProblem, QUESTION, resultIn, somewhere, type Somewhere } from "./parley.ts";

built();

const SLOW = "sim/a?latency=300,sim/b?latency=300&seed=2,sim/c?latency=300&seed=3";
const Rows = z.array(z.looseObject({ id: z.string(), status: z.string() }));

const newest = async (place: Somewhere, env?: Record<string, string>) =>
  Rows.parse(JSON.parse((await place.run(["list", "--json"], env)).stdout))[0];

/** A file system of 4 MB under `place`, or why there is none. */
function smallDisk(place: Somewhere) {
  const folder = join(place.folder, "disk");
  const ballast = join(folder, "ballast");
  mkdirSync(folder);
  const { status, stderr, error } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder]);
  const mounted = status === 0;
  return {
    because: mounted
      ? undefined
      : `no file system can be mounted here: ${error?.message ?? stderr.toString()}`,
    env: { PARLEY_HOME: folder },
    fill: () => void spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=64k"]),
    free: () => rmSync(ballast),
    remount: (how: "ro" | "rw") => void execFileSync("mount", ["-o", `remount,${how}`, folder]),
    [Symbol.dispose]: () => {
      if (mounted) execFileSync("umount", ["-l", folder]);
    },
  };
}

describe("a disk that takes nothing more", () => {
  it("is told in one line when it is full, and nothing acknowledged is lost", async (test) => {
    await using place = somewhere();
    using disk = smallDisk(place);
    if (disk.because !== undefined) return test.skip(disk.because);
    const { env } = disk;
    const first = resultIn(await place.run([QUESTION, "--json", "--quiet"], env));
    disk.fill();
    const full = await place.run([QUESTION, "--quiet"], env);
    expect(full).toMatchObject({ code: 2, stdout: "" });
    expect(full.stderr).toMatch(/free space.*nothing acknowledged was lost/);
    expect(isProblem(full.stderr)).toBe(true);
    disk.free();
    expect(resultIn(await place.run(["show", first.id, "--json"], env))).toEqual(first);
  });

  it("that fills up under a council leaves it open, and it resumes when there is room", async (test) => {
    await using place = somewhere();
    using disk = smallDisk(place);
    if (disk.because !== undefined) return test.skip(disk.because);
    const { env } = disk;
    const council = place.start(["council", QUESTION, "--models", SLOW], env);
    await council.seen("stderr", /drafting…/);
    disk.fill();
    const ended = await council.ended;
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/the disk is full; free space and try again/);
    disk.free();
    const open = await newest(place, env);
    expect(open?.status).toBe("open");
    const resumed = await place.run(["resume", open?.id ?? "", "--json", "--quiet"], env);
    expect(resultIn(resumed)).toMatchObject({ status: "answered", finalAnswer: "391", calls: 7 });
  });

  it("is told in one line when it is read-only", async (test) => {
    await using place = somewhere();
    using disk = smallDisk(place);
    if (disk.because !== undefined) return test.skip(disk.because);
    disk.remount("ro");
    const refused = await place.run([QUESTION, "--quiet"], disk.env);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/read-only[^]*make the file, its folder and the file system writable/);
    expect(isProblem(refused.stderr)).toBe(true);
  });
});

describe("Ctrl-C", () => {
  it("twice in a moment is once, and what is on stdout so far is how the resumed journal begins", async () => {
    await using place = somewhere();
    const council = place.start([QUESTION, "--models", SLOW, "--events"]);
    await council.seen("stdout", /"roster-fixed"/);
    council.kill("SIGINT");
    // Two of the same kind could be delivered as one; this goes the same way as the second Ctrl-C.
    council.kill("SIGTERM");
    const ended = await council.ended;
    expect(ended.code).toBe(130);
    const before = eventsIn(ended);
    const [, id = ""] = /parley resume (\S+)\n$/.exec(ended.stderr) ?? [];
    const after = eventsIn(await place.run(["resume", id, "--events", "--quiet"]));
    // The opening that is read again names the requests that were under way.
    const recorded = after.map(({ sent: _sent, ...line }) => line);
    expect(recorded.slice(0, before.length)).toEqual(before);
    // What comes after the answer is remembering it.
    expect(after.slice(-2).map(({ type }) => type)).toEqual(["deliberation-closed", "engram-written"]);
  });
});

const reply = (from: string, to: string) =>
  `json_set(data, '$.call.reply', replace(json_extract(data, '$.call.reply'), '${from}', '${to}'))`;

describe("replay", () => {
  it.each([
    ["the reply of one draft", "protocol/draft/analyst", reply("391", "392")],
    ["the reply of one review", "protocol/review/analyst", reply("ranking", "nothing")],
    ["the reply of the chair", "protocol/synthesis/chair", reply("391", "392")],
    ["the text beside an untouched reply", "protocol/synthesis/chair", "json_set(data, '$.text', 'else')"],
    ["the question", "open", "json_set(data, '$.question', 'What is 18 * 23?')"],
    ["what was computed", "protocol/standing", "json_set(data, '$.agreement', 0.5)"],
  ])("fails when %s is altered, alone", async (_, origin, change) => {
    await using place = somewhere();
    const { id } = resultIn(await place.run(["council", QUESTION, "--json", "--quiet"]));
    const db = new Database(join(place.home, "parley.db"));
    const { changes } = db
      .prepare(`update event set data = ${change} where origin_key = ? and data <> ${change}`)
      .run(origin);
    db.close();
    expect(changes).toBe(1);
    const altered = await place.run(["replay", id]);
    expect(altered).toMatchObject({ code: 1, stdout: "" });
    expect(isProblem(altered.stderr)).toBe(true);
  });
});

it("works over PostgreSQL: asked, replayed, forked, killed and resumed by two at once", async (test) => {
  const server = "postgres://postgres@127.0.0.1:5432";
  const admin = new pg.Client({ connectionString: `${server}/postgres`, connectionTimeoutMillis: 2_000 });
  const refused = await admin.connect().then(
    () => undefined,
    (error: unknown) => String(error),
  );
  if (refused !== undefined) return test.skip(`no PostgreSQL of postgres's on 127.0.0.1:5432: ${refused}`);
  const name = `parley_e2e_${process.pid}`;
  await admin.query(`create database ${name}`);
  try {
    await using place = somewhere();
    const env = { PARLEY_DATABASE_URL: `${server}/${name}` };
    const quietly = ["--json", "--quiet"];
    const first = resultIn(await place.run(["council", QUESTION, ...quietly], env));
    expect(first).toMatchObject({ status: "answered", finalAnswer: "391", calls: 7 });
    expect((await place.run(["replay", first.id], env)).code).toBe(0);
    const fork = await place.run(["fork", first.id, "--strategy", "novelty", ...quietly], env);
    expect(resultIn(fork)).toMatchObject({ section: { strategy: "novelty" }, calls: 1 });

    const victim = place.start(["council", QUESTION, "--models", SLOW], env);
    await victim.seen("stderr", /ranking…/);
    victim.kill("SIGKILL");
    await victim.ended;
    const open = await newest(place, env);
    expect(open?.status).toBe("open");
    const resume = async () => resultIn(await place.run(["resume", open?.id ?? "", ...quietly], env));
    const [one, two] = await Promise.all([resume(), resume()]);
    expect(one).toMatchObject({ status: "answered", calls: 7 });
    expect(two).toEqual(one);
  } finally {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
});
