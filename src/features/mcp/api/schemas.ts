import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import { Waiting } from "../../../contract/runs.ts";
import { explainIssue } from "../../../config/explain.ts";
import { describeFields, meaningOf, nameOf, tidy } from "../../../server/api/openapi.ts";
import { Result } from "../../../server/api/schemas.ts";
import { checkForm } from "../../../server/body.ts";
import type { OperationTool } from "../../../server/operation.ts";
import { Refused } from "../../../server/problem.ts";

// Tools take and give what the native API does, by the same schemas; what is unknown is refused with the nearest name.

/** A schema as the SDK takes it: our words for what does not fit, and JSON Schema that is made once. `of`: what its fields are described as those of. */
export function toolSchema<T extends z.ZodType>(schema: T, of?: string): StandardSchemaWithJSON<z.infer<T>> {
  let made: Record<string, unknown> | undefined;
  const json = () => {
    if (made) return made;
    const bare = z.toJSONSchema(schema, { io: "output", unrepresentable: "any", override: tidyTool });
    return (made = of === undefined ? bare : describeFields(bare, of));
  };
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

/** As the document of the native API has it, and with what clients that map schemas to other dialects ask for. */
function tidyTool(given: Parameters<typeof tidy>[0]): void {
  tidy(given);
  const { jsonSchema } = given;
  const { additionalProperties: more } = jsonSchema;
  if (typeof more === "object" && more !== null && Object.keys(more).length === 0)
    jsonSchema["additionalProperties"] = true;
}

/** What every tool takes that opens or drives a deliberation. */
const OPENING = {
  request: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .optional()
    .describe("A name for this call: a repeat of it joins the same deliberation, and pays nothing."),
  on_disconnect: z
    .enum(["continue", "cancel"])
    .optional()
    .describe(
      "What becomes of the deliberation when the client goes away while it waits; by default it goes on.",
    ),
};
const SETTINGS = {
  settings: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Any other setting of a request by its name, such as {"quorum": 2}.'),
};

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

export function inputOf(tool: OperationTool): z.ZodObject {
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
  return z.strictObject({
    ...Object.fromEntries(shown),
    ...(takesSettings(tool) ? SETTINGS : {}),
    ...(!opens ? {} : body ? OPENING : { on_disconnect: OPENING.on_disconnect }),
  });
}

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

/** Where a deliberation stands that a call has waited for. What everybody said is in `show`, and in its resources. */
export const McpOutcome = Result.omit({
  participants: true,
  control: true,
  section: true,
  criticalPathMs: true,
}).extend({
  /** The place in line, from 1; 0 where it is driven or has ended. */
  place: z.int(),
  /** What waits for people: the questions, and the caller's own seats with their prompts. */
  waiting: Waiting.nullable(),
  notes: z.array(z.looseObject({ code: z.string() })),
  /** What to do now; null where it has ended. */
  next: z.string().nullable(),
});
export type McpOutcome = z.infer<typeof McpOutcome>;
