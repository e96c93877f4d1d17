import { afterAll, beforeAll, expect, it } from "vitest";
import { commandIo } from "../../test/support/command-io.ts";
import { scratch, type Scratch } from "../../test/support/scratch.ts";
import { defineModel } from "../models/define-model.ts";
import { noteError } from "./errors.ts";
import { EXIT } from "./exits.ts";
import { parseCommandLine } from "./program.ts";

const SCHEMA = JSON.stringify({
  ...{ type: "object", properties: { sum: { type: "integer" } } },
  required: ["sum"],
});
const CODE = "Run this:\n\n```js\nconst a = `x`;\n\n```\nand then\n```sh\nnode a.js\n```\n";

// Nothing is piped in: what was read once cannot be read again.
const { isTTY } = process.stdin;
beforeAll(() => void (process.stdin.isTTY = true));
afterAll(() => void (process.stdin.isTTY = isTTY));

/** What a command line comes to, with models of a feature: `code` answers with code, `prose` with none; `never` has no other form. */
async function run({ cwd, env }: Scratch, ...args: readonly string[]) {
  const answering = (prose: string, form: string) =>
    defineModel(({ messages }) => (messages.at(-1)?.text.includes("JSON Schema:") ? form : prose));
  const models = {
    "mine/code": answering(CODE, '{"sum":4}'),
    "mine/prose": answering("It is four.", 'Here: {"sum":4}'),
    "mine/cut": answering("Run this:\n\n```js\nconst a = 1", "{}"),
    "mine/list": answering("1. Run this:\n\n   ```py\n   def f():\n       return 1\n   ```\n", "{}"),
    "mine/never": answering("It is four.", '{"sum":"four"}'),
  };
  const { io, written } = commandIo({ cwd, env });
  const all = { ...io, features: [...(io.features ?? []), { name: "mine", models }] };
  const exit = await parseCommandLine([...args], all)
    .then((parsed) => parsed?.command.run(all, parsed.given, parsed.args))
    .catch((error: unknown) => {
      noteError(all, error);
      return EXIT.usage;
    });
  return { exit, ...written };
}

it("prints the value alone, of every command that asks, and says why there is none", async () => {
  using place = scratch({ "project/sum.json": SCHEMA, "project/no.json": '{"type":"what"}' });
  for (const name of ["ask", "council", "debate", "respond"]) {
    const models = name === "respond" ? ["-m", "mine/prose"] : ["--models", "mine/prose,mine/prose"];
    const { exit, stdout, stderr } = await run(
      place,
      name,
      "What is 2 + 2?",
      ...models,
      "--schema",
      "sum.json",
      "-q",
    );
    expect([name, exit, stdout, exit === 0 ? "" : stderr]).toEqual([name, 0, '{\n  "sum": 4\n}\n', ""]);
  }
  const asked = ["respond", "What is 2 + 2?", "--schema"] as const;
  const json = await run(place, ...asked, "sum.json", "-m", "mine/prose", "--json");
  expect(JSON.parse(json.stdout)).toMatchObject({ answer: "It is four.", value: { sum: 4 } });
  const never = await run(place, ...asked, "sum.json", "-m", "mine/never");
  expect([never.exit, never.stdout]).toEqual([1, ""]);
  expect(never.stderr).toMatch(
    /could not be written in the form that was asked for: sum: .*\nTry: parley show /,
  );
  const neverJson = await run(place, ...asked, "sum.json", "-m", "mine/never", "--json");
  expect([neverJson.exit, JSON.parse(neverJson.stdout)]).toMatchObject([1, { value: null }]);
  // Nothing is asked where the file has no schema.
  const none = await run(place, ...asked, "no.json", "-m", "mine/prose");
  expect([none.exit, none.stdout]).toEqual([2, ""]);
  expect(none.stderr).toMatch(/no\.json is no JSON Schema: /);
  expect((await run(place, "list")).stdout.match(/What is 2/g)).toHaveLength(7);
  // A recorded run's answer, too.
  const resumed = await run(place, "resume", "last", "--schema", "sum.json", "-q");
  expect([resumed.exit, resumed.stdout]).toEqual([1, ""]);
});

it("prints the first code block alone, of show as well, and nothing where there is none", async () => {
  using place = scratch({});
  const code = await run(place, "respond", "Write it", "-m", "mine/code", "-x");
  expect([code.exit, code.stdout], code.stderr).toEqual([0, "const a = `x`;\n"]);
  expect(code.stderr).toMatch(/The first of 2 code blocks\. All: parley show \w+\n/);
  const shown = await run(place, "show", "last", "-x");
  expect([shown.exit, shown.stdout]).toEqual([0, "const a = `x`;\n"]);
  const prose = await run(place, "respond", "Write it", "-m", "mine/prose", "-x");
  expect([prose.exit, prose.stdout]).toEqual([1, ""]);
  expect(prose.stderr).toMatch(/the answer has no code block\.\nTry: parley show \w+\n$/);
  expect((await run(place, "respond", "Write it", "-x", "--json")).exit).toBe(2);
  const listed = await run(place, "respond", "Write it", "-m", "mine/list", "-x", "-q");
  expect(listed.stdout).toBe("def f():\n    return 1\n");
  const cut = await run(place, "respond", "Write it", "-m", "mine/cut", "-x", "-q");
  expect([cut.exit, cut.stdout]).toEqual([1, ""]);
  expect(cut.stderr).toMatch(/the answer's first code block has no end\.\nTry: parley show /);
});

it.each([["-x"], ["--schema", "sum.json"]])(
  "prints nothing where nobody answered for all: %s",
  async (...part) => {
    using place = scratch({ "project/sum.json": SCHEMA });
    const voted = ["council", "What is 2 + 2?", "--models", "mine/prose,mine/code", "--mode", "vote"];
    const tied = await run(place, ...voted, ...part, "-q");
    expect([tied.exit, tied.stdout]).toEqual([7, ""]);
  },
);
