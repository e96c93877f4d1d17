import { withProtocols } from "../../src/app/registry.ts";
import { isCommand, type Command, type Io } from "../../src/cli/command.ts";
import { COMMANDS, writingCommands } from "../../src/cli/commands.ts";
import { features } from "../../src/features.ts";

/** What a command has written. */
export type Written = { stdout: string; stderr: string };

/** What a command gets where it is run from a test, and what it writes there; nothing is a terminal. */
export function commandIo(place: Pick<Io, "cwd" | "env">): { readonly io: Io; readonly written: Written } {
  const written = { stdout: "", stderr: "" };
  const face = { terminal: false, color: false, columns: 80 };
  return {
    written,
    io: {
      output: {
        result: (text) => Promise.resolve(void (written.stdout += text)),
        note: (text) => void (written.stderr += `${text}\n`),
        stdout: face,
        stderr: face,
      },
      env: place.env,
      cwd: place.cwd,
      ...{ features, protocols: withProtocols([], features) },
    },
  };
}

/** The command of this name, as the program runs it. */
export function commandNamed(name: string): Command {
  const command = [...COMMANDS, ...writingCommands(features)].find(
    (one) => one.name === name || one.aliases?.includes(name),
  );
  if (!command || !isCommand(command)) throw new Error(`there is no command ${name}`);
  return command;
}
