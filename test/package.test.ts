import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { installPackage, type InstalledPackage } from "./support/installed-package.ts";
import { called, mcpClient } from "./support/mcp.ts";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  bin: z.object({ parley: z.string() }),
  exports: z.record(z.string(), z.unknown()),
});
/** What a user installs, at most: packages, and bytes on disk and as they are sent. */
const CEILINGS = { packages: 30, bytes: 45_000_000, packedBytes: 2_500_000 };

let folder = "";
let project = "";
let unpacked = "";
let files: readonly string[] = [];
let packedBytes = 0;
let installed: readonly string[] = [];
let own: InstalledPackage;
const environment = () => own.env;

beforeAll(async () => {
  own = await installPackage();
  ({ folder, project, unpacked, files, packedBytes, dependencies: installed } = own);
}, 60_000);

afterAll(() => own[Symbol.asyncDispose]());

async function manifest() {
  return Manifest.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
}

it("ships what it runs on, and neither sources nor tests nor the build's own notes", () => {
  expect(files).toEqual(expect.arrayContaining(["LICENSE", "package.json", "dist/cli.mjs"]));
  // The page's files are named by their content.
  const page =
    "dist\\/web\\/(?:index\\.html|licenses\\.txt|file\\.(?:js|css)|assets\\/[\\w.-]+\\.(?:js|css))";
  const shipped = new RegExp(
    `^(dist\\/[\\w.-]+\\.(mjs|cjs|d\\.mts)|dist\\/(?:licenses\\.txt|model-list\\.json)|schemas\\/.+\\.json|docs\\/.+\\.(?:md|svg)|${page})$`,
  );
  const other = files.filter((path) => !shipped.test(path)).sort();
  expect(other).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "package.json"]);
  expect(files).toContain("docs/README.md");
});

it("has a name under a scope, and the install line of the README has it", async () => {
  const { name, bin } = await manifest();
  expect(name).toMatch(/^@[a-z0-9-]+\/parley$/);
  expect(Object.keys(bin)).toEqual(["parley"]);
  const readme = await readFile(join(root, "README.md"), "utf8");
  for (const line of [`npm install --global ${name}\n`, `npx ${name} "`]) expect(readme).toContain(line);
});

it("has types that stand on what was installed alone", async () => {
  const subpaths = Object.keys((await manifest()).exports).filter((one) => !/json$|testing$/.test(one));
  const imports = subpaths.map(
    (one, index) => `export * as part${index} from "@parley-llm/parley${one.slice(1)}";`,
  );
  const compilerOptions = {
    module: "nodenext",
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ["node"],
  };
  await writeFile(join(project, "all.ts"), imports.join("\n"));
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["all.ts"] }));
  await mkdir(join(project, "node_modules/@types"), { recursive: true });
  for (const path of ["node_modules/@types/node", "node_modules/undici-types"])
    // Node's own
    await symlink(join(root, path), join(project, path));
  const { stdout } = await execute(process.execPath, [
    join(root, "node_modules/typescript/bin/tsc"),
    "-p",
    project,
  ]);
  expect(stdout).toBe("");
});

it("runs as a command from any folder", async () => {
  const { version, bin } = await manifest();
  const command = join(unpacked, bin.parley);
  expect(await readFile(command, "utf8")).toMatch(/^#!\/usr\/bin\/env -S node --\n/); // or Node.js takes our --env-file for its own
  const { stdout } = await execute(process.execPath, [command, "--version"], { cwd: tmpdir() });
  expect(stdout.trim()).toBe(version);
});

it("gives every subpath it promises, with types", async () => {
  const subpaths = Object.keys((await manifest()).exports).filter((subpath) => !subpath.endsWith(".json"));
  for (const subpath of subpaths) {
    const name = subpath === "." ? "index" : subpath.slice(2);
    const exported = z
      .record(z.string(), z.unknown())
      .parse(await import(join(unpacked, "dist", `${name}.mjs`)));
    expect(Object.keys(exported)).not.toEqual([]);
    expect(existsSync(join(unpacked, "dist", `${name}.d.mts`))).toBe(true);
  }
});

it("installs few packages, and few bytes", () => {
  const bytesIn = (path: string): number =>
    readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
      const inside = join(path, entry.name);
      return sum + (entry.isDirectory() ? bytesIn(inside) : statSync(inside).size);
    }, 0);
  const seen = {
    packages: installed.length + 1,
    bytes: [unpacked, ...installed.map((path) => join(root, path))].reduce(
      (sum, path) => sum + bytesIn(path),
      0,
    ),
    packedBytes,
  };
  for (const [what, ceiling] of Object.entries(CEILINGS))
    expect(seen[what as keyof typeof seen], JSON.stringify(seen)).toBeLessThanOrEqual(ceiling);
});

it("has no script that runs when it is installed, and nothing that it installs has one", async () => {
  for (const path of [unpacked, ...installed.map((one) => join(root, one))]) {
    const { scripts = {} } = z
      .object({ scripts: z.record(z.string(), z.string()).optional() })
      .parse(JSON.parse(await readFile(join(path, "package.json"), "utf8")));
    for (const name of ["preinstall", "install", "postinstall"])
      expect(scripts, path).not.toHaveProperty(name);
  }
});

it("says where it comes from, and of each package that was built in its license", async () => {
  const all = z
    .record(z.string(), z.unknown())
    .parse(JSON.parse(await readFile(join(unpacked, "package.json"), "utf8")));
  expect(all).toMatchObject({
    repository: { url: expect.stringContaining("/parley") },
    homepage: expect.stringMatching(/^https:/),
    bugs: expect.stringMatching(/^https:/),
    publishConfig: { provenance: true },
  });
  const built = await readFile(join(unpacked, "dist/licenses.txt"), "utf8");
  for (const name of ["zod", "commander", "hono", "@modelcontextprotocol/server", "undici"])
    expect(built).toMatch(new RegExp(`^${name} \\d.*\\((?:MIT|Apache-2.0)\\)$`, "m"));
  expect(await readFile(join(unpacked, "dist/web/licenses.txt"), "utf8")).toMatch(/^preact \d/m);
});

it("serves MCP to a client from what was installed", async () => {
  const args = [join(unpacked, "dist/cli.mjs"), "mcp", "--simulated"];
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args, cwd: folder, stderr: "pipe", env: environment() },
  });
  await using client = await mcpClient(undefined, { transport });
  const question = { question: "What is 17 * 23?", models: ["sim/ada?skill=1", "sim/bo?skill=1"] };
  expect(await called(client, "ask", question)).toMatchObject({ answer: expect.stringContaining("391") });
});

it("serves the page from what was installed", async () => {
  const args = [join(unpacked, "dist/cli.mjs"), "serve", "--port", "0", "--simulated"];
  const server = spawn(process.execPath, args, { cwd: folder, env: environment() });
  try {
    const [url] = z.tuple([z.string()]).parse(await once(createInterface({ input: server.stdout }), "line"));
    const page = await fetch(/^http:\/\/[\w.:]+/.exec(url)?.[0] ?? "");
    expect(await page.text()).toContain("<title>Parley</title>");
  } finally {
    server.kill();
  }
});

it("says how to install PostgreSQL's package where a store needs it", async () => {
  const env = { ...environment(), PARLEY_STORE: "postgres://127.0.0.1:1/none" };
  const failed = execute(process.execPath, [join(unpacked, "dist/cli.mjs"), "list"], { cwd: folder, env });
  await expect(failed).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /needs the package pg, which is not installed\.\nTry: run npm install pg\b/,
    ),
  });
});

it("gives a package that imports the library the copy that the command runs", async () => {
  const program = `
    import { runProgram } from "@parley-llm/parley/command";
    import { defineFeature, Fault } from "@parley-llm/parley";
    const refuse = () => { throw new Fault("configuration", { why: "the poll is closed", next: "open it" }); };
    const command = { name: "open", summary: "Open it", options: {}, examples: ["poll open", "poll open"], run: refuse };
    const feature = defineFeature({
      name: "poll",
      commands: [{ name: "poll", summary: "Poll", heading: "Other", load: async () => [command] }],
    });
    process.exitCode = await runProgram(process.argv.slice(2), { features: [feature] });`;
  const file = join(project, "own.mjs");
  await writeFile(file, program);
  const failed = execute(process.execPath, [file, "poll", "open"], { cwd: folder, env: environment() });
  // A fault of another copy would be an unexpected error.
  await expect(failed).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("the poll is closed"),
  });
});

it("asks the proxy of the environment for a tunnel to a model behind https", async () => {
  const asked: string[] = [];
  const proxy = createServer((_request, response) => response.writeHead(502).end());
  proxy.on("connect", ({ url = "" }, socket: Socket) => {
    asked.push(url);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  try {
    const { port } = z.object({ port: z.number() }).parse(proxy.address());
    const env = { ...environment(), OPENAI_API_KEY: "sk-none", HTTPS_PROXY: `http://127.0.0.1:${port}` };
    const question = ["respond", "What is 17 * 23?", "--model", "openai/gpt-5-mini", "--no-memory"];
    const failed = execute(process.execPath, [join(unpacked, "dist/cli.mjs"), ...question], {
      cwd: folder,
      env,
    });
    await expect(failed).rejects.toMatchObject({ stderr: expect.stringContaining("through the proxy") });
  } finally {
    proxy.close();
  }
  expect(asked).toContain("api.openai.com:443");
});
