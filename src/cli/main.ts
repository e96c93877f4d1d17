#!/usr/bin/env node
import manifest from "../../package.json" with { type: "json" };

const [first] = process.argv.slice(2);
// The one answer that needs nothing else loaded.
if (first === "--version" || first === "-V") process.stdout.write(`${manifest.version}\n`);
else {
  const { keepCompiledCode } = await import("./compiled-code.ts");
  keepCompiledCode(process.env);
  // A command parses a few dozen values: compiling a function for each schema would take longer than it saves.
  const { config } = await import("zod");
  config({ jitless: true });
  const { runProgram } = await import("./program.ts");
  process.exitCode = await runProgram(process.argv.slice(2));
}
