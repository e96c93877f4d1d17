import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRegularFile } from "./file-read.ts";
import { locate, type Located } from "./sandbox.ts";
import { scratch } from "../../test/support/tools-scratch.ts";

const located = async (root: string, path: string): Promise<Located> => {
  const location = await locate(root, path);
  if (!location.ok) throw new Error(location.reason);
  return location.located;
};

const read = async (file: Located, most = 1_000_000) => {
  const outcome = await readRegularFile(file, { most, signal: new AbortController().signal });
  return outcome.ok ? new TextDecoder().decode(outcome.bytes) : outcome.reason;
};

const changed = "a/x.txt changed while it was being read; ask for it again";

// Invariant SANDBOX-3: each of these comes between the look at the path and the opening.
describe("readRegularFile, where something else took the file's place", () => {
  it("refuses another file", async () => {
    using place = scratch({ "a/x.txt": "old" });
    const file = await located(place.inside, "a/x.txt");
    // Both exist at a time, so that they cannot have one inode.
    place.write("inside/a/y.txt", "new");
    renameSync(join(place.inside, "a/y.txt"), file.path);
    expect(await read(file)).toBe(changed);
  });

  it("refuses a link to the outside, in place of the file and of its folder", async () => {
    using place = scratch({ "a/x.txt": "old" });
    const secret = place.write("outside/x.txt", "secret");
    const file = await located(place.inside, "a/x.txt");
    renameSync(file.path, join(place.inside, "a/kept"));
    symlinkSync(secret, file.path);
    expect(await read(file)).toBe(changed);
    rmSync(file.path);
    // The same words, whether there is something outside or not (SANDBOX-2).
    symlinkSync(join(place.outside, "none"), file.path);
    expect(await read(file)).toBe(changed);
    renameSync(join(place.inside, "a"), join(place.inside, "b"));
    symlinkSync(place.outside, join(place.inside, "a"));
    expect(await read(file)).toBe(changed);
  });

  it("refuses the same file by way of another folder", async () => {
    using place = scratch({ "a/x.txt": "old" });
    const file = await located(place.inside, "a/x.txt");
    linkSync(file.path, join(place.outside, "x.txt"));
    renameSync(join(place.inside, "a"), join(place.inside, "b"));
    symlinkSync(place.outside, join(place.inside, "a"));
    expect(await read(file)).toBe(changed);
  });

  it("refuses a FIFO without waiting for a writer", async ({ skip }) => {
    skip(process.platform === "win32", "Windows has no named pipes in the file system");
    using place = scratch({ "a/x.txt": "old" });
    const file = await located(place.inside, "a/x.txt");
    rmSync(file.path);
    execFileSync("mkfifo", [file.path]);
    expect(await read(file)).toBe(changed);
    // As if it had been taken for a file all along.
    const { identity } = await located(place.inside, "a/x.txt");
    expect(await read({ ...file, identity })).toBe(changed);
  });

  it("refuses a folder, and what is gone", async () => {
    using place = scratch({ "a/x.txt": "old" });
    const file = await located(place.inside, "a/x.txt");
    rmSync(file.path);
    expect(await read(file)).toBe("a/x.txt does not exist");
    mkdirSync(file.path);
    expect(await read(file)).toBe(changed);
  });
});

describe("readRegularFile", () => {
  it("reads a file of the most bytes and refuses one more, whatever it said of its size", async ({
    skip,
  }) => {
    using place = scratch({ most: "x".repeat(200_000), more: "x".repeat(200_001) });
    expect(await read(await located(place.inside, "most"), 200_000)).toBe("x".repeat(200_000));
    const tooLarge = "has more than 0.2 MB, which is the most that is read";
    expect(await read(await located(place.inside, "more"), 200_000)).toBe(`more ${tooLarge}`);
    const huge = place.write("inside/huge", "");
    truncateSync(huge, 2 ** 40);
    expect(await read(await located(place.inside, "huge"), 200_000)).toBe(`huge ${tooLarge}`);
    skip(process.platform !== "linux", "only Linux has files that say they are empty and are not");
    expect(await read(await located("/proc", "version"), 10)).toBe(
      "version has more than 0.00001 MB, which is the most that is read",
    );
  });

  it("stops for an aborted signal", async () => {
    using place = scratch({ x: "text" });
    const file = await located(place.inside, "x");
    const stop = new Error("stop");
    await expect(readRegularFile(file, { most: 10, signal: AbortSignal.abort(stop) })).rejects.toBe(stop);
  });

  it("leaves no file open, however it ends", async ({ skip }) => {
    skip(process.platform !== "linux", "only Linux lists the open files of a process");
    using place = scratch({ x: "text", y: "other" });
    const [x, y] = [await located(place.inside, "x"), await located(place.inside, "y")];
    expect(await read(x)).toBe("text");
    expect(await read(x, 1)).toBe("x has more than 0.000001 MB, which is the most that is read");
    expect(await read({ ...x, identity: y.identity })).toBe(
      "x changed while it was being read; ask for it again",
    );
    await readRegularFile(x, { most: 10, signal: AbortSignal.abort() }).catch(() => {});
    const open = readdirSync("/proc/self/fd").map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return ""; // the one that the list was read with
      }
    });
    expect(open.length).toBeGreaterThan(0);
    expect(open.filter((path) => path.startsWith(place.inside))).toEqual([]);
  });
});
