import type { ClientName, ClientTool, ClientTools } from "../../../protocols/phases/client-tools.ts";
import { Json } from "../../../kernel/index.ts";
import { toText } from "../../../models/loose.ts";
import { badField } from "./errors.ts";
import { fieldsIn, type SentFields } from "./parts.ts";
import { checkSchema } from "./structured.ts";

// Whoever writes the answer may call the client's tools. A request that demands a call of one tool asks for an answer in a form by another
// name: the tool's parameters are its schema, and the answer is given as that call.

/** The tool that the answer has to be a call of. `isFunction`: in the older form, without an id. */
export type ForcedTool = {
  readonly name: string;
  readonly isFunction: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
};

/** What a request says of its client's tools. */
export type SentTools = {
  readonly forced?: ForcedTool;
  /** What whoever writes may call; absent where nothing may be called. */
  readonly offer?: Pick<ClientTools, "tools" | "required" | "single">;
};

const MAX_TOOLS = 1_000;
const MAX_NAME_LENGTH = 64;
const MAX_LENGTH = 1_000_000;

type NamedTool = ClientName & { readonly description: string; readonly parameters: unknown };

/** The tools of a request that its client runs, in the form of any of the APIs: not those that a provider would run. */
function toolsOf({ tools, functions }: SentFields): readonly NamedTool[] {
  const read = (tool: SentFields, more: Partial<ClientName> = {}): readonly NamedTool[] => {
    const { type = "function" } = tool;
    const own = { ...tool, ...fieldsIn(tool["function"]), ...fieldsIn(tool["custom"]) };
    const name = toText(own["name"]);
    if (type === "namespace")
      return [own["tools"] ?? []].flat().flatMap((one) => read(fieldsIn(one), { namespace: name }));
    if (name === "" || (type !== "function" && type !== "custom")) return [];
    const form =
      type === "custom"
        ? ({ form: type, parameters: TEXT_INPUT } as const)
        : { parameters: own["parameters"] };
    return [{ name, description: toText(own["description"]), ...form, ...more }];
  };
  return [
    ...[tools ?? []].flat().flatMap((tool) => read(fieldsIn(tool))),
    ...[functions ?? []].flat().flatMap((tool) => read(fieldsIn(tool), { form: "function_call" })),
  ];
}

/** What a tool of any text takes. */
const TEXT_INPUT = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };

/** The names that a choice leaves, and whether one of them is demanded. */
function chosenNames(
  choice: unknown,
  all: readonly string[],
): { names: readonly string[]; demanded: boolean } {
  if (choice === "none" || fieldsIn(choice)["type"] === "none") return { names: [], demanded: false };
  if (choice === "required" || choice === "any") return { names: all, demanded: true };
  const given = fieldsIn(choice);
  if (given["type"] === "allowed_tools") {
    const allowed = { ...given, ...fieldsIn(given["allowed_tools"]) };
    const names = toolsOf({ tools: allowed["tools"] }).map(({ name }) => name);
    return { names, demanded: allowed["mode"] === "required" };
  }
  const [named] = toolsOf({
    tools: [{ ...given, type: given["type"] === "custom" ? "custom" : "function" }],
  });
  return named ? { names: [named.name], demanded: true } : { names: all, demanded: false };
}

/** What a request says of its client's tools. @throws Refused 400 */
export function readTools(body: unknown): SentTools {
  const sent = fieldsIn(body);
  const { tool_choice: choice, function_call: older, parallel_tool_calls: parallel } = sent;
  const isFunction = choice === undefined || choice === null;
  const param = isFunction ? "function_call" : "tool_choice";
  const all = toolsOf(sent);
  if (all.length > MAX_TOOLS) throw badField("tools", `there are more than ${MAX_TOOLS} tools`);
  const { names, demanded } = chosenNames(isFunction ? older : choice, [
    ...new Set(all.map(({ name }) => name)),
  ]);
  const chosen = all.filter(({ name }) => names.includes(name));
  const [first] = chosen;
  if (demanded && first === undefined) {
    const [name] = names;
    const which = name === undefined ? "" : ` ${JSON.stringify(name.slice(0, 100))} of type function`;
    throw badField(param, `${param}: there is no tool${which}${which === "" ? " that could be called" : ""}`);
  }
  if (first === undefined) return {};
  if (demanded && names.length === 1 && first.form !== "custom") {
    const schema = { type: "object", ...fieldsIn(first.parameters) };
    checkSchema(schema, { param: "tools", of: `the parameters of ${first.name.slice(0, 100)}` });
    return { forced: { name: first.name, isFunction, schema } };
  }
  const tools = specsOf(chosen);
  if (JSON.stringify(tools).length > MAX_LENGTH)
    throw badField("tools", `the tools have more than ${MAX_LENGTH} characters together`);
  const isSingle = parallel === false || tools.some(({ as }) => as?.form === "function_call");
  return { offer: { tools, ...(demanded ? { required: true } : {}), ...(isSingle ? { single: true } : {}) } };
}

/** The tools as models are told of them: by names that every provider takes, each once. */
function specsOf(tools: readonly NamedTool[]): ClientTool[] {
  const taken = new Set<string>();
  return tools.map(({ description, parameters, ...as }) => {
    const whole = as.namespace === undefined ? as.name : `${as.namespace}__${as.name}`;
    const usable = whole.replaceAll(/[^\w-]/g, "_");
    let name = usable.slice(0, MAX_NAME_LENGTH);
    for (let nth = 2; taken.has(name); nth += 1) name = `${usable.slice(0, MAX_NAME_LENGTH - 5)}_${nth}`;
    taken.add(name);
    const schema = Json.catch({}).parse({ type: "object", properties: {}, ...fieldsIn(parameters) });
    const isPlain = name === as.name && as.form === undefined && as.namespace === undefined;
    return { name, description, parameters: schema, ...(isPlain ? {} : { as }) };
  });
}

const MAX_NOTE_LENGTH = 6_000;

/** Instructions, and what everybody is told of tools that only whoever writes the answer may call. */
export function withToolNote(system: string, { tools }: Pick<ClientTools, "tools">): string {
  const lines = tools.map(
    ({ name, description }) => `- ${name}: ${description.replaceAll(/\s+/g, " ").slice(0, 160)}`,
  );
  const note = [
    "Whoever writes the answer can call these tools of the person's own program, and goes on with what they give. Whoever drafts cannot: say which to call, with what, and why.",
    ...lines,
  ].join("\n");
  const cut = note.length <= MAX_NOTE_LENGTH ? note : `${note.slice(0, MAX_NOTE_LENGTH).toWellFormed()}…`;
  return system === "" ? cut : `${system}\n\n${cut}`;
}

const USED: readonly string[] = ["tools", "functions", "tool_choice", "function_call", "parallel_tool_calls"];

/** The ignored fields of a request: those of tools that are called were not. */
export const withoutUsed = (ignored: readonly string[], { forced, offer }: SentTools): readonly string[] =>
  forced || offer ? ignored.filter((name) => !USED.includes(name)) : ignored;
