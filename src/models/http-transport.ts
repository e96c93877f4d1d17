import type { ModelRequest } from "../kernel/model.ts";
import { noUsage, type Attempt, type SendContext, type Transport } from "../kernel/transport.ts";
import type { Clock } from "./clock.ts";
import { urlAt, type Endpoint } from "./endpoint.ts";
import { finalProblem, networkProblem, problemFromStatus, type CallProblem } from "./failures.ts";
import type { Exchanged, Http } from "./http.ts";
import type { Program } from "./providers.ts";
import { cleanMessage } from "./redact.ts";
import { createReply, type Reply } from "./reply.ts";
import { createSecretFilter, type SecretFilter } from "./secret-filter.ts";
import type { Completion, Dialect, WireFeature } from "./wires/wire.ts";

type TransportServices = {
  readonly http: Http;
  readonly clock: Clock;
  /** How long an attempt waits for the first byte of a reply before it is given up and made again. */
  readonly firstByteMs: number;
  /** What each endpoint and model was found not to take, for as long as the process lives. */
  readonly learned: Map<string, Set<WireFeature>>;
};

type UnansweredAttempt = Extract<Attempt, { ok: false }>;

type Destination = { readonly url: URL; readonly program: Program | null };

/** Why a server could not be reached, without the address's user, password or query. */
function unreachableProblem({ url, program }: Destination, error: Error): CallProblem {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const words = error.message === "" ? code : error.message;
  if (program !== null && code === "ECONNREFUSED") {
    const next = `start it there with: ${program.start}`;
    return networkProblem(`${program.name} does not answer at ${url.origin}: ${words}; ${next}`);
  }
  const problem = networkProblem(`no connection to ${url.origin}: ${words}`);
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_INVALID|ERR_PROXY/.test(code)
    ? { ...problem, retry: "never" }
    : problem;
}

/** Errors of requests that never left. */
const UNSENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_PROXY_REFUSED)$|CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;
/** Statuses of gateways that gave up waiting, behind which the model may have gone on. */
const GAVE_UP: ReadonlySet<number> = new Set([408, 499, 502, 504, 520, 522, 524]);

/** Whether the provider may charge for what failed: a reply had begun, or nobody knows what became of the request. */
function isCharged(exchanged: Exchanged, reply: Reply): boolean {
  if (reply.begun()) return !reply.refused() || GAVE_UP.has(reply.head().status);
  if (exchanged.how !== "broken") return true;
  const { error } = exchanged;
  return !("code" in error && typeof error.code === "string" && UNSENT.test(error.code));
}

function connectionProblem(to: Destination, exchanged: Exchanged, reply: Reply): CallProblem | null {
  if (exchanged.how === "aborted") return finalProblem("cancelled", "given up");
  if (exchanged.how !== "broken") return null;
  if ("code" in exchanged.error && exchanged.error.code === "ERR_INVALID_ENCODING")
    return finalProblem("unreadable", exchanged.error.message);
  return reply.begun()
    ? networkProblem(`the connection broke off: ${exchanged.error.message}`)
    : unreachableProblem(to, exchanged.error);
}

/** Words, names and ids that came from the other side, without the key that we sent it. */
function cleanCompletion(completion: Extract<Completion, { ok: true }>, filter: SecretFilter): Attempt {
  const { clean } = filter;
  return {
    ok: true,
    text: clean(completion.text),
    toolCalls: completion.toolCalls.map(({ id, name, arguments: written }) => ({
      id: clean(id),
      name: clean(name),
      arguments: clean(written),
    })),
    finish: cleanMessage(completion.finish, filter).slice(0, 64),
    usage: completion.usage,
  };
}

/** Sends to one endpoint over its wire. */
export const createHttpTransport = (
  endpoint: Endpoint,
  { http, clock, firstByteMs, learned }: TransportServices,
): Transport => {
  const { wire, model, key } = endpoint;
  const filter = createSecretFilter(key === null ? [] : [key]);
  const headers = {
    ...(key === null ? {} : wire.authorize(key)),
    // An endpoint of the user's own may be a Parley server: it refuses to deliberate within a deliberation.
    ...(endpoint.provider.startsWith("compatible/") ? { "x-parley-depth": "1" } : {}),
  };
  const learnedKey = `${endpoint.url} ${model}`;
  /** By what the wire appends; the same for nearly every request. */
  const urls = new Map<string, URL>();
  const urlOf = (path: string): URL => {
    const known = urls.get(path);
    if (known) return known;
    const url = urlAt(endpoint, path);
    urls.set(path, url);
    return url;
  };

  const failed = (problem: CallProblem, usage = noUsage): UnansweredAttempt => {
    const words = cleanMessage(problem.words, filter);
    // Ours comes after the other side's words, where nothing is cut off.
    const remedy = wire.remedy?.(problem.words, model) ?? problem.advice;
    return {
      ok: false,
      failure: {
        code: problem.code,
        message: remedy === undefined ? words : `${words}; ${remedy}`,
        ...(problem.http === undefined ? {} : { http: problem.http }),
      },
      retry: problem.retry,
      waitMs: problem.waitMs,
      crowded: problem.crowded,
      usage,
    };
  };

  const dialect = (): Dialect => {
    const known = learned.get(learnedKey);
    const { without } = endpoint.dialect;
    return known === undefined
      ? endpoint.dialect
      : { ...endpoint.dialect, without: new Set([...without, ...known]) };
  };

  /** Whether a refusal named something that this request asked for and the next one need not. */
  const learns = (
    { http: status = 0, words, retry }: CallProblem,
    without: ReadonlySet<WireFeature>,
  ): boolean => {
    if (status !== 400 && status !== 422 && (status < 500 || retry !== "never")) return false;
    const feature = wire.complaint(words);
    if (feature === null || without.has(feature)) return false;
    const known = learned.get(learnedKey) ?? new Set();
    learned.set(learnedKey, known.add(feature));
    return true;
  };

  const refusal = (reply: Reply, without: ReadonlySet<WireFeature>): UnansweredAttempt => {
    const problem = problemFromStatus(reply.head(), reply.body(), clock.now());
    const attempted = failed(problem);
    return learns(problem, without) ? { ...attempted, retry: "now" } : attempted;
  };

  const exchange = async (request: ModelRequest, { signal, onText }: SendContext): Promise<Attempt> => {
    const spoken = dialect();
    const built = wire.build(request, { model, dialect: spoken });
    const url = urlOf(built.path);
    let late = false;
    const cancelTimer = clock.after(firstByteMs, () => {
      late = true;
      posted.stop();
    });
    const cleaning = filter.open();
    const give = (piece: string): void => void (piece !== "" && onText(piece));
    const reply = createReply(wire, {
      onText: (piece) => give(cleaning.push(piece)),
      onFirstByte: cancelTimer,
    });
    const posted = http.post({
      url,
      headers: { ...built.headers, ...headers },
      body: built.body,
      signal,
      receiver: reply.receiver,
    });
    try {
      const exchanged = await posted.exchanged;
      if (late) {
        const words = `no first byte from ${url.origin} within ${firstByteMs / 1000} s`;
        return failed({ ...networkProblem(words), code: "timed-out" });
      }
      const problem = connectionProblem({ url, program: endpoint.program }, exchanged, reply);
      const charged = isCharged(exchanged, reply);
      if (problem !== null && reply.refused()) return { ...failed(problem), charged };
      if (reply.refused()) return { ...refusal(reply, spoken.without), charged };
      const completion = reply.completion(problem);
      if (!signal.aborted) give(cleaning.end());
      return completion.ok
        ? cleanCompletion(completion, filter)
        : { ...failed(completion.problem, completion.usage), charged };
    } finally {
      cancelTimer();
    }
  };
  return { send: exchange };
};
