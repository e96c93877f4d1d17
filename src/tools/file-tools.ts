import { realpath, stat } from "node:fs/promises";
import { type Tools, type ToolSpec, refusal } from "../kernel/index.ts";
import { fileRead } from "./file-read.ts";
import { listFiles } from "./list-files.ts";
import { oneLine, refuse } from "./tool.ts";

export type FileTools = Tools & {
  /** What a model is told of them. */
  readonly specs: readonly ToolSpec[];
};

/**
 * `file_read` and `list_files` over one folder, which they never leave and never write to. The folder is found
 * once: a link that `dir` goes through may change afterwards. `call` rejects only for an aborted signal.
 *
 * Somebody who may write to the folder while it is read, and wins several races in one call, is not kept out.
 * @throws Fault `configuration` where `dir` is no folder
 */
export async function createFileTools(dir: string): Promise<FileTools> {
  const root = await findRoot(dir);
  const tools = [fileRead(root), listFiles(root)];
  return {
    specs: tools.map(({ spec }) => spec),
    async call(name, input, signal) {
      signal.throwIfAborted();
      const tool = tools.find(({ spec }) => spec.name === name);
      if (!tool)
        return refuse(`there is no such tool; there are ${tools.map(({ spec }) => spec.name).join(", ")}`);
      try {
        return await tool.call(input, signal);
      } catch {
        signal.throwIfAborted();
        return refuse(`${name} failed`); // an error's own words may name paths
      }
    },
  };
}

async function findRoot(dir: string): Promise<string> {
  try {
    const root = await realpath(dir);
    if ((await stat(root)).isDirectory()) return root;
  } catch {
    // as for what is no folder
  }
  throw refusal(
    `the tools' folder ${oneLine(dir, 300)} is not there, or not a folder`,
    "name a folder that may be read",
  );
}
