import { expect, it, vi } from "vitest";
import { commandIo } from "../../test/support/command-io.ts";
import { longFlag, readOptions, type Command } from "./command.ts";
import { allRows, parseCommandLine } from "./program.ts";

const { io, written } = commandIo({ cwd: "/", env: {} });
const rows = await allRows(io);
const commands = rows.flatMap((row): { path: string; command: Command }[] =>
  "commands" in row
    ? row.commands.map((command) => ({ path: `${row.name} ${command.name}`, command }))
    : [{ path: row.name, command: row }],
);

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

const paths = ["", ...rows.map(({ name }) => name), ...commands.map(({ path }) => path)];

it.each([...new Set(paths)])("prints help of parley %s in 80 columns, with two examples", async (path) => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await expect(parseCommandLine([...path.split(" ").filter(Boolean), "--help"], io)).rejects.toThrow();
  const help = write.mock.calls.map(([text]) => String(text)).join("");
  write.mockRestore();
  expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(help.match(/^ {2}\$ parley .+$/gm)).toHaveLength(2);
});

it("names in the list of commands each by its name alone, with what it does on the same line", async () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await parseCommandLine([], io);
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
    '--format must be md, html, json, jsonl, csv, adr, debate, dialectic or local2 (got "xml")',
  );
});
