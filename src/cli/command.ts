import type { Output } from "./output.ts";

/** What every command gets. */
export type Io = {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
};

/** A command's own module: loaded when it is used. */
export type CommandModule = {
  run(io: Io, args: readonly string[], flags: Readonly<Record<string, unknown>>): Promise<number>;
};
