import type { FailureCode } from "../kernel/model.ts";
import { noUsage, type Attempt } from "../kernel/transport.ts";
import { findFailureRow, type FailureClue } from "./failure-rows.ts";
import type { ResponseHead } from "./http.ts";
import { objectAt, toCount, isObject, toItems, toObject, parseJson, toText } from "./loose.ts";
import type { LooseObject } from "./loose.ts";
import { MAX_NAMED_WAIT_MS, readRetryAfter } from "./retry.ts";
import { cleanMessage, type SecretFilter } from "./secret-filter.ts";

/** What went wrong in a provider's words (not yet bounded or cleaned) and what may be done about it. */
export type CallProblem = {
  readonly code: FailureCode;
  readonly words: string;
  readonly retry: "never" | "later";
  /** How long the provider asks to be left alone, in milliseconds. */
  readonly waitMs: number | null;
  /** Too much is in flight. */
  readonly crowded: boolean;
  /** What can be done about it, in our own words. */
  readonly advice?: string | undefined;
  /** The status of the answer. */
  readonly http?: number;
};

function classify(clue: FailureClue): Pick<CallProblem, "code" | "retry" | "crowded" | "advice"> {
  const { code, later = false, crowded = false, advice } = findFailureRow(clue);
  return {
    code,
    retry: later ? "later" : "never",
    crowded: crowded === true || (crowded !== false && crowded.test(clue.text)),
    ...(advice === undefined ? {} : { advice }),
  };
}

/** The status that an error inside a 200 names, as a code or as "Error code: 400 - …" of a gateway; 0 where it names none. */
function readStatus({ error, words }: Pick<ParsedError, "error" | "words">): number {
  const code =
    toCount(error["code"]) ?? toCount(error["status"]) ?? toCount(Number(error["code"] ?? Number.NaN));
  if (code !== null && code >= 400 && code < 600) return code;
  return Number(/\berror code: ([45]\d\d)\b/i.exec(words)?.[1] ?? 0);
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
    if (Number.isFinite(seconds) && seconds >= 0) return Math.min(MAX_NAMED_WAIT_MS, seconds * 1000);
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
  const kind = [
    error["type"],
    error["code"],
    error["status"],
    objectAt(error, "innererror")["code"],
    ...toItems(error["details"]).map((detail) => toObject(detail)["reason"]),
  ]
    .map(toText)
    .filter((word) => word !== "")
    .join(" ");
  const param = toText(error["param"]); // OpenAI may name the field there alone
  const named = words === "" || words.includes(param) ? words : `${words} (${param})`;
  return { words: upstream === "" ? named : `${named}: ${upstream}`, kind, error };
}

/** An answer that is no 2xx: a redirection, or an error. */
export function problemFromStatus(
  { status, header }: ResponseHead,
  body: string,
  nowMs: number,
): CallProblem {
  if (status < 400) {
    const words = `the server redirects (HTTP ${status}) to ${header("location")}; set that URL`;
    return { ...finalProblem("refused", words), http: status };
  }
  const { words, kind, error } = readError(parseJson(body));
  const text = words === "" ? stripTags(body).trim() : words;
  const named = { retryAfter: header("retry-after"), retryAfterMs: header("retry-after-ms") };
  return {
    ...classify({ status, text: `${kind} ${text}` }),
    words: text === "" ? `HTTP ${status} without a word` : `${text} (HTTP ${status})`,
    waitMs: readRetryAfter(named, nowMs) ?? readRetryDelay(error),
    http: status,
  };
}

/** An error object that came inside a 200, whole or between the events of a stream. */
export function problemFromBody(body: unknown): CallProblem {
  const { words, kind, error } = readError(body);
  const status = readStatus({ error, words });
  return {
    ...classify({ status, text: `${kind} ${words}` }),
    ...(status === 0 ? {} : { http: status }),
    words: words === "" ? `the provider reported an error${kind === "" ? "" : `: ${kind}`}` : words,
    waitMs: readRetryDelay(error),
  };
}

/** The connection, or a stream that broke off. */
export function networkProblem(words: string): CallProblem {
  return { code: "network", retry: "later", crowded: false, words, waitMs: null };
}

/** An answer that is none: asking again would bring the same. */
export function finalProblem(code: FailureCode, words: string): CallProblem {
  return { code, retry: "never", crowded: false, words, waitMs: null };
}

export type UnansweredAttempt = Extract<Attempt, { ok: false }>;

/** An attempt that failed so. What can be done about it comes after the other side's words, where nothing is cut off. */
export function failAttempt(problem: CallProblem, filter: SecretFilter, usage = noUsage): UnansweredAttempt {
  const { code, retry, waitMs, crowded, advice, http } = problem;
  const message = cleanMessage(problem.words, filter) + (advice === undefined ? "" : `; ${advice}`);
  const failure = { code, message, ...(http === undefined ? {} : { http }) };
  return { ok: false, failure, retry, waitMs, crowded, usage };
}
