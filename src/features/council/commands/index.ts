import { defineCommand, flag } from "../../../cli/command.ts";
import * as options from "../../../cli/options.ts";

export const DEMO = {
  fast: flag("--fast", "show everything at once"),
  keep: flag("--keep", "store the run, for show, export and replay"),
  ...options.JSON_FLAG,
  events: flag("--events", "print events, text and the result as lines of JSON", { conflicts: "json" }),
  ...options.QUIET,
};

export const demo = defineCommand("demo", "Watch a recorded council; no model is called", {
  options: DEMO,
  examples: ["demo", "demo --keep --fast"],
  run: async (io, given) => (await import("./demo.ts")).demo(io, given),
});
