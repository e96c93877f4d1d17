import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as z from "zod";
import { loadAll, type AnyProtocol } from "../src/engine/index.ts";
import { withProtocols } from "../src/app/registry.ts";
import { features } from "../src/features.ts";
import { BenchReport } from "../src/features/bench/contract.ts";
import { Contributions } from "../src/features/contributions/contract.ts";
import { EngramLine, MemoryImport } from "../src/memory/transfer.ts";
import { DebateRecord } from "../src/features/debate/protocol/debate/view/record.ts";
import { sectionSchema } from "../src/features/debate/protocol/evaluation/view.ts";
import { MemoryAblation } from "../src/features/bench/app/ablation/report.ts";
import { MemoryEngram, MemoryFacts, MemoryReport, MemorySearch } from "../src/features/memory/contract.ts";
import { Local2WatchReport } from "../src/cli/commands/watch.ts";
import { DoingLine, ResultLine, TextLine } from "../src/reports/event-line.ts";
import { CommandError } from "../src/cli/errors.ts";
import { Result } from "../src/views/result.ts";
import { StoryReports } from "../src/features/stories/app/checks.ts";
import { Judgement, Validation } from "../src/features/judging/protocol/judge/view.ts";

const folder = new URL("../schemas/", import.meta.url);

/** What `--json` prints about an answer, a measurement or memory, by the name of its published schema. */
const PUBLISHED = {
  result: ["What parley --json prints", Result],
  error: ["What --json prints where a command ends without a result", CommandError],
  "events-text": ["A line of what models write, as parley --events prints it", TextLine],
  "events-doing": ["What a call does before it writes, as parley --events prints it", DoingLine],
  "events-result": ["The last line of parley --events", ResultLine],
  bench: ["What parley bench --json prints", BenchReport],
  contributions: ["What parley contributions --json prints", Contributions],
  debate: ["What parley report --json prints", DebateRecord],
  evaluation: ["What parley eval --json prints", sectionSchema],
  "judge-validation": ["What parley judge validate --json prints", Validation],
  watch: ["What parley watch --json prints, a line each time", Local2WatchReport],
  story: ["What parley test --json prints", StoryReports],
  judgement: ["What parley judge grade --json and parley judge compare --json print", Judgement],
  "memory-search": ["What parley memory search --json prints", MemorySearch],
  "memory-engram": ["What parley memory show --json prints", MemoryEngram],
  "memory-facts": ["What parley memory facts --json prints", MemoryFacts],
  "memory-stats": ["What parley memory stats --json prints", MemoryReport],
  "memory-line": ["A line of what parley memory export writes", EngramLine],
  "memory-import": ["What parley memory import --json prints", MemoryImport],
  "memory-ablation": ["What parley memory ablate --json prints", MemoryAblation],
} as const;

/** The sections of results, as the protocols that ship declare them in their views. */
const sections = await Promise.all(
  (await loadAll<AnyProtocol>(withProtocols([], features))).map(async ({ name, ...protocol }) => {
    const view = await protocol.view?.();
    const title = `What section holds where parley --json prints a result of the protocol ${name}`;
    return [`section-${name}`, [title, view?.sectionSchema ?? z.null()]] as const;
  }),
);
const all: readonly (readonly [name: string, readonly [title: string, type: z.ZodType]])[] = [
  ...Object.entries(PUBLISHED),
  ...sections,
];

it.each(all)("publishes the schema %s (UPDATE_SCHEMAS=1 writes it)", (name, [title, type]) => {
  const file = new URL(`${name}.schema.json`, folder);
  const text = `${JSON.stringify({ title, ...z.toJSONSchema(type) }, undefined, 2)}\n`;
  if (process.env["UPDATE_SCHEMAS"] === "1") writeFileSync(file, text);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(text));
});

it("publishes no schema of anything else", () => {
  expect(readdirSync(folder).sort()).toEqual(all.map(([name]) => `${name}.schema.json`).sort());
});
