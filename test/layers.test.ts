import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, expect, it } from "vitest";
import * as z from "zod";

const root = fileURLToPath(new URL("..", import.meta.url));
const cruiser = join(root, "node_modules", "dependency-cruiser", "bin", "dependency-cruise.mjs");
const config = join(root, ".dependency-cruiser.cjs");
const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const Report = z.object({
  summary: z.object({
    violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

/** `type ./x.ts` is a type-only import, `lazy ./x.ts` a dynamic one. */
function statement(name: string): string {
  const [kind, module = kind] = name.split(" ");
  if (kind === "type") return `import type {} from "${module}";\n`;
  return kind === "lazy" ? `await import("${module}");\n` : `import "${module}";\n`;
}

/** What the project's own rules say of a tree given as file: the modules that it imports. Sorted "from > to: rule". */
async function violations(tree: Record<string, readonly string[]>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "parley-layers-"));
  folders.push(folder);
  const files: Record<string, string> = {
    "package.json": JSON.stringify({
      type: "module",
      dependencies: { yaml: "1", zod: "1" },
      devDependencies: { tsx: "1" },
    }),
    "tsconfig.json": "{}",
  };
  for (const name of ["tsx", "yaml", "zod"]) {
    files[`node_modules/${name}/package.json`] = JSON.stringify({
      name,
      version: "1.0.0",
      exports: "./index.js",
    });
    files[`node_modules/${name}/index.js`] = "export {};\n";
  }
  for (const [path, imports] of Object.entries(tree)) {
    files[path] = `${imports.map(statement).join("")}export {};\n`;
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return cruise(folder);
}

async function cruise(folder: string): Promise<string[]> {
  // The cruiser exits with the number of violations, so its report is on stdout of a "failed" command as well.
  const stdout = await promisify(execFile)(
    process.execPath,
    [cruiser, "--config", config, "--output-type", "json", "src"],
    { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
  ).then(
    (result) => result.stdout,
    (error: unknown) => z.object({ stdout: z.string() }).parse(error).stdout,
  );
  return Report.parse(JSON.parse(stdout))
    .summary.violations.map(({ from, to, rule }) => `${from} > ${to}: ${rule.name}`)
    .sort();
}

it("allows what the table allows, also to tests and to ask", async () => {
  const allowed = await violations({
    "src/kernel/event.ts": ["zod"],
    "src/kernel/event.test.ts": ["node:fs", "tsx", "../testing/suite.ts", "./event.ts"],
    "src/stats/vote.ts": ["../kernel/event.ts", "yaml"],
    "src/prompts/read.ts": ["../stats/vote.ts"],
    "src/engine/run.ts": ["node:crypto", "../kernel/event.ts"],
    "src/protocols/phases/draft.ts": ["../../engine/run.ts"],
    "src/protocols/council/index.ts": ["../phases/draft.ts", "../../prompts/read.ts", "./view.ts"],
    "src/protocols/council/view.ts": ["../../kernel/event.ts", "../../views/standing.ts"],
    "src/features/poll/reactor/second.ts": ["../../../protocols/phases/draft.ts"],
    "src/protocols/index.ts": ["./council/index.ts"],
    "src/memory/engram.ts": ["../kernel/event.ts"],
    "src/stores/sqlite.ts": ["../memory/engram.ts"],
    "src/views/standing.ts": ["../stats/vote.ts"],
    "src/reports/page.ts": ["node:crypto", "./markdown-tree.ts"],
    "src/reports/markdown-tree.ts": ["yaml", "../views/standing.ts"],
    "src/contract/runs.ts": ["zod", "../kernel/event.ts"],
    "src/web/page.ts": ["../views/standing.ts", "type ../contract/runs.ts"],
    "src/testing/suite.ts": ["../engine/run.ts"],
    "src/app/open.ts": ["../protocols/index.ts", "../stores/sqlite.ts"],
    "src/cli/main.ts": ["../app/open.ts", "../testing/suite.ts", "../command.ts"],
    "src/features/poll/index.ts": [
      "type ../feature.ts",
      "lazy ./protocol/index.ts",
      "lazy ./commands/poll.ts",
    ],
    "src/features/feature.ts": ["type ../cli/command.ts"],
    "src/cli/command.ts": [],
    "src/features/poll/protocol/index.ts": ["../../../protocols/phases/draft.ts", "../../../engine/run.ts"],
    "src/features/poll/commands/poll.ts": ["../../../cli/main.ts", "../app/open.ts"],
    "src/features/poll/app/open.ts": ["../../../app/open.ts", "../protocol/index.ts"],
    "src/features/poll/screens/poll.ts": ["../../../web/page.ts"],
    "src/features.ts": ["./features/poll/index.ts"],
    "src/command.ts": ["./features.ts"],
    "src/index.ts": ["./app/open.ts", "./features.ts"],
  });
  expect(allowed).toEqual([]);
});

it("catches an import that points up or across", async () => {
  const caught = await violations({
    "src/kernel/event.ts": ["../stats/vote.ts", "node:fs", "yaml"],
    "src/stats/vote.ts": ["node:fs"],
    "src/stats/vote.test.ts": ["../engine/run.ts"],
    "src/prompts/read.ts": ["node:fs/promises"],
    "src/reports/markdown-tree.ts": ["./words.ts"],
    "src/reports/words.ts": ["node:crypto"],
    "src/engine/run.ts": ["../stores/sqlite.ts"],
    "src/models/caller.ts": ["../engine/run.ts"],
    "src/features/poll/reactor/critic.ts": ["../../../memory/engram.ts"],
    "src/gates/tests.ts": ["type ../engine/run.ts"],
    "src/tools/read.ts": ["lazy ../engine/run.ts"],
    "src/memory/engram.ts": [],
    "src/stores/sqlite.ts": [],
    "src/protocols/council/index.ts": ["../debate/index.ts"],
    "src/protocols/council/report.ts": ["../../engine/run.ts"],
    "src/protocols/debate/index.ts": [],
    "src/protocols/phases/draft.ts": ["../debate/index.ts"],
    "src/contract/runs.ts": ["yaml", "../stats/vote.ts"],
    "src/web/page.ts": ["../models/caller.ts", "../contract/runs.ts"],
    "src/app/open.ts": ["../web/page.ts", "../cli/main.ts"],
    "src/cli/main.ts": ["../index.ts", "../features/poll/index.ts"],
    "src/features/poll/index.ts": ["../vote/index.ts"],
    "src/features/poll/protocol/view.ts": ["../../../engine/run.ts"],
    "src/features/poll/screens/poll.ts": ["../../../engine/run.ts"],
    "src/features/poll/other.ts": ["../../kernel/event.ts"],
    "src/features/vote/index.ts": ["../../app/open.ts"],
    "src/index.ts": ["./web/page.ts"],
  });
  expect(caught).toMatchInlineSnapshot(`
    [
      "src/app/open.ts > src/cli/main.ts: app-imports-only-its-layers",
      "src/app/open.ts > src/cli/main.ts: no-circular",
      "src/app/open.ts > src/web/page.ts: app-imports-only-its-layers",
      "src/cli/main.ts > src/features/poll/index.ts: cli-imports-only-its-layers",
      "src/cli/main.ts > src/index.ts: command-starts-at-its-front",
      "src/contract/runs.ts > node_modules/yaml/index.js: contract-imports-only-the-kernel-and-zod",
      "src/contract/runs.ts > src/stats/vote.ts: contract-imports-only-its-layers",
      "src/contract/runs.ts > src/stats/vote.ts: contract-imports-only-the-kernel-and-zod",
      "src/engine/run.ts > src/stores/sqlite.ts: engine-imports-only-its-layers",
      "src/features/poll/index.ts > src/features/vote/index.ts: features-know-no-sibling",
      "src/features/poll/other.ts > src/kernel/event.ts: features-have-known-parts",
      "src/features/poll/protocol/view.ts > src/engine/run.ts: views-and-reports-run-in-a-page",
      "src/features/poll/reactor/critic.ts > src/memory/engram.ts: feature-part-reactor--imports-only-its-layers",
      "src/features/poll/screens/poll.ts > src/engine/run.ts: feature-part--screens-web-ts-words-ts--imports-only-its-layers",
      "src/features/vote/index.ts > src/app/open.ts: feature-part-index-ts-imports-only-its-layers",
      "src/gates/tests.ts > src/engine/run.ts: gates-imports-only-its-layers",
      "src/index.ts > src/web/page.ts: front-not-of-web",
      "src/kernel/event.ts > fs: kernel-imports-only-zod",
      "src/kernel/event.ts > fs: portable-without-node",
      "src/kernel/event.ts > node_modules/yaml/index.js: kernel-imports-only-zod",
      "src/kernel/event.ts > src/stats/vote.ts: kernel-imports-only-its-layers",
      "src/kernel/event.ts > src/stats/vote.ts: kernel-imports-only-zod",
      "src/models/caller.ts > src/engine/run.ts: models-imports-only-its-layers",
      "src/prompts/read.ts > fs/promises: prompts-read-no-files",
      "src/protocols/council/index.ts > src/protocols/debate/index.ts: protocols-know-no-sibling",
      "src/protocols/council/report.ts > src/engine/run.ts: views-and-reports-run-in-a-page",
      "src/protocols/phases/draft.ts > src/protocols/debate/index.ts: protocols-know-no-sibling",
      "src/reports/markdown-tree.ts > crypto: elements-without-node",
      "src/stats/vote.test.ts > src/engine/run.ts: stats-tests-import-only-its-layers",
      "src/stats/vote.ts > fs: portable-without-node",
      "src/tools/read.ts > src/engine/run.ts: tools-imports-only-its-layers",
      "src/web/page.ts > src/contract/runs.ts: web-imports-only-types-of-the-contract",
      "src/web/page.ts > src/models/caller.ts: web-imports-only-its-layers",
    ]
  `);
});

it("catches circles, unknown folders, missing files, development tools and imports of tests", async () => {
  const caught = await violations({
    "src/kernel/a.ts": ["./b.ts"],
    "src/kernel/b.ts": ["./a.ts", "./gone.ts"],
    "src/kernel/c.ts": ["./a.test.ts"],
    "src/kernel/d.ts": ["type ./e.ts"],
    "src/kernel/e.ts": ["type ./d.ts"],
    "src/kernel/a.test.ts": [],
    "src/novel/index.ts": ["../kernel/c.ts"],
    "src/cli/main.ts": ["../novel/index.ts", "tsx"],
  });
  expect(caught).toMatchInlineSnapshot(`
    [
      "src/cli/main.ts > node_modules/tsx/index.js: nothing-shipped-needs-development-tools",
      "src/cli/main.ts > src/novel/index.ts: no-unknown-folder",
      "src/kernel/a.ts > src/kernel/b.ts: no-circular",
      "src/kernel/b.ts > ./gone.ts: kernel-imports-only-zod",
      "src/kernel/b.ts > ./gone.ts: no-unresolvable",
      "src/kernel/c.ts > src/kernel/a.test.ts: nobody-imports-tests",
      "src/kernel/d.ts > src/kernel/e.ts: no-circular",
      "src/novel/index.ts > src/kernel/c.ts: every-folder-has-a-layer",
    ]
  `);
});
