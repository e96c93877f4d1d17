import * as z from "zod";
import type { Json, Tools, ToolSpec } from "../kernel/index.ts";

/** What a call of a tool ends in: JSON, or why there is none. */
export type ToolOutcome = Awaited<ReturnType<Tools["call"]>>;

/** A tool: what a model is told of it, and what it does with arguments that nobody has checked. */
export type Tool = {
  readonly spec: ToolSpec;
  readonly call: (input: Json, signal: AbortSignal) => Promise<ToolOutcome>;
};

type ToolDefinition<S extends z.ZodObject> = {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  /** The arguments as a refusal describes them. */
  readonly expects: string;
  readonly run: (input: z.output<S>, signal: AbortSignal) => Promise<ToolOutcome>;
};

/** A tool that runs on arguments that fit its schema, and says what it expects of any others. */
export function defineTool<S extends z.ZodObject>(definition: ToolDefinition<S>): Tool {
  const { name, description, input: schema, expects, run } = definition;
  return {
    // A JSON Schema is JSON.
    spec: { name, description, parameters: z.toJSONSchema(schema) as Json },
    async call(input, signal) {
      const read = schema.safeParse(input);
      if (read.success) return run(read.data, signal);
      return refuse(`${name} expects ${expects}; ${describeIssue(read.error.issues[0])}`);
    },
  };
}

/** A key that the schema does not know is not repeated: it is the model's text, of any length. */
function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "unrecognized_keys") return "there is an argument that it does not know";
  const where = issue?.path.length ? `${issue.path.join(".")} is` : "the arguments are";
  return `${where} not valid: ${issue?.message ?? "unreadable"}`;
}

/** Why a tool gives nothing back: one bounded line, for the model to act on. It names no path outside of the folder. */
export type Refusal = { readonly ok: false; readonly reason: string };

export function refuse(reason: string): Refusal {
  return { ok: false, reason: oneLine(reason, 600) };
}

export const CHANGED = "changed while it was being read; ask for it again";

/** What an error of the file system says about `name`: by its code alone, since its message names whole paths. */
export function describeFileError(name: string, error: unknown): Refusal {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  const known = typeof code === "string" && /^E[A-Z0-9]{1,20}$/.test(code);
  return refuse(
    `${name} ${(known && FILE_ERRORS.get(code)) || `cannot be read${known ? ` (${code})` : ""}`}`,
  );
}

const FILE_ERRORS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "does not exist"],
  ["ENOTDIR", "does not exist: a part of its path is a file"],
  ["EACCES", "may not be read"],
  ["EPERM", "may not be read"],
  // Links are followed before anything is opened, so this one came afterwards.
  ["ELOOP", CHANGED],
  ["ENAMETOOLONG", "has a longer name than the system takes"],
  ...["EMFILE", "ENFILE"].map((code) => [code, "cannot be read now: too many files are open"] as const),
]);

/** Foreign text as part of one line: control and formatting characters gone, cut at `most` UTF-16 units. */
export function oneLine(text: string, most: number): string {
  const clean = text
    .slice(0, most * 4)
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
