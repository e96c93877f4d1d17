// Installs a server that is too large to be a dependency (45 MB with its tokenizer), and the newest packages of the AI SDK, into a
// temporary folder, and runs the tests of test/e2e that have others' servers and packages with them as well:
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
// Named by their versions: npm would choose older ones for a Node that they do not name.
const packages = ["openai@4", "anthropic@4", "google@4"].map((name) => `@ai-sdk/${name}`);
const others = ["@openrouter/ai-sdk-provider@3", "ollama-ai-provider-v2@4", "zod@4"];
const words = [...install, "--legacy-peer-deps", "openai-mock-api@0.4.0", ...packages, ...others];
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
try {
  const installed = await run(npm ? [process.execPath, npm, ...words] : ["npm", ...words], {
    cwd: folder,
    stdio: "inherit",
  });
  process.exitCode =
    installed !== 0
      ? installed
      : await run([process.execPath, vitest, "run", "test/e2e/other-"], {
          cwd: root,
          stdio: "inherit",
          env: { ...process.env, PARLEY_OTHER_SERVERS: folder },
        });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
