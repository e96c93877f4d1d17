import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { Fault } from "../kernel/index.ts";
import type { Io } from "./command.ts";

/** The same with what an `--env-file` sets; what is set already stands. @throws Fault `configuration` for a file that cannot be read */
export function withEnvFile(io: Io, flags: Readonly<Record<string, unknown>>): Io {
  const file = flags["envFile"];
  if (typeof file !== "string") return io;
  try {
    return { ...io, env: { ...parseEnv(readFileSync(resolve(io.cwd, file), "utf8")), ...io.env } };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new Fault("configuration", {
      why: `the env file ${file} cannot be read (${code})`,
      next: "name another, or set the variables yourself",
    });
  }
}
