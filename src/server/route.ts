import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";
import type { Parley } from "../app/parley.ts";
import { Since } from "../config/duration.ts";
import { explainIssue } from "../config/explain.ts";
import { sentences } from "../config/setting-sentences.ts";
import { settingTypes, type SettingKey } from "../config/settings.ts";
import type { FileContext } from "../config/paths.ts";
import { LOCAL_PRINCIPAL, type Opening, type Scope, type World } from "../kernel/index.ts";
import type { ApiCaller } from "./quota.ts";
import type { Access } from "./access.ts";
import { MAX_ATTACHED_BODY, MAX_BODY, readJson } from "./body.ts";
import type { Drives } from "./drives.ts";
import type { Followers } from "./followers.ts";
import { Problem, Refused, type HttpRefusal, type HttpReply } from "./problem.ts";
import type { Results } from "./results.ts";

// One definition routes a request, checks what it brings, says what it replies, and stands in the OpenAPI document.

/** What all routes of a server share. */
export type Services = {
  readonly parley: Parley;
  readonly access: Access;
  readonly drives: Drives;
  readonly followers: Followers;
  readonly results: Results;
  readonly config: ServerConfig;
  readonly world: Pick<World, "now" | "id">;
  /** `/` or a path that ends in one. */
  readonly base: string;
  /** Where clients reach it, with a slash at its end. */
  readonly publicUrl: string;
  readonly log: (line: string) => void;
  /** The trace that a request says it belongs to, where runs are traced. */
  readonly traceOf?: ((carrier: TraceCarrier) => ClientTrace | undefined) | undefined;
};

/** What may have `traceparent` and `tracestate`: headers, or what MCP calls `_meta`. */
export type TraceCarrier = Readonly<Record<string, unknown>>;
export type ClientTrace = NonNullable<NonNullable<Opening["client"]>["trace"]>;

/** What the process was configured with. */
export type ServerConfig = {
  readonly version: string;
  readonly place: FileContext;
  /** How many deliberations deep a request may come from: a call of a deliberation's own is at depth 1. */
  readonly maxDepth: number;
  /** For how long nothing may come on a connection that waits, in milliseconds; ten seconds by default. */
  readonly quietMs?: number;
};

/** One request on its way. `signal` aborts when the client has gone. */
export type HttpExchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly signal: AbortSignal;
};

export type RouteCall<P, Q, B> = HttpExchange &
  Services & {
    readonly params: P;
    readonly query: Q;
    readonly body: B;
    /** The body as it was sent; empty without one. */
    readonly sent: string;
    readonly caller: ApiCaller;
  };

/** What a reply of a status holds: a schema for JSON, or another type. */
export type DeclaredReply = z.ZodType | { readonly type: string; readonly description: string };

export type RouteParts<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> = {
  /** The operation's name in the document. */
  readonly name: string;
  readonly summary: string;
  readonly tag: string;
  readonly needs: Scope;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Whether the body may hold pictures and documents. */
  readonly attaches?: boolean;
  /** One such body, as the document shows it. */
  readonly example?: z.input<B>;
  /** Headers that it reads, each with what it does. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Several for one status where the client chooses by Accept. */
  readonly replies: { readonly [status: number]: DeclaredReply | readonly DeclaredReply[] };
  /** Resolves to a reply, or to none where it has written one itself. */
  handle(call: RouteCall<z.infer<P>, z.infer<Q>, z.infer<B>>): Promise<HttpReply | undefined>;
};

export type HttpMethod = "get" | "post" | "delete";

export type ApiRoute = Omit<RouteParts<z.ZodObject, z.ZodObject, z.ZodType>, "handle"> & {
  readonly method: HttpMethod;
  /** Below the API's prefix, with its parameters as `{id}`. */
  readonly path: string;
  answer(
    exchange: HttpExchange,
    services: Services,
    params: Readonly<Record<string, string>>,
  ): Promise<HttpReply | undefined>;
};

/** The routes below one prefix, which say their refusals in one way. */
export type ApiSurface = {
  /** Without a slash at its beginning, with one at its end: `api/v1/`. */
  readonly prefix: string;
  readonly routes: readonly ApiRoute[];
  refuse(refusal: HttpRefusal): HttpReply;
};

export function route<
  P extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Q extends z.ZodObject = z.ZodObject<Record<never, never>>,
  B extends z.ZodType = z.ZodUndefined,
>(method: HttpMethod, path: string, parts: RouteParts<P, Q, B>): ApiRoute {
  return {
    ...parts,
    ...(method === "post" ? { replies: { ...parts.replies, 413: Problem, 415: Problem } } : {}),
    method,
    path,
    async answer(exchange, services, given) {
      const caller = await services.access.caller(exchange.request);
      checkScope(caller, parts.needs);
      const params = parse("path", parts.params, readTexts(parts.params, given));
      const query = parse("query", parts.query, readTexts(parts.query, queryOf(exchange.url)));
      const { text: sent, json } =
        method === "post"
          ? await readJson(exchange.request, parts.attaches ? MAX_ATTACHED_BODY : MAX_BODY)
          : { text: "", json: undefined };
      const body = parse(
        "body",
        parts.body,
        sent === "" && !parts.body?.safeParse(undefined).success ? {} : json,
      );
      return parts.handle({ ...exchange, ...services, params, query, body, sent, caller } as RouteCall<
        z.infer<P>,
        z.infer<Q>,
        z.infer<B>
      >); // Each part was read by its own schema.
    },
  };
}

/** @throws Refused 403 for a credential without the scope, and for another organization's, which may not change the one library */
export function checkScope({ principal }: Pick<ApiCaller, "principal">, needs: Scope): void {
  const { organization, scopes } = principal;
  const isOther = needs === "manage" && organization !== LOCAL_PRINCIPAL.organization;
  if (scopes.includes(needs) && !isOther) return;
  const detail = isOther
    ? "this server has one library, and another organization's credential may not change it"
    : `the credential may not ${needs}`;
  const next = isOther ? "change it as the organization local" : `use one with the scope ${needs}`;
  throw new Refused({ status: 403, code: "forbidden", detail, next });
}

/** A parameter that comes twice is refused like one that is unknown. */
function queryOf({ searchParams }: URL): Record<string, string | readonly string[]> {
  const named = [...searchParams].map(([key, only]) => {
    const all = searchParams.getAll(key);
    return [key, all.length > 1 ? all : only] as const;
  });
  return Object.fromEntries(named); // whose entries are its own, also `__proto__`
}

/** @throws Refused 422 (400 for a path or a query) that says where it is wrong, and the nearest known name */
function parse(where: "path" | "query" | "body", schema: z.ZodType | undefined, given: unknown): unknown {
  if (!schema) {
    if (
      where === "path" ||
      given === undefined ||
      (typeof given === "object" && given !== null && Object.keys(given).length === 0)
    )
      return undefined;
    const detail = `this takes no ${where}`;
    throw new Refused({ status: where === "body" ? 422 : 400, code: "invalid-request", detail });
  }
  const read = schema.safeParse(given, { reportInput: true });
  if (read.success) return read.data;
  const { path, say, next } = explainIssue(schema, read.error);
  const name = path.length === 0 ? `the ${where}` : path.join(".");
  const pointer = where === "body" ? `#/${path.map(escapePointer).join("/")}` : path.join(".");
  const detail = say(name);
  throw new Refused({
    ...{ status: where === "body" ? 422 : 400, code: "invalid-request", detail },
    ...(next === undefined ? {} : { next }),
    errors: [{ pointer, detail }],
  });
}

const escapePointer = (key: PropertyKey): string =>
  String(key).slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1");

/** What stands in a URL is text: numbers and yes or no are read where a field is one. */
function readTexts<T>(schema: z.ZodObject | undefined, texts: Readonly<Record<string, T>>): object {
  const read = ([name, text]: [string, T]) => {
    const field = schema && Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    const bare = field instanceof z.ZodOptional ? field.unwrap() : field;
    if (bare instanceof z.ZodNumber && /^\d{1,15}$/.test(String(text))) return [name, Number(text)];
    if (bare instanceof z.ZodBoolean && /^(?:true|false)$/.test(String(text))) return [name, text === "true"];
    return [name, text];
  };
  return Object.fromEntries(Object.entries(texts).map(read));
}

/** A whole number. */
export const whole = (least: number, most: number) => z.int().min(least).max(most);

/** A moment, in milliseconds since 1970. `inDocument`: as it is written. */
export const moment = () =>
  Since.meta({
    inDocument: {
      type: "string",
      examples: ["2026-01-31", "12h"],
      description: "A day or a time in UTC, or how long ago.",
    },
  });

/** The settings of these names as a request has them. */
export const settingFields = (keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, settingField(key).describe(sentences[key as SettingKey])]));

/**
 * A setting as a request in JSON has it: without its default and without the spellings of files and flags, such as lists with
 * commas, and with times in whole milliseconds or as people write them.
 */
function settingField(key: string): z.ZodType {
  if (!key.endsWith("Ms")) return spellingSchema(settingTypes[key as SettingKey]).optional();
  return z
    .union([
      z
        .int()
        .positive()
        .max(2 ** 31 - 1),
      z.string().min(1).max(40),
    ])
    .optional();
}

/** What a spelling is read into, with the words that errors say of it. */
function spellingSchema(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform
    ? (schema.out as z.ZodType).meta({ ...schema.meta() }) // a schema of its own
    : schema;
}
