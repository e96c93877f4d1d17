import type * as z from "zod";
import { explainIssue } from "../../../config/explain.ts";
import type { HttpRefusal, HttpReply } from "../../../server/problem.ts";
import { Refused } from "../../../server/problem.ts";

/** An error as OpenAI's clients read it: a problem's own words would be lost on them. */
export type ApiError = {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
};

const TYPES: { readonly [status: number]: string } = {
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  429: "rate_limit_error",
};

/** What clients are told by 400, and the native API by 422: their users know no other status for it. */
const AS_BAD_REQUEST: ReadonlySet<string> = new Set([
  ...["configuration", "invalid-request", "untrusted", "protocol-unknown", "template-slot", "event-invalid"],
]);

export function apiErrorOf({ status, detail, next, code, errors, instance }: HttpRefusal): ApiError {
  const type = TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
  const param = errors?.[0]?.pointer.replace(/^#\//, "").replaceAll("/", ".") ?? null;
  const words = [detail, next, status >= 500 ? instance : undefined].filter((one) => one !== undefined);
  return { message: words.join("; "), type, code, param };
}

/** A refusal in the words of OpenAI's API, to which what was forgotten is missing. */
export function refuse(refusal: HttpRefusal): HttpReply {
  const { status, code, headers = {} } = refusal;
  const told =
    code === "not-found" && status === 404
      ? { ...refusal, next: "there are models, chat/completions and responses" }
      : refusal;
  const shown = status === 410 ? 404 : status === 422 && AS_BAD_REQUEST.has(code) ? 400 : status;
  return { status: shown, headers, body: { error: apiErrorOf(told) } };
}

/** @throws Refused 400 that names the field */
export function badField(param: string, detail: string, next?: string): Refused {
  return new Refused({
    ...{ status: 400, code: "unsupported_parameter", detail },
    ...(next === undefined ? {} : { next }),
    errors: [{ pointer: param, detail }],
  });
}

/** What a schema finds wrong with the value that stands at `root`, by the name of its place: `input[1].content[0].type`. */
export function misread(schema: z.ZodType, error: z.ZodError, root = ""): Refused {
  const { path, say, next } = explainIssue(schema, error);
  const steps = path.map((one) => (typeof one === "number" ? `[${one}]` : `.${String(one).slice(0, 60)}`));
  const name = `${root}${steps.join("")}`.replace(/^\./, "");
  return badField(name, say(name), next);
}
