#!/usr/bin/env -S node --
import manifest from "../../package.json" with { type: "json" };

const args = process.argv.slice(2);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
// The one answer that needs nothing else loaded.
if (args[0] === "--version" || args[0] === "-V") process.stdout.write(`${manifest.version}\n`);
else if (major < 20 || (major === 20 && minor < 20)) {
  // Before anything else is loaded: an older Node.js ends at its imports.
  process.stderr.write(
    `parley: Node.js ${process.versions.node} is too old.\nTry: install Node.js 20.20 or newer\n`,
  );
  process.exitCode = 2;
} else {
  const { runProgram } = await import("../command.ts");
  process.exitCode = await runProgram(args);
}
