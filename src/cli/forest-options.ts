import { choice, flag, integer, text } from "./command.ts";
import { AGAIN, DRY_RUN, JSON_FLAG, LIMITS, QUIET, USER } from "./options.ts";

export const FOREST_CYCLE = {
  limit: integer("-n, --limit <n>", "maximum number (of cycles)", { min: 1, max: 1_000, or: 1 }),
  wait: flag("--wait", "wait for the answers of hand-offs to files"),
  again: AGAIN,
  ...DRY_RUN,
  ...LIMITS,
  ...JSON_FLAG,
  ...QUIET,
};
export const FOREST_HANDOFFS = { ...USER, ...JSON_FLAG };
export const FOREST_ANSWER = {
  forest: text("--forest <folder>", "the forest's folder (default: this one)"),
  ...USER,
  ...JSON_FLAG,
};
export const FOREST_INIT = {
  file: text("--file <file>", "answers to the eight questions, as YAML"),
  domain: choice("--domain <name>", "what is searched (factors or functions; default: factors)", [
    "factors",
    "functions",
  ]),
  yes: flag("-y, --yes", "do not ask: plant the example"),
};
export const FOREST_REPORT = {
  output: text("-o, --output <file>", "output file: .md, .html, or .svg for the plot alone"),
  ...JSON_FLAG,
};
