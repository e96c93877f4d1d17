import { exportForms, type AppFeature } from "../app/registry.ts";
import { joinWithOr } from "../config/explain.ts";
import { Duration, Since } from "../config/duration.ts";
import { RunStatus } from "../kernel/index.ts";
import { choice, flag, integer, listSetting, repeatable, setting, settingAs, text } from "./command.ts";

// Options that several commands share, and those that the modules of commands name as types.

/** How members think, by the names of their settings. */
export const MEMBERS = {
  persona: settingAs("personas", {
    flags: "--persona <ids>",
    description: "persona: one for each member in order, comma-separated",
    isList: true,
  }),
  system: setting("--system <text>", "instructions: for every member, or @FILE with them"),
  temperature: settingAs("temperatures", {
    flags: "--temperature <t>",
    description: "temperature, 0 to 2, for all members or each: 0.2,0.9",
    isList: true,
  }),
};

/** The same of the one who responds. */
export const RESPONDENT = {
  persona: settingAs("respondent", {
    flags: "--persona <id>",
    description: "persona: of the model that answers",
  }),
  system: setting("--system <text>", "instructions: in place of the persona's, or @FILE", {
    conflicts: "persona",
  }),
  temperature: setting("--temperature <t>", "temperature, 0 to 2 (default: the provider's)"),
};

export const PACK = { pack: text("--pack <id>", "members, strategy and settings of a pack (parley packs)") };
export const JSON_FLAG = { json: flag("--json", "print one JSON object") };
export const MODEL_LIST = {
  dryRun: flag("--dry-run", "dry run: print what a list would change; write nothing"),
  ...JSON_FLAG,
};
export const INIT = {
  yes: flag("-y, --yes", "do not ask: take what is found"),
  project: flag("--project", "write to this project: parley.yaml here, not your own settings"),
};
export const QUIET = { quiet: flag("-q, --quiet", "do not print progress (on stderr)") };
export const DOCTOR = {
  probe: flag("--probe", "call one model of each provider (costs a few tokens)"),
  ...JSON_FLAG,
};
export const MAX_SPENT = {
  maxCostUsd: setting("--max-cost-usd <usd>", "cost limit in USD (hard)"),
  maxTotalTokens: setting("--max-total-tokens <n>", "limit on input and output tokens together (hard)", {
    old: "--max-tokens <n>",
  }),
};
export const LIMITS = {
  ...MAX_SPENT,
  timeout: setting("--timeout <time>", "time limit: 90, 90s, 5m (hard)"),
};
export const USER = { user: setting("--user <name>", "user name: the owner of the memory") };
/** The user that a person's seats belong to. */
export const PERSON = { user: setting("--user <name>", "user name: whose seats these are") };
export const SEATS = {
  seat: repeatable(
    "--seat <who:seat>",
    "take part yourself: me:member, reviewer, judge or tie-break; may be repeated",
  ),
  seatTimeout: setting(
    "--seat-timeout <time>",
    "how long a person's seat waits: 30m, 2d (default: no limit)",
  ),
  ...PERSON,
};
export const SEED = { seed: setting("--seed <text>", "random seed (labels, ordering)") };

export const ENV_FILE = {
  envFile: text("-e, --env-file <file>", "load a .env file (existing variables win)"),
};

export const CODE = {
  code: flag("-x, --code", "print the first code block of the answer alone", {
    conflicts: ["json", "events"],
  }),
};

/** How a run is shown. */
export const SHOWING = {
  ...JSON_FLAG,
  events: flag("--events", "print events, text and the result as lines of JSON", { conflicts: "json" }),
  ...CODE,
  schema: text("--schema <file>", "answer as JSON: in the form of this JSON Schema", {
    conflicts: ["code", "events"],
  }),
  ...QUIET,
  ...ENV_FILE,
  onDegraded: setting("--on-degraded <what>", "accept or refuse (exit 6) a degraded answer"),
};

export const DRY_RUN = { dryRun: flag("--dry-run", "dry run: print calls and cost by phase; call no model") };

/** How the chair writes, by the names of the settings. */
export const STRATEGY = {
  strategy: setting("--strategy <name>", "strategy of the chair (parley strategies), or a file"),
  goal: setting("--goal <text>", "goal of a strategy that needs one, as goal-seeking"),
};
export const CHAIR = { chair: listSetting("--chair <refs>", "chair model, with fallbacks, comma-separated") };
export const MODELS = {
  models: listSetting("-m, --models <refs>", "models, provider/model, comma-separated"),
};
export const MODEL = { model: text("-m, --model <ref>", "model, provider/model", { isList: true }) };
export const REVIEWERS = {
  reviewers: listSetting("--reviewers <refs>", "reviewer models (do not draft)", { old: "--judge <refs>" }),
};
export const SYNTHESIZER = {
  synthesizer: listSetting("--synthesizer <refs>", "model that writes the solution, with fallbacks", {
    old: "--judge <refs>",
  }),
};
export const JUDGE = { judge: listSetting("--judge <ref>", "judge: scores answers from 1 to 5") };
export const MODE = { mode: setting("--mode <mode>", "consensus (the chair writes) or vote (best draft)") };

export const ATTACHMENTS = {
  context: repeatable(
    "--context <files>",
    "attach texts, pictures, PDFs, folders, patterns, https://…, comma-separated (and stdin)",
  ),
};

export const TOOLS = {
  tools: listSetting("--tools <names>", "tools: get_datetime, SERVER/TOOL, SERVER/*, comma-separated"),
  search: setting("--search", "search the web for drafts and revisions, where their models can"),
  searchServer: setting("--search-server <name>", "server of tools (MCP) that searches for the others"),
};
export const FOLDER = text("--folder <dir>", "let models read the files in a folder");

/** What is written of a run, beside what is printed; `forms`: what the whole of it can be written as, by what that is. */
export const runFiles = (forms: Readonly<Record<string, string>>) => ({
  output: text("-o, --output <file>", "output file: the solution, or the whole debate as .json"),
  format: choice(
    "--format <format>",
    `output format: of .json, ${joinWithOr(["parley", ...Object.entries(forms).map(([name, is]) => `${name} (${is})`)])}`,
    ["parley", ...Object.keys(forms)],
  ),
  report: text("--report <file>", "write a report, .md (also without an ending) or .html"),
});
/** The same in the formats of these features. */
export const filesOf = (features: readonly AppFeature[]): FileSet =>
  runFiles(
    Object.fromEntries(
      [...exportForms(features)].flatMap(([name, { whole }]) => (whole === undefined ? [] : [[name, whole]])),
    ),
  );
export type FileSet = ReturnType<typeof runFiles>;

export const CONTINUE = {
  continue: text("--continue [id]", "continue this conversation (default: the newest finished one here)", {
    isRun: true,
  }),
};

export const RETRY = { ...LIMITS, ...DRY_RUN, ...SHOWING };
export const FORK = {
  ...CHAIR,
  ...STRATEGY,
  ...MODE,
  effort: setting("--effort <n>", "depth: 1 to 5, of a run of ask"),
  without: repeatable("--without <member>", "leave a member out; may be repeated"),
  ...RETRY,
};
export const ANSWER = { list: flag("--list", "only list the open questions"), ...SHOWING };
export const RESUME = {
  timeout: setting("--timeout <time>", "time limit: ends the wait, and the run stays open"),
  ...SHOWING,
};
export const SINCE = {
  flags: "--since <time>",
  description: "only runs since: 2026-01-31, or 12h ago",
  schema: Since.optional(),
};
export const EXPORT = {
  format: { ...text("--format <format>", ""), shownDefault: "md" },
  table: {
    ...choice("--table <table>", "what a line of csv is: runs, steps or calls", ["runs", "steps", "calls"]),
    shownDefault: "runs",
  },
  output: text("-o, --output <file>", "output file: overwritten; its ending may name the format"),
  all: flag("--all", "every run: as json, jsonl, csv or local2"),
  since: SINCE,
  config: text("-c, --config <file>", "participants: names and models of agents in a debate's file"),
  debate: text("-d, --debate <debate>", "the same as the argument", { isHidden: true }),
  verbose: flag("-v, --verbose", "accepted for compatibility", { isHidden: true }),
  json: flag("--json", "as --format json, of a debate as its record", { isHidden: true }),
};
export const COST = {
  by: choice("--by <key>", "one row for each (model, protocol, persona, user, key or day; default: model)", [
    ...(["model", "protocol", "persona", "user", "key", "day"] as const),
  ]),
  since: SINCE,
  ...JSON_FLAG,
};
export const FEEDBACK = {
  outcome: choice("--outcome <what>", "what came of the answer: good or bad", ["good", "bad"]),
  second: flag("--second", "the second model's answers: rate one of these"),
  ...JSON_FLAG,
};

export const AGAIN = flag("--again", "ask again what was answered before");
export const LEANS = {
  by: choice("--by <key>", "one row for each (model or persona; default: model)", ["model", "persona"]),
  protocol: text("--protocol <name>", "only runs of this protocol"),
  since: SINCE,
  ...JSON_FLAG,
};
export const WATCH = {
  once: flag("--once", "print the current status and exit"),
  since: {
    flags: "--since <time>",
    description: "only runs since: 90s, 30m, 12h (default: newest 200)",
    schema: Duration.optional(),
  },
  json: flag("--json", "print one JSON object: now, and one for each change"),
  quiet: flag("-q, --quiet", "do not print progress (events)"),
};
export const WORKER = {
  folder: repeatable(
    "--folder <dir>",
    "let models read the files in a folder (that a run names); may be repeated",
  ),
  backfill: flag("--backfill", "start new reactors at the beginning of the journal"),
  quiet: flag("-q, --quiet", "do not print progress (reactions)"),
};
export const SIM_SERVER = {
  port: integer("--port <n>", "port to listen on; 0 takes a free one", { min: 0, max: 65_535, or: 0 }),
  host: { ...text("--host <host>", "address to listen on"), shownDefault: "127.0.0.1" },
};
export const YES = flag("-y, --yes", "do not ask: confirm everything");
export const TRUST = { yes: YES, ...JSON_FLAG };
const STATUSES = RunStatus.options;
export const LIST_RUNS = {
  protocol: text("--protocol <name>", "only runs of this protocol, or bench: its runs, hidden otherwise"),
  status: choice("--status <status>", `only runs with this status: ${STATUSES.join(", ")}`, STATUSES),
  since: SINCE,
  words: text("--words <words>", "only runs whose question has these words", { old: "--search <words>" }),
  limit: integer("-n, --limit <n>", "maximum number (of runs)", { min: 1, max: 10_000, or: 20 }),
  ...JSON_FLAG,
};
export const SHOW = {
  details: flag("--details", "show drafts, reviews and every step too"),
  all: flag("--all", "as --details", { isHidden: true }),
  ...CODE,
  ...JSON_FLAG,
};
