import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/** The folders that a process may read for models. An opening on a shared store names a folder of whoever opened it. */
export type Folders = {
  /** Allows a folder and what is in it. */
  add(folder: string): void;
  /** True if a folder is allowed, links followed. */
  allows(folder: string): Promise<boolean>;
};

export function createFolders(): Folders {
  const allowed = new Set<string>();
  return {
    add: (folder) => void allowed.add(resolve(folder)),
    async allows(folder) {
      const asked = await realpath(folder).catch(() => undefined);
      if (asked === undefined) return false;
      for (const one of allowed) {
        const root = await realpath(one).catch(() => undefined);
        if (root !== undefined && isWithin(root, asked)) return true;
      }
      return false;
    },
  };
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
