import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readFolder } from "./list-files.ts";
import { locate, type Located } from "./sandbox.ts";
import { scratch } from "../../test/support/tools-scratch.ts";

const located = async (root: string, path: string): Promise<Located> => {
  const location = await locate(root, path);
  if (!location.ok) throw new Error(location.reason);
  return location.located;
};

const read = async (folder: Located, most = 100) => {
  const outcome = await readFolder(folder, { most, signal: new AbortController().signal });
  return outcome.ok ? outcome.entries.map(({ name }) => name) : outcome.reason;
};

describe("readFolder", () => {
  it("gives the first entries in order, however many there are", async () => {
    using place = scratch(Object.fromEntries([..."gcahfdbei"].map((name) => [`a/${name}`, ""])));
    const folder = await located(place.inside, "a");
    expect(await read(folder)).toEqual([..."abcdefghi"]);
    for (const most of [1, 2, 4, 9])
      expect(await read(folder, most)).toEqual([..."abcdefghi"].slice(0, most));
  });

  // Invariant SANDBOX-3.
  it("tells nothing of what took the folder's place", async () => {
    using place = scratch({ "a/x": "", "b/y": "" });
    place.write("outside/secret", "");
    const folder = await located(place.inside, "a");
    renameSync(folder.path, join(place.inside, "kept"));
    expect(await read(folder)).toBe("a does not exist");
    symlinkSync(place.outside, folder.path);
    expect(await read(folder)).toBe("a changed while it was being read; ask for it again");
    rmSync(folder.path);
    renameSync(join(place.inside, "b"), folder.path);
    expect(await read(folder)).toBe("a changed while it was being read; ask for it again");
  });

  it("stops for an aborted signal", async () => {
    using place = scratch({ x: "" });
    mkdirSync(join(place.inside, "a"));
    const stop = new Error("stop");
    const folder = await located(place.inside, ".");
    await expect(readFolder(folder, { most: 9, signal: AbortSignal.abort(stop) })).rejects.toBe(stop);
  });
});
