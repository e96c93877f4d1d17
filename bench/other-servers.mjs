// Installs a server that is too large to be a dependency (45 MB with its tokenizer) into a temporary folder, and runs the
// tests of test/e2e/other-servers.test.ts against it as well:
//
//   node bench/other-servers.mjs

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../scripts/child.mjs";
import { root } from "../scripts/root.mjs";

const folder = mkdtempSync(join(tmpdir(), "parley-other-servers-"));
const npm = process.env["npm_execpath"];
const install = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"];
const words = [...install, "openai-mock-api@0.4.0"];
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
try {
  const installed = await run(npm ? [process.execPath, npm, ...words] : ["npm", ...words], {
    cwd: folder,
    stdio: "inherit",
  });
  process.exitCode =
    installed !== 0
      ? installed
      : await run([process.execPath, vitest, "run", "test/e2e/other-servers.test.ts"], {
          cwd: root,
          stdio: "inherit",
          env: { ...process.env, PARLEY_OTHER_SERVERS: folder },
        });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
