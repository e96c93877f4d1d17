#!/usr/bin/env node
import manifest from "../../package.json" with { type: "json" };

const args = process.argv.slice(2);
// The one answer that needs nothing else loaded.
if (args[0] === "--version" || args[0] === "-V") process.stdout.write(`${manifest.version}\n`);
else {
  const { runProgram } = await import("./start.ts");
  process.exitCode = await runProgram(args);
}
