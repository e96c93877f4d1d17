// npm run format:changed: checks the format of what this branch has changed; npm run format:check checks everything.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./root.mjs";
import { changedFiles } from "./steps.mjs";

const changed = changedFiles(root) ?? ["."];
const prettier = join(root, "node_modules", "prettier", "bin", "prettier.cjs");
// In pieces, since a command line has an end.
for (let at = 0; at < changed.length; at += 200) {
  const files = changed.slice(at, at + 200);
  const args = [prettier, "--check", "--log-level=warn", "--ignore-unknown", "--", ...files];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exitCode = status ?? 1;
}
