import type { FailureCode } from "../kernel/model.ts";
import {
  objectAt,
  toCount,
  isObject,
  toItems,
  toObject,
  parseJson,
  toText,
  type LooseObject,
} from "./loose.ts";

/** What went wrong in a provider's words (not yet bounded or cleaned) and what may be done about it. */
export type CallProblem = {
  readonly code: FailureCode;
  readonly words: string;
  readonly retry: "never" | "later";
  /** How long the provider asks to be left alone, in milliseconds. */
  readonly waitMs: number | null;
  /** Too much is in flight. */
  readonly crowded: boolean;
};

type FailureClue = { readonly status: number; readonly kind: string; readonly words: string };

const CREDIT =
  /insufficient[_ ](?:quota|credit|balance|funds)|credit balance is too low|out of credit|billing_(?:error|hard)/i;
const CONTEXT =
  /context[_ ]length|context[_ ]window|context size|maximum context|prompt is too long|input is too long|too many (?:input )?tokens|token count.{0,60}exceeds|reduce the length|request_too_large|request too large/i;
const MODERATION = /moderation|flagged|content[_ ](?:policy|filter)/i;
const CROWDING = /concurren|too many (?:simultaneous|parallel)|maximum pending requests|server busy/i;

function never(code: FailureCode): Pick<CallProblem, "code" | "retry" | "crowded"> {
  return {
    code,
    retry: "never",
    crowded: false,
  };
}
function later(code: FailureCode, crowded: boolean): Pick<CallProblem, "code" | "retry" | "crowded"> {
  return {
    code,
    retry: "later",
    crowded,
  };
}

function classify({ status, kind, words }: FailureClue): Pick<CallProblem, "code" | "retry" | "crowded"> {
  const said = `${kind} ${words}`;
  if (status === 402 || CREDIT.test(said)) return never("out-of-credit");
  if (status === 403 && MODERATION.test(said)) return never("refused");
  if (status === 401 || status === 403) return never("unauthorised");
  if (status === 413) return never("context-too-long");
  if ([400, 422, 500].includes(status) && CONTEXT.test(said)) return never("context-too-long");
  if (status === 429) return later("rate-limited", true);
  if (status === 408) return later("timed-out", false);
  if (status >= 500 || status === 498) return later("overloaded", CROWDING.test(said));
  return never("refused");
}

/** Errors that arrive inside a 200 carry a word where the status would be. */
const STATUS_BY_KIND: readonly (readonly [RegExp, number])[] = [
  [/authentication|invalid_api_key|permission/i, 401],
  [/billing|insufficient_quota/i, 402],
  [/rate_limit|too_many_requests/i, 429],
  [/overloaded/i, 529],
  [/invalid_request|not_found|content_filter|context_length/i, 400],
];

function readStatus(error: LooseObject, kind: string): number {
  const code =
    toCount(error["code"]) ?? toCount(error["status"]) ?? toCount(Number(error["code"] ?? Number.NaN));
  if (code !== null && code >= 400 && code < 600) return code;
  return STATUS_BY_KIND.find(([pattern]) => pattern.test(kind))?.[1] ?? 500;
}

/** A page of HTML, as proxies answer with, down to its words. */
function stripTags(text: string): string {
  return /^\s*</.test(text)
    ? text.replace(/<(style|script)[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ")
    : text;
}

/** Google's wait, which stands in the body: `"retryDelay": "36s"`. */
function readRetryDelay(error: LooseObject): number | null {
  for (const detail of toItems(error["details"])) {
    const seconds = Number.parseFloat(toText(toObject(detail)["retryDelay"]));
    if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  }
  return null;
}

type ParsedError = { readonly words: string; readonly kind: string; readonly error: LooseObject };

function readError(body: unknown): ParsedError {
  const whole = toObject(Array.isArray(body) ? body[0] : body);
  const error = isObject(whole["error"]) ? whole["error"] : whole;
  const words =
    toText(whole["error"]) || toText(error["message"]) || toText(whole["message"]) || toText(whole["detail"]);
  const upstream = toText(objectAt(error, "metadata")["raw"]);
  const kind = [toText(error["type"]), toText(error["code"]), toText(error["status"])].join(" ").trim();
  return { words: upstream === "" ? words : `${words}: ${upstream}`, kind, error };
}

/** A non-2xx answer. `waitMs` is what its `Retry-After` asked for. */
export function problemFromStatus(answer: {
  readonly status: number;
  readonly body: string;
  readonly waitMs: number | null;
}): CallProblem {
  const { words, kind, error } = readError(parseJson(answer.body));
  const said = words === "" ? stripTags(answer.body).trim() : words;
  const found = classify({ status: answer.status, kind, words: said });
  return {
    ...found,
    words: said === "" ? `HTTP ${answer.status} without a word` : `${said} (HTTP ${answer.status})`,
    waitMs: answer.waitMs ?? readRetryDelay(error),
  };
}

/** An error object that came inside a 200, whole or between the events of a stream. */
export function problemFromBody(body: unknown): CallProblem {
  const { words, kind, error } = readError(body);
  const status = readStatus(error, kind);
  return {
    ...classify({ status, kind, words }),
    words: words === "" ? `the provider reported an error${kind === "" ? "" : `: ${kind}`}` : words,
    waitMs: readRetryDelay(error),
  };
}

/** The connection, or a stream that broke off. */
export function networkProblem(words: string): CallProblem {
  return {
    code: "network",
    words,
    retry: "later",
    waitMs: null,
    crowded: false,
  };
}

/** An answer that is none: asking again would bring the same. */
export function finalProblem(code: FailureCode, words: string): CallProblem {
  return {
    code,
    words,
    retry: "never",
    waitMs: null,
    crowded: false,
  };
}
