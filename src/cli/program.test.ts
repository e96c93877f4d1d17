import { expect, it, vi } from "vitest";
import { commandIo } from "../../test/support/command-io.ts";
import { listCommands, longFlag, readOptions } from "./command.ts";
import { optionGroup } from "./help.ts";
import { parseCommandLine } from "./program.ts";
import { allRows } from "./protocol-command.ts";
import { sentences } from "../config/setting-sentences.ts";
import { settingKeys } from "../config/settings.ts";
import { providers } from "../models/providers.ts";

const { io, written } = commandIo({ cwd: "/", env: {} });
const rows = await allRows(io);
const commands = listCommands(rows).map(({ path, command }) => ({ path: path.join(" "), command }));

/** The words of a command line, with what stands in quotation marks as one. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);

it("has no name or older name of a command twice", () => {
  const names = rows.flatMap((row) => [row.name, ...("commands" in row ? [] : (row.aliases ?? []))]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(["ask", "chat", "worker", "react", "test", "story"]));
});

it("says in a list what each command does: a verb first, one clause, at most 60 characters", () => {
  const summaries = [...rows, ...commands.map(({ command }) => command)].map(({ summary }) => summary);
  expect(summaries.filter((text) => text.length > 60 || !/^[A-Z]/.test(text) || text.endsWith("."))).toEqual(
    [],
  );
});

it.each(commands)("gives two examples of $path, which the real parser reads", async ({ path, command }) => {
  expect(command.examples).toHaveLength(2);
  expect(command.examples[0]).not.toBe(command.examples[1]);
  for (const example of command.examples) {
    const parsed = await parseCommandLine(wordsOf(example), io);
    expect(`${example} `.startsWith(`${path} `)).toBe(true);
    expect(parsed?.command.name).toBe(command.name);
    if (parsed) readOptions(parsed.command.options, parsed.given);
  }
});

const paths = [...rows.map(({ name }) => name), ...commands.map(({ path }) => path)];

/** What `--help` prints in a terminal of this width. */
async function helpIn(columns: number, path: string): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const narrow = { ...io, output: { ...io.output, stdout: { ...io.output.stdout, columns } } };
  const words = path.split(" ");
  if (path === "help more") await parseCommandLine(words, narrow);
  else await expect(parseCommandLine([...words, "--help"], narrow)).rejects.toThrow();
  const help = write.mock.calls.map(([text]) => String(text)).join("");
  write.mockRestore();
  return help;
}

it.each([...new Set(paths)])("prints help of parley %s in any width, with two examples", async (path) => {
  const wide = await helpIn(120, path);
  for (const columns of [40, 60, 80, 120]) {
    const help = await helpIn(columns, path);
    expect(help.split("\n").filter((line) => line.length > columns)).toEqual([]);
    expect(help.split(/\s+/)).toEqual(wide.split(/\s+/)); // no word is cut
    expect(help.match(/^ {2}\$ parley .+$/gm)).toHaveLength(2);
  }
  const headings = [...wide.matchAll(/^([A-Z][A-Za-z ]*):$/gm)].map(([, heading]) => heading);
  expect(new Set(headings).size).toBe(headings.length);
});

/** What the program itself prints in a terminal of this width. */
async function printed(columns: number, words: readonly string[]): Promise<string> {
  const own = commandIo({ cwd: "/", env: {} });
  const narrow = { ...own.io, output: { ...own.io.output, stdout: { ...own.io.output.stdout, columns } } };
  expect(await parseCommandLine(words, narrow)).toBeUndefined();
  expect(own.written.stderr).toBe("");
  return own.written.stdout;
}

it("begins with one screen of the commands that most people need", async () => {
  const first = await printed(80, []);
  expect(first.trimEnd().split("\n").length).toBeLessThanOrEqual(24);
  for (const words of [["-h"], ["--help"], ["help"]]) expect(await printed(80, words)).toBe(first);
  const named = rows.filter(({ name, summary }) => first.includes(` ${name} `) && first.includes(summary));
  expect(named.map(({ name }) => name).sort()).toEqual(
    [
      ...["ask", "council", "debate", "chat", "respond", "list", "show", "resume", "fork", "export", "cost"],
      ...["inbox", "bench", "judge", "test", "init", "keys", "models", "doctor", "serve"],
    ].sort(),
  );
});

it.each([[[]], [["help", "settings"]], [["help", "environment"]]])(
  "prints %j in any width, and cuts no word",
  async (words) => {
    const wide = await printed(120, words);
    for (const columns of [40, 60, 80]) {
      const help = await printed(columns, words);
      expect(help.split("\n").filter((line) => line.length > columns)).toEqual([]);
      expect(help.replaceAll(/\s+/g, "")).toBe(wide.replaceAll(/\s+/g, ""));
      const whole = new Set(help.split(/\s+/)); // a word that is longer than the line is cut
      for (const word of wide.split(/\s+/)) if (word.length < columns - 19) expect(whole).toContain(word);
    }
  },
);

it.each(["-V", "--version"])("says its version: %s", async (word) => {
  expect(await printed(80, [word])).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it("tells every setting and every variable, in the words of the reference", async () => {
  const settings = await printed(80, ["help", "settings"]);
  for (const key of settingKeys.keys()) expect(settings).toMatch(new RegExp(`^${key}$`, "m"));
  expect(settings.replaceAll(/\s+/g, " ")).toContain(sentences.maxCostUsd);
  const environment = await printed(80, ["help", "environment"]);
  for (const { keyVariables } of Object.values(providers))
    for (const variable of keyVariables) expect(environment).toContain(variable);
});

it("has the help of a command under help as well, also of one below another, and by an older name", async () => {
  for (const [words, same] of [
    ["help council", "council"],
    ["help serve keys new", "serve keys new"],
    ["help key new", "serve keys new"],
    ["help bench show", "bench show"],
    ["help memory", "memory"],
  ] as const) {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    await expect(parseCommandLine(words.split(" "), io)).rejects.toThrow();
    const help = write.mock.calls.map(([text]) => String(text)).join("");
    write.mockRestore();
    expect(help).toBe(await helpIn(80, same));
  }
  await expect(parseCommandLine(["help", "serve", "nothing"], io)).rejects.toThrow(/is not a command/);
});

it("groups commands, and the options of a command with many", async () => {
  const headings = (help: string) =>
    [...help.matchAll(/^([A-Z][A-Za-z ]*):$/gm)].map(([, heading]) => heading);
  expect(headings(await helpIn(80, "help more"))).toEqual([
    ...["Options", "Ask", "Memory and library", "Runs", "Evaluate", "Setup", "Serve", "Examples"],
  ]);
  const asked = ["Models", "Question", "Method", "Budget", "Output", "Options", "Examples"];
  expect(headings(await helpIn(80, "ask"))).toEqual(asked);
  expect(headings(await helpIn(80, "show"))).toEqual(["Options", "Examples"]);
  for (const { command } of commands) {
    const shown = Object.values(command.options).filter(({ isHidden }) => isHidden !== true);
    const loose = shown.filter(({ flags }) => optionGroup(flags, shown.length) === undefined);
    if (shown.length > 8) expect([command.name, loose.length < 6]).toEqual([command.name, true]);
  }
});

it("names in the list of commands each by its name alone, with what it does on the same line", async () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await parseCommandLine(["help", "more"], io);
  const help = write.mock.calls.map(([text]) => String(text)).join("");
  write.mockRestore();
  for (const { name, summary } of rows)
    expect(help).toMatch(new RegExp(`^ {2}${name} +${summary.replaceAll(/[.*+?()]/g, "\\$&")}$`, "m"));
});

it.each(commands)("reads every option of $path under its key", ({ command }) => {
  const keyOf = (flags: string) =>
    longFlag(flags)
      .replace(/^--(no-)?/, "")
      .replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const keys = Object.entries(command.options).map(([key, { flags }]) => [key, keyOf(flags)]);
  expect(keys.filter(([key, flag]) => key !== flag)).toEqual([]);
});

it("gives a flag one meaning over all commands, and a letter one flag", () => {
  const meanings = new Map<string, Set<string>>();
  const letters = new Map<string, Set<string>>();
  const add = (to: Map<string, Set<string>>, key: string, value: string) =>
    to.set(key, new Set([...(to.get(key) ?? []), value]));
  for (const { command } of commands)
    for (const { flags, description, isHidden } of Object.values(command.options)) {
      if (isHidden === true) continue;
      add(meanings, longFlag(flags), description.split(/[,:(;]/)[0]?.trim() ?? "");
      const letter = /^-(\w),/.exec(flags)?.[1];
      // One model, or several.
      if (letter !== undefined) add(letters, letter, longFlag(flags).replace("--models", "--model"));
    }
  const several = [...meanings, ...letters].filter(([, found]) => found.size > 1);
  expect(several.map(([flag, found]) => [flag, ...found])).toEqual([]);
});

it("reads options as they were written before, with a note, and shows none of these", async () => {
  for (const [line, key, value, note] of [
    ["council Q? --judge sim/a --judge sim/b", "reviewers", "sim/a,sim/b", "--judge is now --reviewers"],
    ["debate Q? --judge sim/a", "synthesizer", "sim/a", "--judge is now --synthesizer"],
    ["ask Q? --max-tokens 9", "maxTotalTokens", "9", "--max-tokens is now --max-total-tokens"],
    ["bench t.jsonl --budget 1", "maxCostUsd", "1", "--budget is now --max-cost-usd"],
    ["eval -d x --model sim/a", "models", "sim/a", "--model is now --models"],
    ["chat --all", "second", true, "--all is now --second"],
  ] as const) {
    const one = commandIo({ cwd: "/", env: {} });
    const parsed = await parseCommandLine(wordsOf(line), one.io);
    expect(parsed?.given).toMatchObject({ [key]: value });
    expect(one.written.stderr).toBe(`${note}\n`);
    expect(Object.keys(parsed?.given ?? {})).not.toContain("judge");
  }
  const now = await parseCommandLine(wordsOf("respond Q? --judge sim/a"), io);
  expect(now?.given).toMatchObject({ judge: "sim/a" });
});

it("takes what commands were called before, with a note, and shows none of it", async () => {
  for (const [line, name, given, note] of [
    ["key new ci", "new", { args: ["ci"] }, "key is now parley serve keys"],
    ["tasks --count 5", "tasks", { given: { count: "5" } }, "tasks is now parley bench tasks"],
    ["benches", "list", {}, "benches is now parley bench list"],
    [
      "benches show ID --json",
      "show",
      { args: ["ID"], given: { json: true } },
      "benches is now parley bench",
    ],
    ["history --limit 3", "list", { given: { limit: "3" } }, "history is now parley votes list"],
    ["league --by model", "league", { given: { by: "model" } }, "league is now parley votes league"],
    ["audit reviewers", "reviewers", {}, "audit is now parley votes"],
    ["estimate Q?", "ask", { given: { dryRun: true } }, "estimate is now parley ask --dry-run"],
    [
      "estimate council Q?",
      "council",
      { given: { dryRun: true } },
      "estimate is now parley council --dry-run",
    ],
    ["estimate fork ID", "fork", { given: { dryRun: true } }, "estimate is now parley fork --dry-run"],
  ] as const) {
    const one = commandIo({ cwd: "/", env: {} });
    const parsed = await parseCommandLine(wordsOf(line), one.io);
    expect(parsed).toMatchObject({ ...given, command: { name } });
    expect(one.written.stderr).toBe(`parley ${note}\n`);
  }
});

it("gives what follows a command to the one below it where one is called so, else to itself", async () => {
  const { io: own } = commandIo({ cwd: "/", env: {} });
  const pathOf = async (line: string) => {
    const parsed = await parseCommandLine(line.split(" "), own);
    return [parsed?.command.name, parsed?.args, parsed?.given["json"]];
  };
  expect(await pathOf("bench tasks.jsonl --json")).toEqual(["bench", ["tasks.jsonl"], true]);
  expect(await pathOf("bench show ID --json")).toEqual(["show", ["ID"], true]);
  expect(await pathOf("serve link")).toEqual(["serve", ["link"], undefined]);
  expect(await pathOf("serve keys list --json")).toEqual(["list", [], true]);
  expect(await pathOf("votes --json")).toEqual(["list", [], true]);
});

it("takes older names, and names the command", async () => {
  const parsed = await parseCommandLine(["story", "a.yaml"], io);
  expect(parsed?.command.name).toBe("test");
  const compared = await parseCommandLine(wordsOf('judge prefer a b --question "Why?" --model sim/j'), io);
  expect(compared?.command.name).toBe("compare");
  expect(written.stdout).toBe("");
});

it("says of a value which option it is of, what is expected, and what was given", async () => {
  const parsed = await parseCommandLine(["list", "--limit", "x"], io);
  expect(() => readOptions(parsed?.command.options ?? {}, parsed?.given ?? {})).toThrow(
    '--limit must be an integer from 1 to 10000 (got "x")',
  );
  const chosen = await parseCommandLine(["export", "ID", "--format", "xml"], io);
  expect(() => readOptions(chosen?.command.options ?? {}, chosen?.given ?? {})).toThrow(
    '--format must be md, html, json, jsonl, csv, adr, debate, dialectic, review, sarif, github or local2 (got "xml")',
  );
});
