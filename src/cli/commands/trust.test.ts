import { join } from "node:path";
import { expect, it } from "vitest";
import { commandIo, commandNamed } from "../../../test/support/command-io.ts";
import { scratch, type Scratch } from "../../../test/support/scratch.ts";
import { noteError } from "../errors.ts";
import { EXIT } from "../exits.ts";

async function ran(
  [name, ...args]: readonly [name: string, ...args: string[]],
  { cwd, env, home }: Scratch,
  given = {},
) {
  const { io, written } = commandIo({ cwd, env });
  let code: number | undefined;
  try {
    code = await commandNamed(name).run(io, given, args);
  } catch (error) {
    noteError(io, error);
  }
  return { code, text: `${written.stdout}${written.stderr}`.replaceAll(home, "HOME") };
}

it("shows what a project names, records it, and runs refuse before that with the command that does", async () => {
  using place = scratch({ "project/it's mine/parley.yaml": "models: openai/gpt-5\nstore: ':memory:'" });
  const there = { ...place, cwd: join(place.cwd, "it's mine") };
  const refused = await ran(["list"], there, { limit: "1" });
  expect(refused.text).toBe(
    "parley: HOME/project/it's mine/parley.yaml is not trusted as it is now, and names models: openai/gpt-5, store: :memory:.\n" +
      "Try: parley trust 'HOME/project/it'\\''s mine/parley.yaml'\n",
  );
  const trusted = await ran(["trust"], there);
  expect(trusted).toEqual({
    code: EXIT.answered,
    text:
      "HOME/project/it's mine/parley.yaml\n  models: openai/gpt-5\n  store: :memory:\n" +
      "Trusted as they are now; a file that changes has to be trusted again\n",
  });
  expect((await ran(["list"], there, { limit: "1" })).code).toBe(EXIT.answered);
});

it("says so where there is nothing to trust, and prints what a file names as JSON", async () => {
  using place = scratch({ "project/parley.yaml": "effort: 2" });
  expect((await ran(["trust"], place)).text).toBe("Nothing here needs to be trusted\n");
  place.write("project/parley.yaml", 'judge: openai/gpt-5\nuser: "ada"');
  const { text } = await ran(["trust"], place, { json: true });
  expect(JSON.parse(text.slice(0, text.lastIndexOf("]") + 1))).toEqual([
    { path: "HOME/project/parley.yaml", names: ["judge: openai/gpt-5", "user: ada"] },
  ]);
});

it("shows nothing that would act on the screen", async () => {
  using place = scratch({
    "project/parley.yaml": 'compatible: {x: {url: "http://h/\\e]0;title\\a\\u009b31m\\u202e"}}',
  });
  expect((await ran(["trust"], place)).text).toMatch(/^[^\p{Cc}\u202e]+\n {2}[^\p{Cc}\u202e]+\n[^\n]+\n$/u);
});

it("takes a file that is named", async () => {
  const agents = [
    { id: "a", name: "A", role: "architect", model: "gpt-5", provider: "openai", systemPromptPath: "/etc/x" },
  ];
  using place = scratch({ "project/sub/debate.json": JSON.stringify({ agents }) });
  expect((await ran(["trust", "sub/debate.json"], place)).text).toContain(
    "HOME/project/sub/debate.json\n  systemPromptPath: /etc/x\n  model: openai/gpt-5\n",
  );
  expect((await ran(["trust", "sub/nope.json"], place)).text).toContain("does not exist");
});
