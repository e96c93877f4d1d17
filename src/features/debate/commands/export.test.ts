import { withProtocols } from "../../../app/registry.ts";
import { features } from "../../../features.ts";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse as parseCsv } from "csv-parse/sync";
import * as z from "zod";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSettings } from "../../../config/sources.ts";
import { openStore } from "../../../stores/index.ts";
import { DebateRecord } from "../protocol/debate/view/record.ts";
import { debateRecord } from "../protocol/debate/view/debated.ts";
import { debateHtml } from "../app/exports.ts";
import { debateMarkdown } from "../app/exports.ts";
import { degradedCouncil, type Sample } from "../../../../test/support/sample-council.ts";
import { sampleDebate } from "../../../../test/support/sample-debate.ts";
import type { Io } from "../../../cli/command.ts";
import { EXIT, exitOfError } from "../../../cli/exits.ts";
import { DeliberationId } from "../../../kernel/index.ts";
import { LOCAL } from "../../../testing/store-samples.ts";
import { commandNamed } from "../../../../test/support/command-io.ts";

/** Runs the command as the program does. */
const run = (args: readonly string[], given: Readonly<Record<string, unknown>>) =>
  commandNamed("report").run(io(), given, args);

let cwd = "";
let printed = "";
const stream = { terminal: false, color: false, columns: 80 };
const io = (): Io => ({
  protocols: withProtocols([], features),
  features,
  cwd,
  env: { HOME: cwd, PARLEY_HOME: join(cwd, "home") },
  output: {
    result: (text) => {
      printed += text;
      return Promise.resolve();
    },
    note: () => undefined,
    stdout: stream,
    stderr: stream,
  },
});

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "parley-report-"));
  printed = "";
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const put = (name: string, content: string) => writeFileSync(join(cwd, name), content);
const read = (name: string) => readFileSync(join(cwd, name), "utf8");

/** A file of Dialectic's with one proposal. */
const dialectic = (changes: object = {}): string =>
  JSON.stringify({
    id: "deb-1",
    problem: "How?",
    status: "completed",
    createdAt: "2025-10-29T20:32:56.382Z",
    rounds: [{ roundNumber: 1, contributions: [{ agentId: "a", type: "proposal", content: "so" }] }],
    ...changes,
  });

/** Its id in this place's store. */
async function stored({ entries }: Sample, id?: string): Promise<string> {
  const [first] = entries;
  if (!first || first.type === "unknown") throw new Error("the sample has an opening");
  const store = await openStore(loadSettings(io()).settings.store);
  for (const entry of entries) {
    if (entry.type === "unknown") continue;
    const { id: _id, deliberation, seq: _seq, cursor: _cursor, at: _at, origin, ...event } = entry;
    await store.for(LOCAL).append(DeliberationId.parse(id ?? deliberation), [event], origin);
  }
  await store[Symbol.asyncDispose]();
  return id ?? first.deliberation;
}

/** What a refused command ends with. */
async function refusal(debate: string, flags: Record<string, unknown> = {}): Promise<string> {
  try {
    await run([debate], flags);
  } catch (error) {
    expect(exitOfError(error)).toBe(EXIT.usage);
    return error instanceof Error ? error.message : "no error";
  }
  return "not refused";
}

describe("a debate as a document", () => {
  it("prints a file's debate as markdown, or as the record that it reads back", async () => {
    put("debate.json", dialectic());
    expect(await run(["debate.json"], {})).toBe(EXIT.answered);
    const markdown = printed;
    expect(markdown).toMatch(/^# How\?\n/);
    printed = "";
    await run(["debate.json"], { json: true });
    expect(debateMarkdown(DebateRecord.parse(JSON.parse(printed)))).toBe(markdown);
    put("record", printed);
    printed = "";
    await run(["record"], {});
    expect(printed).toBe(markdown);
  });

  it.each([
    ["rep", "rep.md"],
    ["a.pdf", "a.pdf.md"],
    ["new/folder/rep.md", "new/folder/rep.md"],
    ["new/rep.html", "new/rep.html"],
    ["REP.MD", "REP.MD"],
  ])("writes %s to %s, and makes the folders above it", async (output, file) => {
    put("debate.json", dialectic());
    await run(["debate.json"], { output });
    expect(read(file)).toContain("How?");
  });

  it("writes the format that the file's name asks for, and says nothing else", async () => {
    put("debate.json", dialectic());
    await run(["debate.json"], { json: true });
    const record = DebateRecord.parse(JSON.parse(printed));
    printed = "";
    put("a.html", "old");
    await run([join(cwd, "debate.json")], { output: "a.html" });
    await run(["./debate.json"], { output: "b.MD" });
    expect([read("a.html"), read("b.MD"), printed]).toEqual([debateHtml(record), debateMarkdown(record), ""]);
    expect(readdirSync(cwd).sort()).toEqual(["a.html", "b.MD", "debate.json"]);
    await run(["debate.json"], { output: "c.md", json: true });
    expect([read("c.md"), JSON.parse(printed)]).toEqual([debateMarkdown(record), record]);
  });

  it("prints a recorded debate by its id, or the beginning of one", async () => {
    const sample = sampleDebate();
    const id = await stored(sample);
    await run([id.slice(0, 6)], { json: true });
    const record = DebateRecord.parse(JSON.parse(printed));
    const { startedAt, endedAt, ...same } = debateRecord(sample.entries);
    expect({ ...record, startedAt, endedAt }).toEqual({ ...same, startedAt, endedAt });
  });

  it("refuses what is no debate", async () => {
    expect(await refusal("nothing")).toMatch(/^no run "nothing"/);
    expect(await refusal("")).toMatch(/^no run is named/);
  });

  it.each([
    ["is missing", { name: "./nowhere" }, /^the debate \S+nowhere does not exist; check the path$/],
    ["is missing by its name", { name: "x.json" }, /^the debate \S+x\.json does not exist; /],
    ["is a folder", { name: "folder" }, /^the debate \S+ is a folder; /],
    ["is not JSON", { content: "# Debate" }, /^x\.json is not JSON; name a result file/],
    ["is another JSON", { content: "{}" }, /^x\.json is not a debate: id: .*; name a result file/],
    ["is an old debate with a fault", { content: dialectic({ rounds: 7 }) }, /is not a debate: rounds: /],
    ["is binary", { content: "{\0}" }, /^the debate \S+ is binary; /],
    ["is too large", { content: `"${"x".repeat(32_000_000)}"` }, /^the debate \S+ has more than 32 MB; /],
    [
      "is nested deep",
      { content: `${"[".repeat(200_000)}${"]".repeat(200_000)}` },
      /^x\.json is not (?:JSON|a debate)/,
    ],
  ])(
    "refuses a file that %s",
    async (_, { name = "x.json", content }: { name?: string; content?: string }, why) => {
      mkdirSync(join(cwd, "folder"));
      if (content !== undefined) put(name, content);
      expect(await refusal(name)).toMatch(why);
    },
  );

  it.each([
    ["file/a.md", /cannot be written \(ENOTDIR\)/],
    ["file/deep/a.html", /cannot be written \(ENOTDIR\)/],
    ["folder.md", /cannot be written \(EISDIR\)/],
  ])("refuses the output %s before it reads anything", async (output, why) => {
    put("file", "");
    mkdirSync(join(cwd, "folder.md"));
    expect(await refusal("./nowhere", { output })).toMatch(why);
  });
});

describe("parley export", () => {
  const exported = async (given: Readonly<Record<string, unknown>>, ...args: readonly string[]) => {
    printed = "";
    await commandNamed("export").run(io(), given, args);
    return printed;
  };

  it.each([
    ["md", /^# .*\n\n> /],
    ["html", /^<!doctype html>[^]*<h2>Answer<\/h2>/],
    [
      "adr",
      /^---\nstatus: proposed\n[^]*\n## Context and Problem Statement\n[^]*## Decision Outcome\n\n#### The product/,
    ],
    ["jsonl", /^\{"id":/],
    ["csv", /^run,protocol,version,opened_at,.*\n[^,]+,council,/],
  ])("prints a council as %s", async (format, shown) => {
    const id = await stored(degradedCouncil({ answer: "## The product\n\nIt is **391**." }));
    expect(await exported({ format }, id)).toMatch(shown);
    await exported({ output: `new/run.${format === "adr" ? "md" : format}`, format }, id);
    expect(read(`new/run.${format === "adr" ? "md" : format}`)).toMatch(shown);
    expect(printed).toBe("");
  });

  it("shows a recorded debate as the page of every run, with its rounds", async () => {
    const id = await stored(sampleDebate());
    const html = await exported({ format: "html" }, id);
    for (const one of ["<h2>Answer</h2>", ">Round 1</h2>", ">Usage</h2>", ">Timeline</h2>"])
      expect(html).toContain(one);
    expect(html).not.toContain(">Drafts</h2>");
  });

  it("has tables that a reader of CSV reads back, as many cells as columns", async () => {
    const hostile = '=1+1,"x"\n\r\n;@';
    await stored(degradedCouncil({ answer: hostile, draft: hostile }));
    await stored(sampleDebate(), "Kx7otherDebate00001");
    for (const table of ["runs", "steps", "calls"]) {
      const rows = parseCsv(await exported({ all: true, format: "csv", table }), { columns: true });
      expect(rows.length).toBeGreaterThan(1);
      expect(JSON.stringify(rows)).not.toMatch(/"[=@+]/);
      expect(new Set(rows.map((row) => z.object({ run: z.string() }).parse(row).run)).size).toBe(2);
    }
  });

  it("exports all runs, newest first, since a time", async () => {
    const ids = [await stored(degradedCouncil()), await stored(sampleDebate(), "Kx7otherDebate00001")];
    const found = async (more: object) => {
      const lines = (await exported({ all: true, format: "jsonl", ...more })).split("\n").filter(Boolean);
      const line = z.object({ deliberation: z.string() });
      return [...new Set(lines.map((one) => line.parse(JSON.parse(one)).deliberation))];
    };
    expect(await found({})).toEqual(ids.toReversed());
    expect(await found({ since: "1h" })).toHaveLength(2);
    expect(await found({ since: "2999-01-01" })).toEqual([]);
    expect(await exported({ all: true, format: "json", since: "2999-01-01" })).toBe("[]\n");
    expect(await exported({ all: true, output: "new/a.csv" })).toBe("");
    expect(read("new/a.csv").trim().split("\n")).toHaveLength(3);
  });

  it.each([
    [{ all: true }, "", /^--all has no --format md; /],
    [{ all: true, format: "json" }, "x", /^--all takes no run; /],
    [{ since: "1h" }, "x", /^--since is for --all; /],
    [{ all: true, format: "json", since: "soon" }, "", /^--since must be a day such as/],
    [{ table: "calls" }, "x", /^--table is for --format csv; /],
    [{ format: "debate" }, "council", /^only a debate has the form debate; /],
    [{ format: "pdf" }, "x", /^--format /],
  ])("refuses %o %s", async (given, name, why) => {
    const id = name === "council" ? await stored(degradedCouncil()) : name;
    expect(await refusal(id, given)).toMatch(why);
  });
});
