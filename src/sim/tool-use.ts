import type { Json, ModelRequest, ToolCall } from "../kernel/index.ts";
import { splitFenced } from "../prompts/material.ts";
import { quotable } from "./wording.ts";

/** The call that a model of this wish makes before it answers; null where it has no such tool, or has called one. */
export function wantedCall({ messages, tools = [] }: ModelRequest, wish: string | null): ToolCall | null {
  const [wanted = "", written] = wish?.split(/:(.*)/s, 2) ?? [];
  const tool = tools.find(({ name }) => name === wanted || name.endsWith(`__${wanted}`));
  if (wanted === "" || !tool || messages.some(({ role }) => role === "tool")) return null;
  const input = written ?? JSON.stringify(sampleOf(tool.parameters) ?? {});
  return { id: `${tool.name}-1`.slice(0, 64), name: tool.name, arguments: input };
}

/** What it says of the tool that it called; empty where it called none. */
export function toolRemark({ messages, reply }: ModelRequest, wish: string | null): string {
  const result = messages.findLast(({ role }) => role === "tool")?.text;
  if (wish === null || result === undefined || reply !== undefined) return "";
  return `The tool says: “${quotable(splitFenced(result).pieces[0]?.text ?? "", 400)}”\n\n`;
}

/** A value that fits a schema in its usual forms: what an object requires, and the first of what is allowed. */
function sampleOf(schema: Json | undefined): Json | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined;
  const { type, properties = {}, required = [], enum: allowed, default: usual } = schema;
  if (usual !== undefined) return usual;
  if (Array.isArray(allowed)) return allowed[0];
  if (type === "string") return "a text";
  if (type === "number" || type === "integer") return schema["minimum"] ?? 1;
  if (type === "boolean") return false;
  if (type === "array") return [];
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return {};
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name]) ?? "a text"]));
}
