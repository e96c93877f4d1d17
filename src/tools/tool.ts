import * as z from "zod";
import type { Json, Tools, ToolSpec } from "../kernel/index.ts";
import { refused } from "./refusal.ts";

/** What a call of a tool ends in: JSON, or why there is none. */
export type Outcome = Awaited<ReturnType<Tools["call"]>>;

/** A tool: what a model is told of it, and what it does with arguments that nobody has checked. */
export type Tool = {
  readonly spec: ToolSpec;
  readonly call: (input: Json, signal: AbortSignal) => Promise<Outcome>;
};

type Definition<S extends z.ZodObject> = {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  /** The arguments as a refusal describes them. */
  readonly expects: string;
  readonly run: (input: z.output<S>, signal: AbortSignal) => Promise<Outcome>;
};

/** A tool that runs on arguments that fit its schema, and says what it expects of any others. */
export function defineTool<S extends z.ZodObject>(definition: Definition<S>): Tool {
  const { name, description, input: schema, expects, run } = definition;
  return {
    // A JSON Schema is JSON.
    spec: { name, description, parameters: z.toJSONSchema(schema) as Json },
    async call(input, signal) {
      const read = schema.safeParse(input);
      if (read.success) return run(read.data, signal);
      return refused(`${name} expects ${expects}; ${wrongWith(read.error.issues[0])}`);
    },
  };
}

/** A key that the schema does not know is not repeated: it is the model's text, of any length. */
function wrongWith(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "unrecognized_keys") return "there is an argument that it does not know";
  const where = issue?.path.join(".") ?? "";
  return `${where === "" ? "the arguments are" : `${where} is`} not valid: ${issue?.message ?? "unreadable"}`;
}
