import { describe, expect, it } from "vitest";
import { commandIo } from "../../test/support/command-io.ts";
import { scratch } from "../../test/support/scratch.ts";
import { isFault } from "../kernel/index.ts";
import { parseCommandLine } from "./program.ts";

/** What a command line comes to: its command and arguments, or what is refused. */
async function read(...argv: string[]) {
  using place = scratch({
    "project/b.md": "",
    "project/Makefile": "",
    "project/docs/c.md": "",
    "project/my notes.md": "",
  });
  try {
    const parsed = await parseCommandLine(argv, commandIo(place).io);
    return [parsed?.command.name, ...(parsed?.args ?? [])].join("|");
  } catch (error) {
    if (isFault(error, "configuration")) return `${error.details.why} => ${error.details.next}`;
    throw error;
  }
}

const notCommand = (word: string, next: string, shown = word) =>
  `${JSON.stringify(word)} is not a command. To ask it as a question: parley ask ${shown} => ${next}`;

it.each([
  [["--models", "sim/ada", "list"], "list", "parley list, and the options behind it"],
  [["-q", "ask", "What is 17 * 23?"], "ask", "parley ask 'What is 17 * 23?', and the options behind it"],
])("options stand behind a command: %j", async (argv, word, next) => {
  expect(await read(...argv)).toBe(
    `options stand behind a command, and ${JSON.stringify(word)} is one => ${next}`,
  );
});

describe("a bare word", () => {
  it.each([
    ["runs", "parley list"],
    ["version", "parley --version"],
    ["HELP", "parley --help"],
    ["quit", "parley --help"],
    ["setup", "parley init"],
    ["login", "parley keys set"],
    ["list-all", "parley list"],
    ["Show", "parley show"],
    ["lsit", "parley list"],
    ["histroy", "parley votes list"],
    ["counsil", "parley council"],
    ["42", "parley --help"],
    ["Hello!", "parley --help", "'Hello!'"],
    ["list?", "parley list", "'list?'"],
    ["kill", "parley cancel"],
    ["Why?", "parley --help", "'Why?'"],
    ["?", "parley --help", "'?'"],
    ["it's", "parley --help", "'it'\\''s'"],
  ])("%s is not asked", async (word, next, shown = word) => {
    expect(await read(word)).toBe(notCommand(word, next, shown));
    expect(await read(word, "--json")).toBe(notCommand(word, next, shown));
    expect(await read("--models", "sim/ada", word, "-q")).toBe(notCommand(word, next, shown));
  });

  it.each([
    [["ask", "runs"], "ask|runs"],
    [["--", "runs"], "ask|runs"],
    [["council", "HELP"], "council|HELP"],
    [["Is it so?"], "ask|Is it so?"],
    [["什么是量子计算"], "ask|什么是量子计算"],
    [["one word more"], "ask|one word more"],
    [["list primes"], "ask|list primes"],
    [["ask", "can", "pigs", "fly"], "ask|can|pigs|fly"],
    [["-"], "ask|-"],
    [["--", "b.md"], "ask|b.md"],
    [["Use TCP/IP or not?"], "ask|Use TCP/IP or not?"],
    [["--", "tabs", "and/or", "spaces?"], "ask|tabs|and/or|spaces?"],
    [["Explain the Makefile"], "ask|Explain the Makefile"],
    [["--models", "a/b,c/d", "--models", "e/f", "Is it?"], "ask|Is it?"],
  ])("%j is read as %s", async (argv, expected) => expect(await read(...argv)).toBe(expected));

  it.each([
    ["kill", "x7Kq2"],
    ["git", "status"],
    ["inspect", "x7Kq2"],
    ["compare", "x7Kq2", "b8Lr3"],
    ["set", "key", "openai"],
    ["new", "chat", "-q"],
    ["prices", "update", "--json"],
    ["can", "pigs", "fly"],
    ["Is it?", "really"],
  ])("and several without quotation marks are not asked: %s %s (MONEY-1)", async (...argv) => {
    const words = argv.filter((word) => !word.startsWith("-")).join(" ");
    const said = await read(...argv);
    expect(said).toMatch(
      /is not a command\. To ask it|several words without quotation marks are no question/,
    );
    expect(said).toContain(`'${words}'`);
  });

  it("with another word is refused where it is what people type for a command", async () => {
    expect(await read("auth", "set")).toBe(notCommand("auth", "parley keys set", "'auth set'"));
    expect(await read("shwo", "whx3")).toBe(notCommand("shwo", "parley show whx3", "'shwo whx3'"));
  });
});

describe("a file or a model among the words", () => {
  const quotation = "or put the whole question in quotation marks";
  const file = (name: string, next: string) => `"${name}" is a file, not a word of the question => ${next}`;
  const model = (name: string, next: string) => `"${name}" is a model, not a word of the question => ${next}`;
  it.each([
    [["Is it?", "--context", "a.md", "b.md"], file("b.md", `--context a.md,b.md; ${quotation}`)],
    [["Is it?", "--context", "a.md", "docs"], file("docs", `--context a.md,docs; ${quotation}`)],
    [["Is it?", "--context", "a.md,", "b.md"], file("b.md", `--context a.md,b.md; ${quotation}`)],
    [["Is it?", "docs/"], file("docs/", `--context docs/; ${quotation}`)],
    [["ask", "Makefile"], file("Makefile", `--context Makefile; ${quotation}`)],
    [["council", "Why?", "my notes.md"], file("my notes.md", `--context 'my notes.md'; ${quotation}`)],
    [["respond", "Why?", "docs/c.md"], file("docs/c.md", `--context docs/c.md; ${quotation}`)],
    [["debate", "b.md"], file("b.md", `-p b.md, or --context b.md; ${quotation}`)],
    [["ask", "--context", "a.md", "b.md", "--", "Is it?"], file("b.md", `--context a.md,b.md; ${quotation}`)],
    [["Is it?", "--models", "sim/a", "sim/b"], model("sim/b", `--models sim/a,sim/b; ${quotation}`)],
    [["-m", "x/a,", "x/b", "Is it?"], model("x/b", `--models x/a,x/b; ${quotation}`)],
    [["ask", "--models", "a/b", "c/d,e/f", "Is it?"], model("c/d", `--models a/b,c/d,e/f; ${quotation}`)],
    [["council", "openai/gpt-5", "Is it?"], model("openai/gpt-5", `--models openai/gpt-5; ${quotation}`)],
    [["Is it?", "--chair", "x/a", "x/b"], model("x/b", `--chair x/a,x/b; ${quotation}`)],
    [
      ["respond", "--model", "x/a", "x/b", "Is it?"],
      model("x/b", "parley council --models x/a,x/b asks several; --model takes one"),
    ],
  ])("%j", async (argv, expected) => expect(await read(...argv)).toBe(expected));
});

it("joins what options with lists are given", async () => {
  using place = scratch({});
  const given = async (...argv: string[]) => (await parseCommandLine(argv, commandIo(place).io))?.given;
  expect(await given("ask", "x", "-m", "a/b", "--models", "c/d,e/f")).toMatchObject({
    models: "a/b,c/d,e/f",
  });
  expect(await given("ask", "x", "--context", "a", "--context", "b,c")).toMatchObject({
    context: ["a", "b,c"],
  });
  expect(await given("bench", "x", "--arms", "ask", "--arms", "council")).toMatchObject({
    arms: "ask,council",
  });
});
