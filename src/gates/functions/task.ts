import { createHash } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { canonical, type Json } from "../../kernel/index.ts";
import type { LoadedSoil } from "../domain.ts";
import { BUILTIN_TASKS, FunctionTask } from "./tasks.ts";

const MAX_FILE_BYTES = 1_000_000;

const Settings = z.strictObject({ task: z.string().min(1).max(1_000) });

/**
 * Reads the task that a forest names: one that ships, a YAML file inside the forest's folder, or a folder there with a
 * `task.yaml`. @throws Error that names file and field
 */
export function loadTask(settings: Json, folder: string): LoadedSoil<FunctionTask> {
  const parsed = Settings.safeParse(settings);
  if (!parsed.success)
    throw new Error(`soil: ${describeIssue(parsed.error)}; expected { task: "<file or name>" }`);
  const { task: name } = parsed.data;
  const builtin = Object.hasOwn(BUILTIN_TASKS, name) ? BUILTIN_TASKS[name] : undefined;
  const file = builtin === undefined ? findFile(name, folder) : `built-in task ${name}`;
  const task = FunctionTask.safeParse(builtin ?? readYaml(file));
  if (!task.success) throw new Error(`${file}: ${describeIssue(task.error)}`);
  const digest = createHash("sha256").update(canonical(task.data)).digest("hex");
  return { soil: task.data, digest };
}

function findFile(name: string, folder: string): string {
  const names = Object.keys(BUILTIN_TASKS).join(", ");
  try {
    const root = realpathSync(folder);
    const path = realpathSync(resolve(root, name));
    const inside = relative(root, path);
    if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside))
      throw new Error(`soil.task leads out of the forest's folder (got "${name}")`);
    return statSync(path).isDirectory() ? join(path, "task.yaml") : path;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new Error(
      `soil.task: there is no file "${name}" in ${folder}, and no built-in task of that name (${names})`,
      { cause: error },
    );
  }
}

function readYaml(path: string): unknown {
  try {
    if (statSync(path).size > MAX_FILE_BYTES)
      throw new Error(`${path}: it must have at most ${MAX_FILE_BYTES} bytes`);
    // What has no form in JSON (dates, tags) is refused by the schema.
    return parse(readFileSync(path, "utf8"), { schema: "core", maxAliasCount: 100 }) as unknown;
  } catch (error) {
    if (isSystemError(error)) throw new Error(`${path}: it cannot be read (${error.code})`, { cause: error });
    const message = error instanceof Error ? error.message : String(error);
    if (message.startsWith(path)) throw error;
    throw new Error(`${path}: it is not YAML: ${message}`, { cause: error });
  }
}

const isSystemError = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && "code" in error && typeof error.code === "string" && "syscall" in error;

/** The first problem, with the field it is in: `hidden[2].args: …`. */
function describeIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return "it is not valid";
  const place = issue.path
    .map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${String(key)}`))
    .join("");
  return place === "" ? issue.message : `${place}: ${issue.message}`;
}
