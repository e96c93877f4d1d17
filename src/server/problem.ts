import { isFault, redactSecrets, type FaultCode } from "../kernel/index.ts";
import * as z from "zod";

/** Why a request was refused (RFC 9457). `code` is for programs, `next` says what to do. */
export const Problem = z.strictObject({
  type: z.literal("about:blank"),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  next: z.string().optional(),
  /** Names the request: its `X-Request-Id` and the server's log have the same id. */
  instance: z.string().optional(),
  /** Where in the request: a JSON Pointer, or the name of a parameter. */
  errors: z.array(z.strictObject({ pointer: z.string(), detail: z.string() })).optional(),
});
export type ProblemDetails = z.infer<typeof Problem>;

/** What every route may refuse with. */
export const REFUSALS = {
  400: Problem,
  401: Problem,
  403: Problem,
  404: Problem,
  410: Problem,
  422: Problem,
  503: Problem,
};

export type HttpReply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written as JSON. */
  readonly body?: unknown;
  /** Written as it is, of this type. */
  readonly content?: { readonly type: string; readonly bytes: string | Buffer };
};

export const TITLES: { readonly [status: number]: string } = {
  400: "Bad request",
  401: "Unauthorized",
  402: "Budget exhausted",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  408: "Too slow",
  414: "URL too long",
  406: "Not acceptable",
  409: "Conflict",
  410: "Gone",
  413: "Body too large",
  415: "Not JSON",
  422: "Cannot be carried out",
  429: "Too many requests",
  431: "Headers too large",
  500: "Internal error",
  503: "Not available",
};

export type HttpRefusal = Omit<ProblemDetails, "type" | "title" | "errors"> & {
  readonly errors?: ProblemDetails["errors"];
  readonly headers?: Readonly<Record<string, string>>;
};

/** A request that is refused, in a way that every API of the server can tell in its own words. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: HttpRefusal;
  constructor(refusal: HttpRefusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

const STATUS: { readonly [C in FaultCode]?: number } = {
  "deliberation-missing": 404,
  "deliberation-forgotten": 410,
  "text-missing": 404,
  "deliberation-closed": 409,
  "invalid-request": 422,
  configuration: 422,
  untrusted: 422,
  "event-invalid": 422,
  "event-too-large": 413,
  "protocol-unknown": 422,
  "template-slot": 422,
  "replay-differs": 409,
  budget: 402,
  "store-unavailable": 503,
  "no-model": 503,
};

/** What an error comes to. An unexpected one says nothing of its own: it is for the log. */
export function refusalOf(error: unknown): HttpRefusal {
  if (error instanceof Refused) return error.refusal;
  if (!isFault(error)) {
    const next = "try again; the server's log has the reason";
    return { status: 500, code: "internal", detail: "an unexpected error", next };
  }
  const { code, message, details } = error;
  // A principal without a scope is forbidden; a provider's missing key is the server's configuration.
  const isOwn = isFault(error, "authentication") && error.details.needsKeyOf === undefined;
  const status = isOwn ? 403 : code === "authentication" ? 422 : (STATUS[code] ?? 500);
  const { why, next } = "why" in details && "next" in details ? details : { why: message, next: undefined };
  return {
    ...{ status, code, detail: redactSecrets(why) },
    ...(next === undefined ? {} : { next: redactSecrets(next) }),
    ...(status === 503 && code !== "no-model" ? { headers: { "retry-after": "2" } } : {}),
  };
}

/** A refusal as a reply in the words of RFC 9457. */
export const problemReply = (refusal: HttpRefusal): HttpReply => ({
  ...{ status: refusal.status, headers: refusal.headers ?? {} },
  content: { type: "application/problem+json", bytes: JSON.stringify(problemOf(refusal)) },
});

const problemOf = ({ headers: _headers, ...refusal }: HttpRefusal): ProblemDetails => ({
  ...{ type: "about:blank", title: TITLES[refusal.status] ?? "Error" },
  ...refusal,
});
