import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isFault } from "../../src/kernel/index.ts";
import type { Environment, FileContext } from "../../src/config/paths.ts";

/** For tests: a home folder of its own with a project in it, gone when it is disposed of. */
export type Scratch = FileContext & {
  readonly home: string;
  write(path: string, text: string | Uint8Array): string;
  [Symbol.dispose](): void;
};

/** `cwd` is `HOME/project`; the user's settings are in `HOME/.config/parley`. Nothing of this process's environment is in it, and its files are trusted. */
export function scratch(files: Readonly<Record<string, string>> = {}, env: Environment = {}): Scratch {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "parley-config-")));
  const write = (path: string, text: string | Uint8Array): string => {
    const full = join(home, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  mkdirSync(join(home, "project"));
  for (const [path, text] of Object.entries(files)) write(path, text);
  return {
    home,
    cwd: join(home, "project"),
    env: { HOME: home, ...env },
    platform: "linux",
    trusts: () => true,
    write,
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** For tests: the message with which something refuses as a matter of configuration, `HOME` in place of the scratch folder. */
export async function refusalOf(action: () => unknown, { home }: Pick<Scratch, "home">): Promise<string> {
  try {
    await action();
  } catch (error) {
    if (isFault(error, "configuration") || isFault(error, "untrusted"))
      return error.message.replaceAll(home, "HOME");
    throw error;
  }
  throw new Error("it was not refused");
}
