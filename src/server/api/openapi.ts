import * as z from "zod";
import { ForkEstimate, ModelList, RunEstimate, Usage } from "../../contract/figures.ts";
import * as knowledge from "../../contract/knowledge.ts";
import * as library from "../../contract/library.ts";
import * as runs from "../../contract/runs.ts";
import { Json, Labels, type ReportPart } from "../../kernel/index.ts";
import { pageHtml } from "../../reports/page.ts";
import { Problem, TITLES } from "../problem.ts";
import type { DeclaredReply, ApiRoute } from "../route.ts";
import { FIELDS } from "./fields.ts";
import * as requests from "./schemas.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** The names of the schemas in the document. `Json` is recursive: without a name of its own it could not be referred to. */
const COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  ...{ Json, Labels, Problem },
  ...{ Estimate: RunEstimate, ForkEstimate, ModelList, Usage },
  ...{ ...knowledge, ...library, ...runs, ...requests },
};

export const nameOf = (schema: z.ZodType | undefined): string | undefined =>
  Object.entries(COMPONENTS).find(([, one]) => one === schema)?.[0] ?? schema?.meta()?.id;

const TAGS: Readonly<Record<string, string>> = {
  Deliberations: "Put questions, and read results.",
  Journal: "Every event of a deliberation, as it was recorded.",
  Actions: "Cancel, resume, fork, replay and measure.",
  People: "What waits for people, and what they say.",
  Memory: "What is remembered of earlier answers.",
  Knowledge: "What all runs come to together: votes, leagues, shares of answers, and what their reactors do.",
  Library: "Personas, strategies, packs and prompts: reading, writing, breeding and trying them.",
  Catalog: "Models, personas, strategies, settings, and what all of it costs.",
  Sessions: "Browsers that are signed in.",
  Bus: "The events as the messages of LoCAL2's bus.",
};

/** The bodies and replies of features' routes, and fields of these, that have a name of their own: `.meta({ id: "Poll" })`. */
const namedIn = (routes: readonly ApiRoute[]): readonly (readonly [string, z.ZodType])[] =>
  routes
    .flatMap(({ body, replies }) => [body, ...Object.values(replies).flat()])
    .flatMap((schema) => [schema, ...(schema instanceof z.ZodObject ? Object.values(schema.shape) : [])])
    .flatMap((schema) => {
      const id = schema instanceof z.ZodType ? schema.meta()?.id : undefined;
      return schema instanceof z.ZodType && id !== undefined ? [[id, schema] as const] : [];
    });

/** The OpenAPI 3.1 document of these routes, made from what checks their requests and replies. */
export function openApiDocument(
  routes: readonly ApiRoute[],
  { version, url, cookie }: { readonly version: string; readonly url: string; readonly cookie: string },
): JsonSchema {
  const registry = z.registry<{ id: string }>();
  const components = [...Object.entries(COMPONENTS), ...namedIn(routes)];
  for (const [id, schema] of components) registry.add(schema, { id });
  const names = new Map(components.map(([name, schema]) => [schema, name]));
  const uri = (id: string) => `#/components/schemas/${id}`;
  const made = z.toJSONSchema(registry, { uri, io: "output", unrepresentable: "any", override: tidy });
  const referTo = (schema: z.ZodType): JsonSchema => {
    const name = names.get(schema);
    if (name === undefined) throw new Error("a body or a reply has no name in the document");
    return { $ref: uri(name) };
  };
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of routes) (paths[`/${one.path}`] ??= {})[one.method] = operationOf(one, referTo);
  return {
    openapi: "3.1.1",
    info: {
      ...{ title: "Parley", version, license: { name: "MIT", identifier: "MIT" } },
      contact: { name: "Parley contributors", url: "https://www.npmjs.com/package/@parley-llm/parley" },
      description:
        "Puts a question before several models and gives back one answer with a full audit trail. " +
        "Refusals are RFC 9457 problems: `code` is for programs, `next` says what to do.",
    },
    servers: [{ url: `${url}api/v1` }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ bearer: [] }, { key: [] }, { session: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(made.schemas).map(([name, { $id: _id, $schema: _schema, ...schema }]) => [
          name,
          describeFields(schema, name),
        ]),
      ),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A key of the server's owner." },
        key: { type: "apiKey", in: "header", name: "x-api-key", description: "The same key." },
        session: { type: "apiKey", in: "cookie", name: cookie, description: "A browser's session." },
      },
    },
  };
}

function operationOf(one: ApiRoute, referTo: (schema: z.ZodType) => JsonSchema): JsonSchema {
  const { name, summary, tag, needs, params, query, body, example, headers = {}, replies } = one;
  const parameters = [
    ...parametersOf("path", params),
    ...parametersOf("query", query),
    ...Object.entries(headers).map(([header, description]) => ({
      ...{ name: header, in: "header", required: false, description, schema: { type: "string" } },
    })),
  ];
  return {
    operationId: name,
    summary,
    tags: [tag],
    description: `${summary}. It needs the scope \`${needs}\`.`,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: {
            required: !body.safeParse({}).success,
            content: { "application/json": { schema: referTo(body), example } },
          },
        }
      : {}),
    responses: Object.fromEntries(
      Object.entries(replies).map(([status, reply]) => [status, replyOf(Number(status), reply, referTo)]),
    ),
  };
}

function replyOf(
  status: number,
  reply: DeclaredReply | readonly DeclaredReply[],
  referTo: (schema: z.ZodType) => JsonSchema,
): JsonSchema {
  if (isSeveral(reply)) {
    const all = reply.map((one) => replyOf(status, one, referTo));
    return { ...all[0], content: Object.assign({}, ...all.map(({ content }) => content)) as JsonSchema };
  }
  if (!(reply instanceof z.ZodType)) {
    const { type, description } = reply;
    return { description, ...(type === "" ? {} : { content: { [type]: { schema: { type: "string" } } } }) };
  }
  const type = reply === Problem ? "application/problem+json" : "application/json";
  return {
    description:
      TITLES[status] ?? (status === 201 ? "Recorded" : status === 202 ? "Accepted" : "It went well"),
    content: { [type]: { schema: referTo(reply) } },
  };
}

const isSeveral = (reply: DeclaredReply | readonly DeclaredReply[]): reply is readonly DeclaredReply[] =>
  Array.isArray(reply);

function parametersOf(where: "path" | "query", schema: z.ZodObject | undefined): readonly JsonSchema[] {
  return Object.entries(schema?.shape ?? {}).map(([name, given]) => {
    const bare = given instanceof z.ZodOptional ? (given.unwrap() as z.ZodType) : (given as z.ZodType);
    const { $schema: _schema, ...made } = z.toJSONSchema(bare, { unrepresentable: "any", override: tidy });
    const required = where === "path" || !(given instanceof z.ZodOptional);
    return {
      name,
      in: where,
      required,
      description: given.description ?? made.description ?? meaningOf(where, name),
      schema: made,
    };
  });
}

export const meaningOf = (parent: string, name: string): string | undefined =>
  [`${parent}.${name}`, name].flatMap((key) => (Object.hasOwn(FIELDS, key) ? (FIELDS[key] ?? []) : []))[0];

/** A schema whose fields say what they mean, also those that stand in lists, choices and other fields. `parent`: what it is the schema of. */
function describeFields<T>(schema: T, parent: string): T {
  if (Array.isArray(schema)) return schema.map((one: unknown) => describeFields(one, parent)) as T;
  if (typeof schema !== "object" || schema === null) return schema;
  const described = Object.entries(schema).map(([key, value]: [string, unknown]) => {
    if (key !== "properties") return [key, describeFields(value, parent)] as const;
    const fields = Object.entries(value as Readonly<Record<string, object>>).map(
      ([name, field]) =>
        [name, { description: meaningOf(parent, name), ...describeFields(field, name) }] as const,
    );
    return [key, Object.fromEntries(fields)] as const;
  });
  return Object.fromEntries(described) as T;
}

/** What is read of the document to show it. */
type ApiDocument = {
  readonly info: { readonly description: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, DocumentedSchema>> };
};
type DocumentedOperation = {
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description: string;
  }[];
  readonly requestBody?: { readonly content: { readonly "application/json": DocumentedContent } };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, Partial<DocumentedContent>>>;
      }
    >
  >;
};
type DocumentedContent = { readonly schema: { readonly $ref?: string }; readonly example: unknown };
type DocumentedSchema = {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, DocumentedSchema>>;
  readonly anyOf?: readonly DocumentedSchema[];
  readonly items?: DocumentedSchema;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
};

const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

/** The form of a value, in a few words. */
function formOf({ $ref, anyOf, items, type, const: only, ...schema }: DocumentedSchema): string {
  if ($ref !== undefined) return nameIn($ref);
  if (anyOf) return [...new Set(anyOf.map(formOf))].join(" or ");
  if (items) return `list of ${formOf(items)}`;
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(", ");
  return only === undefined ? [type ?? "any"].flat().join(" or ") : JSON.stringify(only);
}

/** Without the marks of Markdown. */
const plain = (text = ""): string => text.replaceAll("`", "");

/** Every field of a schema, those of its own fields below it as `field.inner`. */
const fieldRows = (schema: DocumentedSchema, above = ""): readonly (readonly string[])[] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    [
      `${above}${name}${schema.required?.includes(name) === true ? "" : "?"}`,
      plain(field.description),
      formOf(field),
    ],
    ...fieldRows(field, `${above}${name}.`),
  ]),
  ...[...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])].flatMap((one) =>
    fieldRows(one, above),
  ),
];

const FIELD_HEADS = ["field", "meaning", "form"];

/** The document as a page of HTML, which loads nothing. */
export function openApiPage(document: JsonSchema): string {
  const { info, tags, paths, components } = document as ApiDocument; // as `openApiDocument` makes it
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ heading: `${method.toUpperCase()} ${path}`, one })),
  );
  const operationPart = ({ heading, one }: (typeof operations)[number]): ReportPart => {
    const { requestBody, parameters = [], description, responses } = one;
    const body = requestBody?.content["application/json"];
    return {
      heading,
      folds: true,
      blocks: [
        { kind: "words", text: plain(description) },
        {
          kind: "table",
          heads: ["parameter", "in", "meaning"],
          rows: parameters.map((parameter) => [parameter.name, parameter.in, plain(parameter.description)]),
        },
        ...(body
          ? [
              { kind: "words" as const, text: `The body is ${formOf(body.schema)}, for example:` },
              { kind: "text" as const, text: JSON.stringify(body.example, undefined, 2), verbatim: "json" },
            ]
          : []),
        {
          kind: "table",
          heads: ["status", "meaning", "body"],
          rows: Object.entries(responses).map(([status, { description: meaning, content = {} }]) => [
            status,
            meaning,
            Object.entries(content)
              .map(([type, { schema }]) => (schema?.$ref === undefined ? type : nameIn(schema.$ref)))
              .join(", "),
          ]),
        },
      ],
    };
  };
  const schemas = Object.entries(components.schemas).map(([name, schema]): ReportPart => {
    const rows = fieldRows(schema);
    const form = { kind: "words" as const, text: formOf(schema) };
    return {
      heading: name,
      folds: true,
      blocks: rows.length > 0 ? [{ kind: "table", heads: FIELD_HEADS, rows }] : [form],
    };
  });
  return pageHtml({
    title: "The API of Parley",
    ...{ simulated: false, warnings: [], question: "The API of Parley", answer: null, final: "" },
    summary: `Version ${info.version}. ${plain(info.description)} As JSON: openapi.json.`,
    parts: [
      ...tags.map(({ name, description }): ReportPart => ({
        heading: name,
        blocks: [{ kind: "words", text: description }],
        parts: operations.filter(({ one }) => one.tags.includes(name)).map(operationPart),
      })),
      {
        heading: "Bodies",
        blocks: [{ kind: "words", text: "? stands after a field that may be left out." }],
        parts: schemas,
      },
    ],
  });
}

/** Leaves out what is for Parley's own errors, and gives lists of fixed length the items that validators ask for. */
export function tidy({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  Object.assign(jsonSchema, jsonSchema["inDocument"]);
  for (const key of ["expects", "example", "noun", "secret", "flag", "inDocument"]) delete jsonSchema[key];
  if ("prefixItems" in jsonSchema) jsonSchema["items"] ??= {};
}
