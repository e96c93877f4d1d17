import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nearestAbove, toAbsolute, configFolder, dataFolder, defaultStoreFile } from "./paths.ts";
import { scratch } from "../../test/support/scratch.ts";

const HOME = "/home/ada";
const place = (env: Record<string, string>, platform: NodeJS.Platform = "linux") => ({
  cwd: "/srv/here",
  env: { HOME, ...env },
  platform,
});

describe("where Parley keeps its files", () => {
  it.each([
    ["linux", {}, "/home/ada/.local/share/parley", "/home/ada/.config/parley"],
    ["linux", { XDG_DATA_HOME: "/d", XDG_CONFIG_HOME: "/c" }, "/d/parley", "/c/parley"],
    [
      "linux",
      { XDG_DATA_HOME: "d", XDG_CONFIG_HOME: "" },
      "/home/ada/.local/share/parley",
      "/home/ada/.config/parley",
    ],
    ["linux", { PARLEY_HOME: "/p", XDG_DATA_HOME: "/d", XDG_CONFIG_HOME: "/c" }, "/p", "/p"],
    ["linux", { PARLEY_HOME: "p" }, "/srv/here/p", "/srv/here/p"],
    ["linux", { PARLEY_HOME: "~/p" }, "/home/ada/p", "/home/ada/p"],
    ["linux", { PARLEY_HOME: "" }, "/home/ada/.local/share/parley", "/home/ada/.config/parley"],
    [
      "darwin",
      {},
      "/home/ada/Library/Application Support/parley",
      "/home/ada/Library/Application Support/parley",
    ],
    ["darwin", { XDG_DATA_HOME: "/d" }, "/d/parley", "/home/ada/Library/Application Support/parley"],
    ["win32", { LOCALAPPDATA: "/l", APPDATA: "/r" }, "/l/parley", "/r/parley"],
    ["win32", {}, "/home/ada/AppData/Local/parley", "/home/ada/AppData/Roaming/parley"],
  ] as const)("%s with %j", (...[platform, env, data, config]) => {
    expect(dataFolder(place(env, platform))).toBe(data);
    expect(configFolder(place(env, platform))).toBe(config);
  });

  it("names the store's file in the data home", () => {
    expect(defaultStoreFile(place({ PARLEY_HOME: "/p" }))).toBe("/p/parley.db");
  });

  it("reads ~/ as the home folder, and anything else from the working directory", () => {
    expect(toAbsolute("~/x", place({}))).toBe("/home/ada/x");
    expect(toAbsolute("x", place({}))).toBe("/srv/here/x");
    expect(toAbsolute("/x", place({}))).toBe("/x");
  });
});

describe("where the home folder is not known", () => {
  it.each([
    [{ HOME: "" }, "HOME is empty"],
    [{ HOME: "", USERPROFILE: "" }, "HOME is empty"],
    [{ HOME: "here" }, 'HOME must be an absolute path (got "here")'],
    [{ HOME: "./here", XDG_DATA_HOME: "relative" }, "HOME must be an absolute path"],
    [{ HOME: "", XDG_CONFIG_HOME: "/c" }, "HOME is empty"],
  ])("nothing is kept in the working directory: %j", (env, why) => {
    const files = { cwd: "/srv/here", env, platform: "linux" } as const;
    expect(() => dataFolder(files)).toThrow(why);
    expect(() => toAbsolute("~/x", files)).toThrow("set HOME to your home folder, or PARLEY_HOME");
    expect(nearestAbove("nothing.yaml", files)).toBeUndefined();
  });

  it.each([
    [{ HOME: "", PARLEY_HOME: "/p" }, "/p"],
    [{ HOME: "", XDG_DATA_HOME: "/d" }, "/d/parley"],
    [{ HOME: "", USERPROFILE: "/home/ada" }, "/home/ada/.local/share/parley"],
  ])("another folder that is named will do: %j", (env, folder) => {
    expect(dataFolder({ cwd: "/srv/here", env, platform: "linux" })).toBe(folder);
  });
});

describe("nearestAbove", () => {
  it("takes the nearest, from the working directory up to the home folder", () => {
    using files = scratch({ "parley.yaml": "", "project/a/b/x": "" });
    const cwd = join(files.cwd, "a/b");
    expect(nearestAbove("parley.yaml", { ...files, cwd })).toBe(join(files.home, "parley.yaml"));
    const nearer = files.write("project/a/parley.yaml", "");
    expect(nearestAbove("parley.yaml", { ...files, cwd })).toBe(nearer);
  });

  it("does not look above the root of a git repository", () => {
    using files = scratch({ "parley.yaml": "", "project/.git": "gitdir: elsewhere" });
    mkdirSync(join(files.cwd, "deep"));
    expect(nearestAbove("parley.yaml", { ...files, cwd: join(files.cwd, "deep") })).toBeUndefined();
    const own = files.write("project/parley.yaml", "");
    expect(nearestAbove("parley.yaml", { ...files, cwd: join(files.cwd, "deep") })).toBe(own);
  });

  it("looks at the working directory alone outside of both", () => {
    using files = scratch({ "parley.yaml": "", "project/sub/x": "" });
    const env = { HOME: "/home/nobody" };
    expect(nearestAbove("parley.yaml", { cwd: join(files.cwd, "sub"), env })).toBeUndefined();
    expect(nearestAbove("parley.yaml", { cwd: files.home, env })).toBe(join(files.home, "parley.yaml"));
  });
});
