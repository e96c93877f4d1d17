import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import { explainIssue } from "../../../config/explain.ts";
import { meaningOf, nameOf, tidy } from "../../../server/api/openapi.ts";
import { checkForm } from "../../../server/body.ts";
import type { OperationTool } from "../../../server/operation.ts";
import { once } from "../../../kernel/once.ts";
import { Refused } from "../../../server/problem.ts";

// Tools take and give what the native API does, by the same schemas; what is unknown is refused with the nearest name.

// A model reads the list of tools with every question: of what a tool takes it has the fields that matter with what they mean, and of what
// it gives the names of the fields. Whatever else is checked here is in the document of the native API.

type JsonObject = Readonly<Record<string, unknown>>;

/** A schema as the SDK takes it: our words for what does not fit, and JSON Schema that is made once by `publish`. */
function toolSchema<T extends z.ZodType>(
  schema: T,
  publish: (whole: JsonObject) => Record<string, unknown>,
): StandardSchemaWithJSON<z.infer<T>> {
  const json = once(() =>
    publish(z.toJSONSchema(schema, { io: "output", unrepresentable: "any", override: tidyTool })),
  );
  return {
    "~standard": {
      version: 1,
      vendor: "parley",
      validate(value) {
        checkForm(value);
        const read = schema.safeParse(value, { reportInput: true });
        return read.success ? { value: read.data } : { issues: [{ message: problemIn(schema, read.error) }] };
      },
      jsonSchema: { input: json, output: json },
    },
  };
}

function problemIn(schema: z.ZodType, error: z.ZodError): string {
  const { path, say, next } = explainIssue(schema, error);
  const problem = say(path.length === 0 ? "the arguments" : path.join("."));
  return next === undefined ? problem : `${problem}; ${next}`;
}

/** Bounds that a model has no use for: what is beyond them is refused in words. */
const BOUNDS = ["pattern", "minLength", "maxLength", "minItems", "maxItems", "propertyNames", "readOnly"];

/** As the document of the native API has it, without bounds, and with what clients that map schemas to other dialects ask for. */
function tidyTool(given: Parameters<typeof tidy>[0]): void {
  tidy(given);
  const { jsonSchema } = given;
  for (const name of BOUNDS) delete jsonSchema[name];
  if (jsonSchema["maximum"] === Number.MAX_SAFE_INTEGER) delete jsonSchema["maximum"];
  const { additionalProperties: more } = jsonSchema;
  if (typeof more === "object" && more !== null && Object.keys(more).length === 0)
    jsonSchema["additionalProperties"] = true;
}

const say = <T extends z.ZodType>(schema: T, meaning: string) => schema.optional().describe(meaning);
/** What every tool takes that opens or drives a deliberation. */
const OPENING = {
  request: say(
    z.string().regex(/^[\x21-\x7e]{1,200}$/),
    "A name for this call: a repeat of it joins the same deliberation, and pays nothing.",
  ),
  on_disconnect: say(
    z.enum(["continue", "cancel"]),
    "What becomes of it when the client goes away; it goes on by default.",
  ),
};
const SETTINGS = {
  settings: say(z.record(z.string(), z.unknown()), 'Other settings by name, such as {"quorum": 2}.'),
};
const MAX_FILES = 100;
/** What a tool takes beside `context` where the server may read its client's files. */
const NAMED_FILES = {
  files: say(
    z.array(z.string().min(1).max(4_096)).max(MAX_FILES),
    "Paths of files that models are to see, read here: do not repeat their texts.",
  ),
  diff: say(
    z.string().min(1).max(200),
    "A revision, such as main: models see what has changed since, also what is not committed.",
  ),
};
/** Whether a tool takes texts beside a question, so that files can be among them. */
const takesContext = ({ form: { fields } }: OperationTool): boolean => fields?.includes("context") ?? false;

type FieldShapes = Readonly<Record<string, z.ZodType>>;

/** The fields of a body; of one that has several forms, all of them beside each other. */
function fieldsOf(body: z.ZodType | undefined): FieldShapes {
  if (body instanceof z.ZodObject) return body.shape;
  if (!(body instanceof z.ZodUnion)) return {};
  const all = Object.assign({}, ...body.options.map((one) => fieldsOf(one as z.ZodType))) as FieldShapes;
  return Object.fromEntries(Object.entries(all).map(([name, field]) => [name, field.optional()]));
}

/** Whether a tool takes fields that models are not shown. */
const takesSettings = ({ form, operation }: OperationTool): boolean =>
  form.fields !== undefined && operation.body !== undefined;

/** What a tool takes; `readsFiles`: whether the server may read its client's files. */
export function inputOf(tool: OperationTool, readsFiles: boolean): ReturnType<typeof inputSchema> {
  const { form, operation } = tool;
  const { preset = {} } = form;
  const { params, query, body, opens } = operation;
  const described = (of: string, fields: FieldShapes) =>
    Object.entries(fields).map(([name, field]) => {
      const inner = field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field;
      const meaning = field.description ?? inner.description ?? meaningOf(of, name) ?? "";
      const usual = preset[name] === undefined ? "." : `; ${JSON.stringify(preset[name])} by default.`;
      return [name, field.describe(meaning.replace(/\.$/, usual))] as const;
    });
  const all = new Map([
    ...described("path", (params?.shape ?? {}) as FieldShapes),
    ...described("query", (query?.shape ?? {}) as FieldShapes),
    ...described(nameOf(body) ?? "", fieldsOf(body)),
  ]);
  const { fields = [...all.keys()], names } = form;
  const shown = fields.map((name) => {
    const field = all.get(name);
    if (!field) throw new Error(`${operation.name} has no field ${name}`);
    return [nameIn(names, name), field] as const;
  });
  // What is not shown is read with the body.
  const hidden = takesSettings(tool)
    ? [...all.keys()].filter((name) => !fields.includes(name) && preset[name] === undefined)
    : [];
  const own = {
    ...Object.fromEntries(shown),
    ...(readsFiles && takesContext(tool) ? NAMED_FILES : {}),
    ...(takesSettings(tool) ? SETTINGS : {}),
    ...(!opens ? {} : body ? OPENING : { on_disconnect: OPENING.on_disconnect }),
  };
  const schema = z.strictObject({
    ...Object.fromEntries(hidden.map((name) => [name, z.unknown().optional()])),
    ...own,
  });
  return inputSchema(schema, Object.keys(own));
}

/** What a tool takes by a schema; models are shown the fields of these names. */
export const inputSchema = (schema: z.ZodObject, shown = Object.keys(schema.shape)) =>
  toolSchema(schema, ({ properties, ...whole }) => {
    const named = properties as Readonly<Record<string, object>>; // an object's
    const meant = shown.map((name) => {
      const { description, ...field } = { description: undefined, ...named[name] };
      return [name, { description, ...(withoutWords(field) as object) }];
    });
    return { ...whole, properties: Object.fromEntries(meant), $schema: undefined };
  });

/** A schema without what its parts are described as. */
function withoutWords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutWords);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) => key !== "description" || typeof value !== "string",
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutWords(value)]));
}

type JsonFields = Readonly<Record<string, { readonly type?: unknown }>>;

/** What a tool gives: its fields by name, each with its type. */
export const outputOf = (output: z.ZodType): ReturnType<typeof toolSchema> =>
  toolSchema(output, ({ $ref, $defs = {}, ...whole }) => {
    const defined = new Map(Object.entries($defs as Readonly<Record<string, JsonObject>>));
    const { properties = {}, required } = defined.get(String($ref).replace("#/$defs/", "")) ?? whole;
    const types = Object.entries(properties as JsonFields).map(([name, { type }]) => {
      return [name, type === undefined ? {} : { type }] as const;
    });
    return { type: "object", properties: Object.fromEntries(types), required };
  });

const nameIn = (names: Readonly<Record<string, string>> = {}, name: string): string =>
  Object.hasOwn(names, name) ? (names[name] ?? name) : name;

/** The fields of an operation that a tool's arguments are. @throws Refused for what the native API would not take either */
export function readArguments(tool: OperationTool, args: Readonly<Record<string, unknown>>): object {
  const { form, operation } = tool;
  const { preset, names = {}, read } = form;
  if (read) return read(args);
  const fields = new Map(Object.entries(names).map(([field, name]) => [name, field]));
  const { settings, ...own } = takesSettings(tool) ? args : { ...args, settings: {} };
  const given: Record<string, unknown> = { ...(settings as object | undefined), ...preset };
  for (const [name, value] of Object.entries(own))
    if (!operation.opens || !Object.hasOwn(OPENING, name)) given[fields.get(name) ?? name] = value;
  if (!takesSettings(tool) || !operation.body) return given;
  const inPath = Object.keys(operation.params?.shape ?? {});
  const body = Object.entries(given).filter(([name]) => !inPath.includes(name));
  const checked = operation.body.safeParse(Object.fromEntries(body), { reportInput: true });
  if (checked.success) return { ...given, ...(checked.data as object) };
  const detail = problemIn(operation.body, checked.error);
  throw new Refused({ status: 422, code: "invalid-request", detail });
}

/** A deliberation, as far as a tool's list tells of it; `show` has a field for all there is. */
export const OF_RESULT = { id: z.string(), status: z.string(), answer: z.string().nullable() };
/** Where a deliberation stands that a call has waited for. `next`: what to do now; null where it has ended. */
export const McpOutcome = z.looseObject({ ...OF_RESULT, next: z.string().nullable() });
