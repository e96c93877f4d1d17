import { createHash } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { canonical, type Json } from "../../kernel/index.ts";
import type { LoadedSoil } from "../domain.ts";
import { BUILTIN_TASKS } from "./tasks.ts";

/** The longest source of a function, in UTF-16 units. */
export const MAX_SOURCE = 20_000;
const MAX_FILE_BYTES = 1_000_000;

const Source = z.string().min(1).max(MAX_SOURCE);
const Example = z.strictObject({ args: z.array(z.json()).max(20), result: z.json() });
export type Example = z.infer<typeof Example>;

const Property = z.strictObject({
  name: z.string().min(1).max(100),
  /** `(fn, random) => boolean`, called once for each case. */
  source: Source,
});

/** A task of which a candidate is one function. */
export const FunctionTask = z.strictObject({
  /** The function's name. */
  name: z.string().regex(/^[A-Za-z_$][\w$]{0,59}$/, "must be the name of a JavaScript function"),
  /** What a model is told to solve. */
  statement: z.string().min(1).max(MAX_SOURCE),
  /** The function that is to be bettered. It decides what is right on fresh inputs. */
  incumbent: Source,
  /** What a model is shown. */
  visible: z.array(Example).min(1).max(100),
  /** What a model is never shown. */
  hidden: z.array(Example).min(1).max(1_000),
  properties: z.array(Property).max(50).default([]),
  /** `(random) => arguments`: the inputs on which speed is measured, and results are compared. */
  workload: Source,
  /** How many times less work a candidate has to do than the incumbent. */
  ratio: z.number().min(1).max(1_000).default(1.2),
});
export type FunctionTask = z.infer<typeof FunctionTask>;

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
