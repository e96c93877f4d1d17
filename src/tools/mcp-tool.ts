import { createHash } from "node:crypto";
import { canonical, Json, type ToolSpec } from "../kernel/index.ts";
import { oneLine } from "./tool.ts";

/** A tool by its server's own name, and what a model is told of it. */
export type ServerTool = { readonly tool: string; readonly spec: ToolSpec };

/** In UTF-16 units; what providers take. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
const MAX_PARAMETERS = 32_000;

type ListedTool = {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
};

/** A server's tool as it is offered to models; undefined for one whose arguments are described beyond all bounds. */
export function readTool(
  server: string,
  { name, description = "", inputSchema }: ListedTool,
): ServerTool | undefined {
  const read = Json.safeParse(inputSchema);
  if (!read.success) return undefined;
  try {
    const parameters = cleanSchema(read.data);
    if (canonical(parameters).length > MAX_PARAMETERS) return undefined;
    const spec = {
      name: specName(server, name),
      description: oneLine(description, MAX_DESCRIPTION),
      parameters,
    };
    return { tool: name, spec };
  } catch {
    return undefined; // what is nested too deep, or has no canonical form
  }
}

/** `SERVER__TOOL`; with a part of its digest where that is too long or has characters that providers refuse. */
function specName(server: string, tool: string): string {
  const plain = `${server}__${tool.replaceAll(/[^\w-]/g, "_")}`;
  if (plain.length <= MAX_NAME && plain.endsWith(tool)) return plain;
  const digest = createHash("sha256").update(tool).digest("hex").slice(0, 8);
  return `${plain.slice(0, MAX_NAME - 9)}_${digest}`;
}

/** A schema whose descriptions are one bounded line each. */
function cleanSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(cleanSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      (key === "description" || key === "title") && typeof value === "string"
        ? oneLine(value, MAX_DESCRIPTION)
        : cleanSchema(value),
    ]),
  );
}
