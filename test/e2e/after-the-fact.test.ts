import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { describe, expect, it, vi } from "vitest";
import { built, isProblem, membersIn, QUESTION, resultIn, simServer, somewhere } from "./parley.ts";

built();

const MODELS = ["ada", "bo?seed=2", "cy?seed=3"].map((name) => `openai/${name}`).join(",");
const ASK = ["council", QUESTION, "--seed", "9", "--models", MODELS];

describe("after the fact", () => {
  it("opens a run as one page in the browser, and says where it is where there is none", async () => {
    await using place = somewhere();
    const { id } = resultIn(await place.run(["ask", QUESTION, "--models", "sim/ada", "--json", "--quiet"]));
    const seen = join(place.folder, "seen");
    const browser = join(place.folder, "browser");
    writeFileSync(browser, `#!/bin/sh\nprintf '%s' "$1" > ${seen}.new && mv ${seen}.new ${seen}\n`, {
      mode: 0o700,
    });
    const opened = await place.run(["open"], { BROWSER: browser });
    expect(opened).toMatchObject({ code: 0, stderr: "" });
    await vi.waitUntil(() => existsSync(seen), { timeout: 20_000 });
    expect(readFileSync(seen, "utf8")).toBe(pathToFileURL(opened.stdout.trim()).href);
    const page = readFileSync(opened.stdout.trim(), "utf8");
    expect([page.includes(QUESTION), page.includes("391"), page.startsWith("<!")]).toEqual([
      true,
      true,
      true,
    ]);
    const none = await place.run(["open", id, "--json"], { BROWSER: "/nowhere/browser" });
    expect(JSON.parse(none.stdout)).toMatchObject({ id, opened: false });
    expect(none.stderr).toMatch(/No browser was started/);
    expect(await place.run(["open", "nosuch"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("replays with the network closed, and fails when one recorded reply is altered", async () => {
    await using place = somewhere();
    const server = await simServer(place);
    const env = { OPENAI_BASE_URL: `${server.url}/v1` };
    const { id } = resultIn(await place.run([...ASK, "--json", "--quiet"], env));
    await server.stop();
    expect(await place.run(["replay", id], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("matches"),
    });
    const db = new Database(join(place.home, "parley.db"));
    const changed = db
      .prepare(
        "update event set data = replace(data, 'Final answer: 391', 'Final answer: 392') where type = 'answer-given'",
      )
      .run();
    db.close();
    expect(changed.changes).toBe(3);
    const altered = await place.run(["replay", id], env);
    expect({ code: altered.code, stdout: altered.stdout }).toEqual({ code: 1, stdout: "" });
    expect(isProblem(altered.stderr)).toBe(true);
  });

  it("forks with exactly one call for another strategy, none for another mode, some without a member", async () => {
    await using place = somewhere();
    const { id } = resultIn(await place.run(["council", QUESTION, "--json", "--quiet"]));
    const fork = async (...flags: string[]) =>
      resultIn(await place.run(["fork", id, ...flags, "--json", "--quiet"]));
    expect(await fork("--strategy", "risk-averse")).toMatchObject({
      calls: 1,
      section: { strategy: "risk-averse" },
      status: "answered",
    });
    expect(await fork("--strategy", "risk_averse")).toMatchObject({ calls: 1 });
    expect(await fork("--mode", "vote")).toMatchObject({
      calls: 0,
      section: { mode: "vote", strategy: null },
    });
    expect(await fork("--chair", "sim/other?seed=5")).toMatchObject({ calls: 1, status: "answered" });
    const fewer = await fork("--without", "analyst");
    expect({ calls: fewer.calls, members: membersIn(fewer).map(({ id }) => id) }).toEqual({
      calls: 1,
      members: ["pragmatist", "challenger"],
    });
    const nobody = await place.run(["fork", id, "--without", "ann"]);
    expect(nobody).toMatchObject({ code: 2, stdout: "" });
    expect(nobody.stderr).toMatch(
      /no member "ann" to leave out\.\nTry: name one of analyst, pragmatist, challenger/,
    );
    const unread = await place.run(["fork", id, "--goal", "speed"]);
    expect(unread).toMatchObject({ code: 2, stdout: "" });
    expect(unread.stderr).toMatch(/balanced has no place for a goal/);
    // Caps of the environment are for new deliberations.
    const capped = await place.run(["fork", id, "--mode", "vote", "--json", "--quiet"], {
      PARLEY_MAX_TOTAL_TOKENS: "10",
    });
    expect(resultIn(capped)).toMatchObject({ status: "answered", calls: 0 });
  });
});
