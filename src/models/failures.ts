import type { FailureCode } from "../kernel/model.ts";
import type { ResponseHead } from "./http.ts";
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
import { readRetryAfter } from "./retry.ts";

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

type Verdict = Pick<CallProblem, "code" | "retry" | "crowded">;

function verdict(code: FailureCode, retry: CallProblem["retry"] = "never", crowded = false): Verdict {
  return { code, retry, crowded };
}

function classify({ status, kind, words }: FailureClue): Verdict {
  const text = `${kind} ${words}`;
  if (status === 402 || CREDIT.test(text)) return verdict("out-of-credit");
  if (status === 403 && MODERATION.test(text)) return verdict("refused");
  if (status === 401 || status === 403) return verdict("unauthorised");
  if (status === 413) return verdict("context-too-long");
  if ([400, 422, 500].includes(status) && CONTEXT.test(text)) return verdict("context-too-long");
  if (status === 429) return verdict("rate-limited", "later", true);
  if (status === 408) return verdict("timed-out", "later");
  if (status >= 500 || status === 498) return verdict("overloaded", "later", CROWDING.test(text));
  return verdict("refused");
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

/** An answer that is no 2xx: a redirection, or an error. */
export function problemFromStatus(
  { status, header }: ResponseHead,
  body: string,
  nowMs: number,
): CallProblem {
  if (status < 400) {
    const words = `the server redirects (HTTP ${status}) to ${header("location")}; set that URL`;
    return finalProblem("refused", words);
  }
  const { words, kind, error } = readError(parseJson(body));
  const text = words === "" ? stripTags(body).trim() : words;
  const named = { retryAfter: header("retry-after"), retryAfterMs: header("retry-after-ms") };
  return {
    ...classify({ status, kind, words: text }),
    words: text === "" ? `HTTP ${status} without a word` : `${text} (HTTP ${status})`,
    waitMs: readRetryAfter(named, nowMs) ?? readRetryDelay(error),
  };
}

/** An error object that came inside a 200, whole or between the events of a stream. */
export function problemFromBody(body: unknown): CallProblem {
  const { words, kind, error } = readError(body);
  return {
    ...classify({ status: readStatus(error, kind), kind, words }),
    words: words === "" ? `the provider reported an error${kind === "" ? "" : `: ${kind}`}` : words,
    waitMs: readRetryDelay(error),
  };
}

/** The connection, or a stream that broke off. */
export function networkProblem(words: string): CallProblem {
  return { ...verdict("network", "later"), words, waitMs: null };
}

/** An answer that is none: asking again would bring the same. */
export function finalProblem(code: FailureCode, words: string): CallProblem {
  return { ...verdict(code), words, waitMs: null };
}
