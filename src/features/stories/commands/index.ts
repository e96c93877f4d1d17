import { defineCommand, flag, setting, text } from "../../../cli/command.ts";
import { JSON_FLAG, JUDGE, LIMITS, MODEL, QUIET } from "../../../cli/options.ts";

export const TEST = {
  ...MODEL,
  ...JUDGE,
  respondentB: setting("--respondent-b", "answer with a second model too (A/B comparison)"),
  modelB: setting("--model-b <ref>", "second model (default: the same model)"),
  temperatureB: setting("--temperature-b <t>", "temperature of the second model (default: 0.5)"),
  delays: flag("--delays", "wait between turns as the test says"),
  ...LIMITS,
  reporter: text("--reporter <names>", "print junit (XML), github (annotations) or both, with a comma"),
  ...JSON_FLAG,
  ...QUIET,
};

export const command = defineCommand("test <file...>", "Run conversation tests from YAML", {
  aliases: ["story"],
  options: TEST,
  examples: ["test stories/s1-arithmetic.yaml", 'test "stories/*.yaml" --json'],
  run: async (io, given, files) => (await import("./conversation-test.ts")).test(io, given, files),
});
