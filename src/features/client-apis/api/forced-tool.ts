import { badField } from "./errors.ts";
import { fieldsIn, type SentFields } from "./parts.ts";
import { readSchema } from "./structured.ts";

// A request that demands a call of one tool asks for an answer in a form by another name: the tool's parameters are its schema, and the
// answer is given as that call.

/** The tool that the answer has to be a call of. `isFunction`: in the older form, without an id. */
export type ForcedTool = {
  readonly name: string;
  readonly isFunction: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
};

const MAX_TOOLS = 1_000;

const functionsIn = (tools: unknown): readonly SentFields[] =>
  [tools ?? []].flat().slice(0, MAX_TOOLS).map(fieldsIn);

/** A tool by its name, in the form of any of the APIs. */
function namedTool(tool: SentFields): { readonly name: string; readonly parameters: unknown } {
  const own = { ...tool, ...fieldsIn(tool["function"]) };
  return { name: typeof own["name"] === "string" ? own["name"] : "", parameters: own["parameters"] };
}

/** The names that a choice demands one of; undefined where it demands none. */
function findDemanded(choice: unknown, all: readonly string[]): readonly string[] | undefined {
  if (choice === "required" || choice === "any") return all;
  const given = fieldsIn(choice);
  if (given["type"] === "allowed_tools") {
    const allowed = { ...given, ...fieldsIn(given["allowed_tools"]) };
    const names = functionsIn(allowed["tools"]).map((tool) => namedTool(tool).name);
    return allowed["mode"] === "required" ? names : undefined;
  }
  const { name } = namedTool(given);
  return name === "" ? undefined : [name];
}

/** What a request demands a call of; undefined where it leaves that to whoever answers. @throws Refused 400 */
export function forcedTool(body: unknown): ForcedTool | undefined {
  const { tools, functions, tool_choice: choice, function_call: older } = fieldsIn(body);
  const isFunction = choice === undefined || choice === null;
  const all = [
    ...functionsIn(tools).filter(({ type = "function" }) => type === "function"),
    ...functionsIn(functions),
  ].map(namedTool);
  const param = isFunction ? "function_call" : "tool_choice";
  const names = findDemanded(isFunction ? older : choice, [...new Set(all.map(({ name }) => name))]);
  if (names === undefined) return undefined;
  if (names.length > 1)
    throw badField(param, `${param}: one tool at most can be demanded`, "name it, or let the model choose");
  const [name] = names;
  if (name === undefined) throw badField(param, `${param}: there is no tool that could be called`);
  const tool = all.find((one) => one.name === name);
  if (tool === undefined)
    throw badField(
      param,
      `${param}: there is no tool ${JSON.stringify(name.slice(0, 100))} of type function`,
    );
  const schema = { type: "object", ...fieldsIn(tool.parameters) };
  readSchema(schema, { param: "tools", of: `the parameters of ${name.slice(0, 100)}` });
  return { name, isFunction, schema };
}

const FORCING: readonly string[] = ["tools", "functions", "tool_choice", "function_call"];

/** The ignored fields of a request: those that demanded a tool were not. */
export const withoutForcing = (
  ignored: readonly string[],
  forced: ForcedTool | undefined,
): readonly string[] => (forced ? ignored.filter((name) => !FORCING.includes(name)) : ignored);
