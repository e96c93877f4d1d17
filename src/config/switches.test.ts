import { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { scratch } from "../../test/support/scratch.ts";
import { loadSettings } from "./sources.ts";

/** What the command line hands over: `--no-…` has a default of null, or it would be on wherever it is not given. */
const parsed = (...argv: string[]): Record<string, unknown> =>
  new Command()
    .addOption(new Option("--no-memory").default(null))
    .addOption(new Option("--no-critic").default(null))
    .addOption(new Option("--respondent-b"))
    .addOption(new Option("--model-b <ref>"))
    .addOption(new Option("--temperature-b <n>"))
    .addOption(new Option("--temperature <n>"))
    .addOption(new Option("--user <name>"))
    .parse(argv, { from: "user" })
    .opts();

describe("switches", () => {
  it("stand as the files say where no flag is given", () => {
    using place = scratch({ "project/parley.yaml": "memory: off\ncritic: on" });
    const { settings, sources } = loadSettings({ ...place, flags: parsed() });
    expect(settings).toMatchObject({ memory: false, critic: "on" });
    expect(sources["memory"]?.from).toBe("project file");
  });

  it("are off by their flags, whatever the files say", () => {
    using place = scratch({ "project/parley.yaml": "memory: on\ncritic: on" }, { PARLEY_MEMORY: "yes" });
    const flags = parsed("--no-memory", "--no-critic");
    const { settings, sources } = loadSettings({ ...place, flags, flagPrefix: "--" });
    expect(settings).toMatchObject({ memory: false, critic: "off" });
    expect(sources["critic"]).toEqual({ value: "off", from: "flag", name: "--critic" });
  });

  it.each([
    [true, "on"],
    ["yes", "on"],
    ["1", "on"],
    ["on", "on"],
    [false, "off"],
    ["no", "off"],
    ["0", "off"],
    ["off", "off"],
    ["auto", "auto"],
  ])("read %j of the critic as %s", (given, read) => {
    using place = scratch();
    expect(loadSettings({ ...place, flags: { critic: given } }).settings.critic).toBe(read);
    const env = { ...place.env, PARLEY_CRITIC: String(given) };
    expect(loadSettings({ ...place, env }).settings.critic).toBe(read);
  });

  it("and numbers of the second respondent come from flags and from the environment", () => {
    using place = scratch({}, { PARLEY_TEMPERATURE_B: "0.9", PARLEY_HISTORY_TURNS: "3" });
    const flags = parsed("--respondent-b", "--model-b", "sim/bo", "--temperature", "0", "--user", "ada");
    const { settings } = loadSettings({ ...place, flags });
    expect(settings).toMatchObject({
      respondentB: true,
      modelB: "sim/bo",
      temperature: 0,
      temperatureB: 0.9,
      historyTurns: 3,
      user: "ada",
    });
    expect(loadSettings({ ...place, flags: { temperatureB: "2" } }).settings.temperatureB).toBe(2);
  });
});
