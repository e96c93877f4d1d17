import type { Clock } from "./clock.ts";
import {
  finalProblem,
  networkProblem,
  problemFromBody,
  problemFromStatus,
  type CallProblem,
} from "./failures.ts";
import type { Exchange, ResponseHead, Http } from "./http.ts";
import { toObject, parseJson } from "./loose.ts";

/** 96 vectors of 16,384 numbers, at 20 characters each. */
const MAX_REPLY_BYTES = 32 * 2 ** 20;
const MAX_ERROR_BYTES = 64 * 2 ** 10;

export type JsonAnswer =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: CallProblem };

function fail(problem: CallProblem): JsonAnswer {
  return { ok: false, problem };
}

function readValue(body: string): JsonAnswer {
  const value = parseJson(body);
  if (value === undefined) {
    const what = body.trimStart().startsWith("<") ? "a page instead of a reply" : "the reply is not JSON";
    return fail(finalProblem("unreadable", what));
  }
  const { error } = toObject(value);
  return error === undefined || error === null ? { ok: true, value } : fail(problemFromBody(value));
}

/** POSTs once and reads the whole answer as JSON. The problem's words are the other side's, neither bounded nor cleaned. */
export async function exchangeJson(
  http: Http,
  exchange: Omit<Exchange, "receiver">,
  clock: Clock,
): Promise<JsonAnswer> {
  // In an object, since what a callback assigns to a variable is lost on the types.
  const arrived = { head: null as ResponseHead | null, bytes: 0, chunks: [] as Buffer[] };
  const isReply = (): boolean =>
    arrived.head !== null && arrived.head.status >= 200 && arrived.head.status < 300;
  const room = (): number => (isReply() ? MAX_REPLY_BYTES : MAX_ERROR_BYTES) - arrived.bytes;
  const exchanged = await http.post({
    ...exchange,
    receiver: {
      head: (head) => void (arrived.head = head),
      bytes: (chunk) => {
        // The beginning of an error's body is enough to say what it is.
        arrived.chunks.push(chunk.subarray(0, Math.max(0, room())));
        arrived.bytes += chunk.length;
        return room() < 0;
      },
    },
  }).exchanged;
  if (exchanged.how === "aborted") return fail(finalProblem("cancelled", "given up"));
  const { head } = arrived;
  if (exchanged.how === "broken") {
    const { message } = exchanged.error;
    const what = head === null ? `no connection to ${exchange.url.origin}` : "the connection broke off";
    return fail(networkProblem(`${what}${message === "" ? "" : `: ${message}`}`));
  }
  if (head === null) return fail(networkProblem("the connection ended without an answer"));
  const body = Buffer.concat(arrived.chunks).toString("utf8");
  if (!isReply()) return fail(problemFromStatus(head, body, clock.now()));
  return room() < 0
    ? fail(finalProblem("unreadable", "the reply is longer than any answer"))
    : readValue(body);
}
