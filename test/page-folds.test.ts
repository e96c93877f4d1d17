import { gzipSync } from "node:zlib";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "vite";
import { describe, expect, it } from "vitest";
import { repeatRun } from "../bench/long-journal.mjs";
import { pureSchemas } from "../scripts/pure-schemas.mjs";
import type { Entry } from "../src/kernel/index.ts";
import { publicEntry, readPublicEntry } from "../src/views/public-entry.ts";
import { resultOf, type ResultFold, type SectionView } from "../src/views/result.ts";
import { sampleRuns } from "./support/sample-runs.ts";
import { isLong } from "./support/long.ts";

// What a page runs of the folds and of the reports: neither zod nor anything of Node stands in it.

const source = (path: string): string => fileURLToPath(new URL(`../src/${path}`, import.meta.url));
const taking = (path: string, ...names: readonly string[]): string =>
  names
    .map((name) => `export { ${name} as x${name}${path.replaceAll(/\W/g, "_")} } from "${source(path)}";`)
    .join("\n");

/** The words for it, which a short protocol has in the file of its view. */
const reportOf = (view: string): string => {
  const report = view.replace(/view(?=(?:\/index)?\.ts$)/, "report");
  return existsSync(source(report)) ? report : view;
};

/** The view and the report of every protocol, wherever it stands. */
const PROTOCOLS = readdirSync(source(""), { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) =>
    /^(?:protocols\/\w+|features\/[\w-]+\/protocol(?:\/\w+)?)\/view(?:\/index)?\.ts$/.test(path),
  )
  .map((view) => ({ view, report: reportOf(view) }));

const HEAD = [
  taking("views/result.ts", "resultOf", "resultFold"),
  taking("views/progress.ts", "progressView"),
];
const SECTIONS = [
  ...HEAD,
  taking("views/veil.ts", "veilEntries"),
  taking("views/waiting.ts", "isWaiting"),
  ...PROTOCOLS.map(({ view }) => taking(view, "sectionOf")),
];
const REPORTS = [
  ...SECTIONS,
  ...PROTOCOLS.map(({ report }) => taking(report, "sectionParts")),
  taking("features/ask/protocol/report.ts", "agreement"),
  taking("features/council/protocol/report.ts", "agreement"),
  taking("features/debate/protocol/debate/report/index.ts", "agreement", "courseParts"),
  taking("reports/shown.ts", "showResult"),
  taking("reports/deliberation-parts.ts", "deliberationHead", "deliberationParts"),
  taking("reports/answer.ts", "warningLines"),
];

const ENTRY = "\0entry";

async function bundle(lines: readonly string[], plugins = [pureSchemas()]): Promise<Rolldown.OutputChunk> {
  const entry = {
    name: "entry",
    enforce: "pre" as const,
    resolveId: (id: string) => (id.endsWith("the-entry") ? ENTRY : null),
    load: (id: string) => (id === ENTRY ? lines.join("\n") : null),
  };
  const output = await build({
    ...{ configFile: false, logLevel: "error", plugins: [entry, ...plugins] },
    build: { write: false, minify: true, lib: { entry: "the-entry", formats: ["es"] } },
  });
  const [first] = [output].flat();
  const chunk = first && "output" in first ? first.output[0] : undefined;
  if (!chunk) throw new Error("nothing was built");
  return chunk;
}

const modulesIn = ({ modules }: Rolldown.OutputChunk): readonly string[] =>
  Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : []));

describe("what a page bundles", () => {
  it.each([
    ["the head, with the sources of answers, and the progress", HEAD, 11.5],
    ["all sections too", SECTIONS, 40],
    ["all reports too", REPORTS, 70],
  ])("%s: without zod, without Node, and small", async (name, lines, mostKilobytes) => {
    const chunk = await bundle(lines);
    const modules = modulesIn(chunk);
    expect(modules.filter((id) => /[\\/]zod[\\/]|^node:|browser-external/.test(id))).toEqual([]);
    expect(chunk.code).not.toMatch(/_zod|ZodError|["']node:/);
    expect([...chunk.imports, ...chunk.dynamicImports]).toEqual([]);
    const kilobytes = gzipSync(chunk.code, { level: 9 }).length / 1_000;
    process.stdout.write(`${name}: ${kilobytes.toFixed(1)} kB with gzip\n`);
    expect(kilobytes).toBeLessThan(mostKilobytes);
  });

  it("has zod where a schema is used, and all of it without the plugin", async () => {
    const zod = (chunk: Rolldown.OutputChunk) => modulesIn(chunk).filter((id) => id.includes("/zod/")).length;
    expect(zod(await bundle([taking("views/result.ts", "Result")]))).toBeGreaterThan(5);
    expect(zod(await bundle(HEAD, []))).toBeGreaterThan(5);
  });
});

const EVENTS = 10_000;
/** Every so many seqs are gone to: primes, so that each event of the sample run, which is repeated, is met. */
const STRIDE = isLong ? 13 : 331;

type Bundled = SectionView & { readonly begin: (view: SectionView) => ResultFold };

describe("scrubbing a run of ten thousand events", () => {
  it.each([
    ["council", "views/panel.ts", "panelSection"],
    ["debate", "features/debate/protocol/debate/view/index.ts", "sectionOf"],
  ])(
    "shows of a %s at every seq what the journal that is cut there gives",
    async (name, path, sectionOf) => {
      const run = (await sampleRuns()).find((one) => one.name === name);
      if (!run?.view) throw new Error(`there is no sample of a ${name}`);
      const { code } = await bundle([
        `export { resultFold as begin } from "${source("views/result.ts")}";`,
        `export { ${sectionOf} as sectionOf } from "${source(path)}";`,
      ]);
      const page = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Bundled;
      const entries = repeatRun(run.entries, EVENTS);
      const fold = page.begin(page);
      for (const entry of entries) fold.take(carried(entry));
      const seqs = Array.from({ length: Math.ceil(EVENTS / STRIDE) }, (_, nth) => 1 + nth * STRIDE);
      for (const seq of [...seqs, EVENTS])
        expect(JSON.stringify(fold.read(seq)), `at ${seq}`).toBe(
          JSON.stringify(resultOf(entries.slice(0, seq), run.view)),
        );
    },
    isLong ? 600_000 : 60_000,
  );
});

/** As a page gets an entry. */
const carried = (entry: Entry): Entry =>
  readPublicEntry(JSON.parse(JSON.stringify(publicEntry(entry))) as Record<string, unknown>);
