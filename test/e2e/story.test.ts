import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { built, somewhere } from "./parley.ts";
import { postgresDatabase } from "./turn.ts";

built();

// Five stories a command, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const folder = fileURLToPath(new URL("../../stories", import.meta.url));
const FILES = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .sort()
  .map((name) => join(folder, name));

const Checks = z.array(z.looseObject({ ok: z.boolean() }));
const Summary = z.strictObject({
  ok: z.boolean(),
  stories: z.array(
    z.looseObject({
      id: z.string(),
      ok: z.boolean(),
      checks: Checks,
      turns: z.array(z.looseObject({ checks: Checks })),
    }),
  ),
});

describe.each(["SQLite", "PostgreSQL"])("the stories over %s", (store) => {
  it("pass, as text and as JSON", async (test) => {
    await using database = store === "SQLite" ? undefined : await postgresDatabase("stories");
    if (database?.because !== undefined) return test.skip(database.because);
    await using place = somewhere();
    const env = database?.env ?? {};
    const [told, printed] = await Promise.all(
      [[], ["--json"]].map((more) => place.run(["test", ...FILES, ...more, "--quiet"], env)),
    );
    if (!told || !printed) throw new Error("there are two of them");
    expect({ code: told.code, stderr: told.stderr }).toEqual({ code: 0, stderr: "" });
    expect(told.stdout).toMatch(new RegExp(`\n${FILES.length} stories passed\n$`));
    const { ok, stories } = Summary.parse(JSON.parse(printed.stdout));
    expect([ok, stories.map(({ id }) => id)]).toEqual([true, ["S1", "S2", "S5", "S6", "S7"]]);
    for (const one of stories) {
      const checks = [...one.checks, ...one.turns.flatMap((turn) => turn.checks)];
      expect(checks.length).toBeGreaterThanOrEqual(5);
      expect(checks.every((check) => check.ok)).toBe(true);
    }
  });
});

describe("a story that does not hold", () => {
  it("fails with exit 1, and says which check", async () => {
    await using place = somewhere();
    const file = join(place.cwd, "wrong.yaml");
    writeFileSync(
      file,
      "story_id: X1\ntitle: It fails\nturns:\n  - query: What is the capital of France?\n    expected_content: [Berlin]\n",
    );
    const told = await place.run(["test", file, ...FILES.slice(0, 1), "--quiet"]);
    expect(told).toMatchObject({ code: 1, stderr: "" });
    expect(told.stdout).toMatch(/FAIL the answer contains "Berlin"; found: /);
    const json = await place.run(["test", file, "--json", "--quiet"]);
    expect(json.code).toBe(1);
    expect(Summary.parse(JSON.parse(json.stdout))).toMatchObject({
      ok: false,
      stories: [{ id: "X1", ok: false }],
    });
  });

  it("fails where the judge gives no grade", async () => {
    await using place = somewhere();
    const file = FILES.find((name) => name.includes("s6")) ?? "";
    const unreadable = await place.run(["test", file, "--judge", "sim/judy?malformed=1", "--quiet"]);
    expect(unreadable.code).toBe(1);
    expect(unreadable.stdout).toMatch(/FAIL there is critique\.result with score/);
  });
});
