import { Until } from "../config/duration.ts";
import {
  defineCommand,
  flag,
  integer,
  list,
  negation,
  text,
  type Command,
  type CommandRow,
} from "./command.ts";
import { JSON_FLAG, SIM_SERVER } from "./options.ts";

export const SERVE = {
  host: SIM_SERVER.host,
  port: integer("--port <n>", "port to listen on; 0 takes a free one", { min: 0, max: 65_535, or: 7_317 }),
  basePath: text("--base-path <path>", "path below which it is reached, behind a proxy"),
  publicUrl: list("--public-url <urls>", "URLs at which clients reach it; links begin with the first"),
  maxDrives: integer("--max-drives <n>", "runs driven at a time; more wait in line", {
    ...{ min: 1, max: 1_000, or: 64 },
  }),
  simulated: flag("--simulated", "answer with simulated models where none is configured"),
  page: negation("--no-page", "serve the APIs alone, without the page"),
  ...JSON_FLAG,
};
export const NEW_KEY = {
  scopes: list(
    "--scopes <scopes>",
    "what it may do: read, write, operate, manage (default: the first three)",
  ),
  until: {
    ...{ flags: "--until <when>", description: "end early: on a day, or after a time such as 90d" },
    schema: Until.optional(),
  },
  maxCostUsd: text("--max-cost-usd <usd/day>", "cost limit in USD, of its runs a day (UTC): 5/day"),
  maxCalls: text("--max-calls <n/day>", "most model calls of its runs a day: 100/day"),
  maxRequests: text("--max-requests <n/minute>", "most requests a minute: 60/minute"),
  atOnce: integer("--at-once <n>", "runs under way at a time", { min: 1, max: 1_000 }),
  models: list("--models <refs>", "models, as provider/model: those that it may name"),
  ...JSON_FLAG,
};

const CLIENT_KEYS: readonly Command[] = [
  defineCommand("new <name>", "Make a key for a program, shown once", {
    details: "Send it as Authorization: Bearer KEY, or as x-api-key. Only its digest is kept.",
    options: NEW_KEY,
    examples: [
      "serve keys new ci --max-cost-usd 5/day --max-calls 100/day --at-once 8",
      "serve keys new editor --scopes read,write,manage --until 90d",
    ],
    run: async (io, given, [name = ""]) =>
      (await import("./commands/client-keys.ts")).create(io, given, name),
  }),
  defineCommand("list", "List keys and browsers' sessions, never a secret", {
    options: JSON_FLAG,
    examples: ["serve keys list", "serve keys list --json"],
    run: async (io, given) => (await import("./commands/client-keys.ts")).list(io, given),
  }),
  defineCommand("revoke <key>", "Revoke a key or a session by its name or id, at once", {
    examples: ["serve keys revoke ci", "serve keys revoke k7mq2vx9bhtd"],
    run: async (io, _given, [key = ""]) => (await import("./commands/client-keys.ts")).revoke(io, key),
  }),
];

/** The commands of servers, and of their clients. */
export const SERVER_COMMANDS: readonly CommandRow[] = [
  defineCommand("serve [link]", "Serve runs over HTTP: its own API, OpenAI's, and MCP", {
    details:
      "Prints to a terminal a link that signs browsers in for ten minutes; parley serve link prints a new one, to the server over " +
      "this store that started last. Programs send a key (parley serve keys new NAME). Ctrl-C lets what runs reach a recorded step; the " +
      "next start goes on with it.",
    options: SERVE,
    examples: ["serve --port 8080 --base-path /parley/", "serve link"],
    run: async (io, given, [what]) => (await import("./commands/serve.ts")).serve(io, given, what),
    commands: [
      { name: "keys", summary: "Make, list and revoke keys of the server's clients", commands: CLIENT_KEYS },
    ],
  }),
];
