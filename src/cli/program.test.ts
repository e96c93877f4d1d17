import { expect, it } from "vitest";
import { COMMANDS } from "./command-rows.ts";

it("has no name or older name of a command twice", () => {
  const names = COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(["worker", "react", "test", "story"]));
});
