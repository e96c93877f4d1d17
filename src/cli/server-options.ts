import { Until } from "../config/duration.ts";
import { integer, list, text } from "./command.ts";
import { JSON_FLAG, SIM_SERVER } from "./options.ts";

export const SERVE = {
  host: SIM_SERVER.host,
  port: integer("--port <n>", "port to listen on; 0 takes a free one", { min: 0, max: 65_535, or: 7_317 }),
  basePath: text("--base-path <path>", "path below which it is reached, behind a proxy"),
  publicUrl: text("--public-url <url>", "URL at which clients reach it, behind a proxy"),
  maxDrives: integer("--max-drives <n>", "runs driven at a time; more wait in line", {
    ...{ min: 1, max: 1_000, or: 64 },
  }),
  ...JSON_FLAG,
};
export const NEW_KEY = {
  scopes: list("--scopes <scopes>", "what it may do: read, write (default: both)"),
  until: {
    ...{ flags: "--until <when>", description: "end early: on a day, or after a time such as 90d" },
    schema: Until.optional(),
  },
  ...JSON_FLAG,
};
