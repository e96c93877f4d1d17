import { compileFunction } from "node:vm";
import { parseAst } from "vite";
import { describe, expect, it } from "vitest";
import { deferSchemas } from "../scripts/lazy-schemas.mjs";

// What the build makes of a chunk's schemas: they are made when they are asked for, once, and everything else stays as it is.

const HEAD = 'const zod = require("./parley-zod-12345678.cjs");\n';

/** What a chunk exports once its schemas are deferred, and which schemas have been made so far. */
function run(code: string) {
  const made: string[] = [];
  const make = (name: string) => {
    made.push(name);
    return { name, optional: () => make(`${name}?`), fits: (value: unknown) => value === name };
  };
  const deferred = deferSchemas(HEAD + code, "parley-zod-", parseAst(HEAD + code));
  const exported: Record<string, () => unknown> = {};
  const evaluate = compileFunction(deferred ?? HEAD + code, ["require", "exports"]);
  evaluate(() => ({ make }), exported);
  return { made, exported, deferred };
}

describe("deferSchemas", () => {
  it("makes a schema when it is first asked for, with those that it is made of", () => {
    const { made, exported } = run(
      'const Name = zod.make("name"); const Other = zod.make("other"); const Maybe = Name.optional();\n' +
        "exports.maybe = () => Maybe; exports.fits = (Value) => Name.fits(Value);",
    );
    expect(made).toEqual([]);
    expect(exported["maybe"]?.()).toBe(exported["maybe"]?.());
    expect(made).toEqual(["name", "name?"]);
    expect(run('const Name = zod.make("a"); exports.fits = () => Name.fits("a");').exported["fits"]?.()).toBe(
      true,
    );
  });

  it("finds a name wherever it stands for the schema, and nowhere else", () => {
    const { exported, made } = run(
      'const Name = zod.make("name"); const fields = { Name, "of": zod.make("of"), n: 1 };\n' +
        "exports.all = () => [{ Name }.Name === Name, { Name: 1 }.Name, fields.Name === Name, { [Name.name]: 2 }.name];\n" +
        "exports.of = () => [...Object.keys(fields), { ...fields }.n, { ...fields }.of === fields.of];",
    );
    expect(made).toEqual([]);
    expect(exported["all"]?.()).toEqual([true, 1, true, 2]);
    expect(made).toEqual(["name"]);
    expect(exported["of"]?.()).toEqual(["Name", "of", "n", 1, true]);
    expect(made).toEqual(["name", "of"]);
  });

  it("leaves alone what may mean something else in a function, and what is no schema", () => {
    const { exported, made } = run(
      'const text = zod.make("text"); const size = Math.max(1, 2);\n' +
        "exports.own = () => { const text = 1; return [text, size]; }; exports.it = () => text.name;",
    );
    expect(made).toEqual(["text"]);
    expect(exported["own"]?.()).toEqual([1, 2]);
    expect(exported["it"]?.()).toBe("text");
    expect(run("exports.a = () => 1;").deferred).toBeNull();
  });
});
