import type { Failure, ModelRequest } from "../kernel/model.ts";
import { noUsage, type Attempt, type SendContext, type Transport } from "../kernel/transport.ts";
import { sleep, type Clock } from "./clock.ts";
import { askWith, refusedPart, type RequestPlan } from "./asking.ts";
import { keyHeaders, searchingEndpoint, urlAt, type Endpoint } from "./endpoint.ts";
import { failAttempt, finalProblem, networkProblem, problemFromStatus } from "./failures.ts";
import type { CallProblem, UnansweredAttempt } from "./failures.ts";
import { MAX_ERROR_BYTES, type Exchanged, type Http, type ResponseHead, type Receiver } from "./http.ts";
import type { Program } from "./providers.ts";
import { cleanReply, createSecretFilter } from "./secret-filter.ts";
import { Separator } from "./thinking.ts";
import type { Completion, WireFeature, ReplyReader, Wire } from "./wires/wire.ts";
import { isKeepAlive, type EventStream, type Framing } from "./framing.ts";
import { parseJson } from "./loose.ts";

type TransportServices = {
  readonly http: Http;
  readonly clock: Clock;
  /** How long an attempt waits for the first byte of a reply before it is given up and made again. */
  readonly firstByteMs: number;
  /** What each endpoint and model, asked in one way, was found not to take, for as long as the process lives. */
  readonly learned: Map<string, Set<WireFeature>>;
  /** Endpoints and models that were seen to mark the end of their thinking and not its beginning. */
  readonly marksEndAlone: Set<string>;
};

type AskedAs = { readonly asking: RequestPlan; readonly found: Set<WireFeature> };
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

/** Sends to one endpoint over its wire. */
export const createHttpTransport = (
  endpoint: Endpoint,
  { http, clock, firstByteMs, learned, marksEndAlone }: TransportServices,
): Transport => {
  const { model, key } = endpoint;
  const filter = createSecretFilter(key === null ? [] : [key]);
  /** An endpoint of the user's own may be a Parley server: it refuses to deliberate within a deliberation. */
  const depth = endpoint.provider.startsWith("compatible/") ? { "x-parley-depth": "1" } : {};
  const place = `${endpoint.url} ${model} ${endpoint.effort ?? ""}`;
  /** By what the wire appends; the same for nearly every request. */
  const urls = new Map<string, URL>();
  const urlOf = (to: Endpoint, path: string): URL => {
    const known = urls.get(path);
    if (known) return known;
    const url = urlAt(to, path);
    urls.set(path, url);
    return url;
  };

  const failed = (problem: CallProblem, usage = noUsage): UnansweredAttempt => {
    const advice = endpoint.wire.remedy?.(problem.words, model) ?? problem.advice;
    return failAttempt({ ...problem, advice }, filter, usage);
  };

  /** What is refused beside other fields may be taken beside none. */
  const learnedOf = ({ options }: ModelRequest): Set<WireFeature> => {
    const way = options === undefined ? place : `${place} ${JSON.stringify(options)}`;
    const found = learned.get(way) ?? new Set();
    learned.set(way, found);
    return found;
  };

  /** Whether a refusal named something that this request asked for and the next one need not. */
  const learns = (
    { http: status = 0, words, retry }: CallProblem,
    asking: RequestPlan,
    found: Set<WireFeature>,
  ): boolean => {
    const isElsewhere = asking.to !== endpoint && (status === 404 || status === 405);
    if (!isElsewhere && status !== 400 && status !== 422 && (status < 500 || retry !== "never")) return false;
    // A gateway that stands in for the provider need not have the API that searches.
    const said = words.replaceAll(/https?:\S+/g, ""); // a page's address names more than what was refused
    const feature = isElsewhere ? "search" : refusedPart(said, asking, asking.to.wire.complaints(said));
    if (feature === null) return false;
    found.add(feature);
    return true;
  };

  const refusal = (problem: CallProblem, { asking, found }: AskedAs, usage = noUsage): UnansweredAttempt => {
    const attempted = failed(problem, usage);
    return learns(problem, asking, found) ? { ...attempted, retry: "now" } : attempted;
  };

  const exchange = async (
    request: ModelRequest,
    asked: AskedAs,
    { signal, onText, onThinking, onRetract }: SendContext,
  ): Promise<Attempt> => {
    const { asking } = asked;
    const { to } = asking;
    const { wire } = to;
    const built = wire.build(request, { model, dialect: asking.dialect });
    const url = urlOf(to, built.path);
    let late = false;
    const cancelTimer = clock.after(firstByteMs, () => {
      late = true;
      posted.stop();
    });
    const cleaning = filter.open();
    const cleaningThought = filter.open();
    const give = (piece: string): void => void (piece !== "" && onText(piece));
    const giveThought = (piece: string): void => void (piece !== "" && onThinking?.(piece));
    const reply = createReply(wire, {
      onText: (piece) => give(cleaning.push(piece)),
      onThinking: (piece) => giveThought(cleaningThought.push(piece)),
      onRetract: () => {
        cleaning.end();
        marksEndAlone.add(place);
        onRetract?.();
      },
      onFirstByte: cancelTimer,
      startsThinking: marksEndAlone.has(place),
    });
    const posted = http.post({
      url,
      headers: { ...built.headers, ...asking.headers, ...keyHeaders(to), ...depth },
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
      if (reply.refused())
        return { ...refusal(problemFromStatus(reply.head(), reply.body(), clock.now()), asked), charged };
      const completion = reply.completion(problem);
      if (!signal.aborted) giveThought(cleaningThought.end());
      if (!signal.aborted) give(cleaning.end());
      return completion.ok
        ? cleanReply(completion, filter)
        : { ...refusal(completion.problem, asked, completion.usage), charged };
    } finally {
      cancelTimer();
    }
  };
  return {
    send: async (request, sending) => {
      const found = learnedOf(request);
      const isSearch = request.search !== undefined && endpoint.search !== null;
      const searching = isSearch ? await searchingEndpoint(endpoint) : undefined;
      const asking = askWith({ usual: endpoint, searching }, request, found);
      const ask = () => exchange(request, { asking, found }, sending);
      let attempted = await ask();
      while (!attempted.ok && isLoading(attempted.failure) && !sending.signal.aborted) {
        await sleep(clock, LOADING_MS, sending.signal);
        if (!sending.signal.aborted) attempted = await ask();
      }
      return asking.without.length === 0 ? attempted : { ...attempted, without: asking.without };
    },
  };
};

/** So often a server is asked whether it has loaded its model: llama.cpp listens before it has, and says so. */
const LOADING_MS = 1_000;

const isLoading = ({ http, message }: Failure) => http === 503 && /^loading (?:the )?model\b/i.test(message);

/** More than this is no answer to a prompt. */
const MAX_REPLY_BYTES = 64 * 2 ** 20;

type Reply = ReturnType<typeof createReply>;

/** One answer, read as it comes: a stream of events, a reply in one piece, or an error's body. */
export function createReply(
  wire: Wire,
  {
    onText,
    onThinking = () => {},
    onRetract = () => {},
    onFirstByte,
    startsThinking = false,
  }: Pick<SendContext, "onText" | "onThinking" | "onRetract"> & {
    readonly onFirstByte: () => void;
    readonly startsThinking?: boolean;
  },
) {
  let head: ResponseHead = { status: 0, header: () => "" };
  let form: ReturnType<Framing["formOf"]> = "undecided";
  /** The beginning of the body, until it has decided the form. */
  let begin = "";
  let size = 0;
  let over = false;
  let ending = false;
  let tooLong = false;
  const chunks: Buffer[] = [];
  const separator = new Separator({ onText, onThinking, onRetract }, { startsThinking });
  let opened: { readonly events: EventStream; readonly reader: ReplyReader } | null = null;
  /** Made when the first byte has come: most of a call's time is waiting for it. */
  const stream = () => (opened ??= openStream());
  const openStream = () => {
    const reader = wire.reader((piece) => separator.push(piece), onThinking);
    const events = wire.framing.open({
      onData: (data) => {
        if (over || isKeepAlive(data)) return;
        // What is left at the end may be half an event, which says nothing.
        if (ending && data !== "[DONE]" && parseJson(data) === undefined) return;
        over = reader.event(data);
      },
      onTooLong: () => {
        tooLong = true;
      },
    });
    return { events, reader };
  };

  const refused = (): boolean => head.status < 200 || head.status >= 300;
  const body = (): string => Buffer.concat(chunks).toString("utf8");

  const bytes = (chunk: Buffer): boolean => {
    if (size === 0) onFirstByte();
    size += chunk.length;
    if (refused()) {
      if (size - chunk.length < MAX_ERROR_BYTES) chunks.push(chunk);
      return size >= MAX_ERROR_BYTES;
    }
    if (size > MAX_REPLY_BYTES) {
      tooLong = true;
      return true;
    }
    if (form === "undecided") return begins(chunk);
    if (form === "whole") chunks.push(chunk);
    else stream().events.feed(chunk);
    return over || tooLong;
  };

  const begins = (chunk: Buffer): boolean => {
    begin = (begin + chunk.toString("latin1")).trimStart();
    if (begin === "") return false;
    chunks.push(chunk);
    form = wire.framing.formOf(begin);
    if (form === "undecided") return false;
    begin = "";
    if (form === "stream") for (const held of chunks.splice(0)) stream().events.feed(held);
    return over || tooLong;
  };

  const separated = (completion: Completion): Completion =>
    completion.ok ? separator.conclude(completion) : completion;

  const readWhole = (problem: CallProblem | null): Completion => {
    const text = body();
    const parsed = parseJson(text);
    if (parsed !== undefined) {
      const completion = wire.readWhole(parsed);
      if (completion.ok) separator.push(completion.text);
      return separated(completion);
    }
    return {
      ok: false,
      usage: noUsage,
      problem: text.trimStart().startsWith("<")
        ? finalProblem("unreadable", `a page instead of a reply: ${text.replace(/<[^>]*>/g, " ")}`)
        : (problem ?? networkProblem("the reply ended early")),
    };
  };

  return {
    receiver: { head: (arrived) => void (head = arrived), bytes } satisfies Receiver,
    begun: (): boolean => head.status !== 0,
    /** The answer has a status other than 2xx. */
    refused: (): boolean => head.status !== 0 && refused(),
    head: () => head,
    /** The beginning of the body as text, of an error or of what is no stream. */
    body,
    /** The reply, once all has come. `problem` is what broke the connection; a reply that was whole by then stands. */
    completion: (problem: CallProblem | null): Completion => {
      if (tooLong) {
        const tooMuch = finalProblem("unreadable", "the reply is longer than any answer");
        return { ok: false, problem: tooMuch, usage: noUsage };
      }
      if (form === "whole") return readWhole(problem);
      if (form === "undecided" && begin === "")
        return { ok: false, usage: noUsage, problem: problem ?? networkProblem("the reply is empty") };
      ending = true;
      const { events, reader } = stream();
      events.end();
      const completion = separated(reader.end());
      // "The stream ended early" is better said with the reason why.
      return !completion.ok && problem !== null && completion.problem.code === "network"
        ? { ...completion, problem }
        : completion;
    },
  };
}
