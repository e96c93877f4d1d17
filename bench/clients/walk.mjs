// node --import walk.mjs: counts the functions and files of src/ that are entered, and how often one file follows another; on
// SIGUSR2 writes these to the file that WALK_COUNTS names, and ends the process.
import { readFileSync, writeFileSync } from "node:fs";
import { register } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import ts from "typescript";

const sources = new URL("../../src/", import.meta.url).href;

if (isMainThread) {
  const counts = { functions: 0, files: new Set(), changes: 0 };
  let last = "";
  Reflect.set(globalThis, "walked", (/** @type {string} */ file) => {
    counts.functions += 1;
    counts.files.add(file);
    if (file !== last) counts.changes += 1;
    last = file;
  });
  process.on("SIGUSR2", () => {
    writeFileSync(process.env["WALK_COUNTS"] ?? "", JSON.stringify({ ...counts, files: counts.files.size }));
    process.kill(process.pid, "SIGKILL");
  });
  register(import.meta.url);
}

/** @type {import("node:module").LoadHook} */
export function load(url, context, next) {
  const [bare = ""] = url.split("?");
  if (!bare.startsWith(sources) || !bare.endsWith(".ts")) return next(url, context);
  const source = instrument(readFileSync(fileURLToPath(bare), "utf8"), bare.slice(sources.length));
  return { format: "module", source, shortCircuit: true };
}

/** The same as JavaScript, in which every function but a constructor or a getter first says in which file it is. @param {string} text @param {string} file */
function instrument(text, file) {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      ...{ module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true },
    },
  });
  const call = `globalThis.walked(${JSON.stringify(file)})`;
  /** @type {[at: number, text: string][]} */
  const insertions = [];
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body))
      insertions.push([node.body.pos, ` (${call},`], [node.body.end, ")"]);
    else if (
      (ts.isArrowFunction(node) ||
        ts.isFunctionDeclaration(node) ||
        ts.isFunctionExpression(node) ||
        ts.isMethodDeclaration(node)) &&
      node.body
    )
      insertions.push([node.body.getStart() + 1, `${call};`]);
    ts.forEachChild(node, visit);
  };
  const tree = ts.createSourceFile(file, outputText, ts.ScriptTarget.ES2022, true);
  visit(tree);
  let [at, walked] = [0, ""];
  for (const [next, inserted] of insertions.sort(([one], [other]) => one - other)) {
    walked += outputText.slice(at, next) + inserted;
    at = next;
  }
  return walked + outputText.slice(at);
}
