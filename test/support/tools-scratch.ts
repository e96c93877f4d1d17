import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** For tests: a folder `inside`, and one beside it that no tool may see; both are gone when it is disposed of. */
export type Scratch = {
  /** Real paths. */
  readonly inside: string;
  readonly outside: string;
  /** Writes a file, by its path from the folder above the two, and gives its whole path. */
  write(path: string, content: string | Uint8Array): string;
  [Symbol.dispose](): void;
};

/** `files` are put into `inside`. */
export function scratch(files: Readonly<Record<string, string | Uint8Array>> = {}): Scratch {
  const above = realpathSync(mkdtempSync(join(tmpdir(), "parley-tools-")));
  const write = (path: string, content: string | Uint8Array): string => {
    const whole = join(above, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
    return whole;
  };
  const [inside, outside] = [join(above, "inside"), join(above, "outside")];
  mkdirSync(inside);
  mkdirSync(outside);
  for (const [path, content] of Object.entries(files)) write(`inside/${path}`, content);
  return { inside, outside, write, [Symbol.dispose]: () => rmSync(above, { recursive: true, force: true }) };
}
