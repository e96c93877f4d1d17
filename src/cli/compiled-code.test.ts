import { expect, it } from "vitest";
import { compiledHome } from "./compiled-code.ts";

it.each([
  [{}, "/home/ada/.cache/parley/compiled"],
  [{ XDG_CACHE_HOME: "/caches" }, "/caches/parley/compiled"],
  [{ XDG_CACHE_HOME: "relative" }, "/home/ada/.cache/parley/compiled"],
  [{ XDG_CACHE_HOME: "/caches", PARLEY_HOME: "/p" }, "/p/compiled"],
  [{ PARLEY_HOME: "" }, "/home/ada/.cache/parley/compiled"],
])("keeps compiled code with %j in %s", (env, folder) => {
  expect(compiledHome(env, "/home/ada")).toBe(folder);
});
