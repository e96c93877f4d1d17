// npm run conformance: MCP's official scenarios and the Inspector's command line against this server. Both need Node 22, which
// npm has as a package; all three take some 330 MB, so that they are installed here and are no development dependencies.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

const PACKAGES = {
  node: "22.23.3",
  "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
  "@modelcontextprotocol/inspector": "2.12.0",
};
const folder = join(root, ".parley", "conformance");

/**
 * Ends with the exit code of what fails.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnSyncOptions} [options]
 */
function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { stdio: "inherit", cwd: root, ...options });
  if (status !== 0) process.exit(status ?? 1);
}

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: PACKAGES }));
const isInstalled = Object.keys(PACKAGES).every((name) => existsSync(join(folder, "node_modules", name)));
if (!isInstalled || process.argv.includes("--install"))
  run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder, shell: process.platform === "win32" });
run(
  process.execPath,
  [
    ...[join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--no-allowOnly"],
    ...["--project", "test", "test/mcp-conformance.test.ts"],
  ],
  { env: { ...process.env, PARLEY_CONFORMANCE: folder } },
);
