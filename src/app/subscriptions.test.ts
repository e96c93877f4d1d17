import { describe, expect, it } from "vitest";
import { scratch } from "../../test/support/scratch.ts";
import { standIn } from "../../test/support/stand-ins.ts";
import { findFirstSettings, writeFirstSettings } from "./first-settings.ts";
import { reachable } from "./reachable.ts";
import { checkProgram, installedPrograms } from "./subscriptions.ts";
import { loadSettings } from "../config/sources.ts";

const NOWHERE = { OLLAMA_HOST: "http://127.0.0.1:1", LMSTUDIO_HOST: "http://127.0.0.1:1" };
const says = (status: string) => `if (args[0] === "--version") say("codex-cli 0.171.0"); else { ${status} }`;

describe("programs that are installed", () => {
  it.each([
    ["somebody is logged in", `say("Logged in using ChatGPT");`, true, "0.171.0, logged in", undefined],
    [
      "a key is used",
      `say("Logged in using an API key - sk-…");`,
      ...([true, "0.171.0, logged in with a key of the API, which bills each call", undefined] as const),
    ],
    [
      "nobody is logged in",
      `console.error("Not logged in"); process.exit(1);`,
      ...([false, "0.171.0, not logged in", "codex login"] as const),
    ],
    ["it hangs", "await wait(60_000);", false, "0.171.0, it does not say whether it is logged in", undefined],
  ] as const)(
    "are checked: %s",
    async (...row) => {
      const [, status, ok, found, next] = row;
      using place = scratch();
      const { env } = standIn(place, "codex", says(status));
      const [codex, ...others] = installedPrograms(env);
      expect(others).toEqual([]);
      if (!codex) throw new Error("it is not found");
      expect(await checkProgram(codex, env, true)).toEqual({
        ...{ what: "Codex (codex)", ok, found },
        ...(next === undefined ? {} : { next }),
      });
      if (!ok) expect((await checkProgram(codex, env, false)).ok).toBe(true);
    },
    20_000,
  );

  it("are chosen by nobody but the user: last in a first file of settings, and commented out", async () => {
    using place = scratch({}, NOWHERE);
    standIn(place, "claude", "");
    const { env } = standIn(place, "codex", "");
    const found = await findFirstSettings({ ...place, env });
    expect(found).toMatchObject({ places: [], models: [] });
    expect(found.programs.map(({ ref }) => ref)).toEqual(["codex/default", "claude/default"]);
    const text = writeFirstSettings({ ...found, models: ["ollama/a"], maxCostUsd: undefined });
    expect(text).toMatch(
      /^ {2}- "ollama\/a"\n# {2}- "codex\/default" # Codex, on your subscription\n#.*"claude/m,
    );
    const { settings } = loadSettings({ ...place, env, flags: {} });
    // Panels are chosen of these, and clients of a server may name them.
    expect(await reachable({ env, settings })).toEqual([]);
  });
});
