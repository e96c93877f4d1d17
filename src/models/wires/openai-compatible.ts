import type { Message, ModelRequest, ReplySchema, ToolCall } from "../../kernel/model.ts";
import { firstCount, isObject, objectAt, parseJson, toCount, toItems } from "../loose.ts";
import { toJsonText, toObject, toText, type LooseObject } from "../loose.ts";
import { besideCall, citedIn, formatTool, isStrict, listedIn, mergeBodies } from "./wire.ts";
import { refusesTools, sealedObjects, demandsCall, toolsIn, valueComplaints } from "./wire.ts";
import type { Completion, Dialect, FinishedReply, Hears, ReplyReader, Wire, WireFeature } from "./wire.ts";
import { readSources } from "../../kernel/sources.ts";
import { noUsage, type Usage } from "../../kernel/transport.ts";
import { attachedParts, dataUrl, type PartForms } from "./attached.ts";
import { asSent, createThought, readContent } from "./chat-thinking.ts";
import { finalProblem, networkProblem, problemFromBody } from "../failures.ts";
import { serverSentEvents } from "../framing.ts";

const PARTS: PartForms = {
  text: (text) => ({ type: "text", text }),
  picture: (picture) => ({ type: "image_url", image_url: { url: dataUrl(picture) } }),
  document: (document) => ({ type: "file", file: { filename: document.name, file_data: dataUrl(document) } }),
};

function formatMessage(message: Message): unknown {
  switch (message.role) {
    case "system":
      return { role: message.role, content: message.text };
    case "user":
      return { role: message.role, content: attachedParts(message, PARTS) ?? message.text };
    case "tool":
      return { role: "tool", tool_call_id: message.id, content: message.text };
    case "assistant":
      return message.toolCalls === undefined || message.toolCalls.length === 0
        ? { role: "assistant", content: message.text }
        : {
            role: "assistant",
            content: message.text === "" ? null : message.text,
            ...Object.assign(
              {},
              ...sealedObjects(message.thinking).map(asSent(message.thinking?.text ?? "")),
            ),
            tool_calls: message.toolCalls.map(({ id, name, arguments: text, extra }) => ({
              ...extra,
              id,
              type: "function",
              function: { ...objectAt(extra, "function"), name, arguments: text },
            })),
          };
  }
}

function formatReply({ name, schema }: ReplySchema): unknown {
  return {
    type: "json_schema",
    json_schema: isStrict(schema) ? { name, strict: true, schema } : { name, schema },
  };
}

function maxTokensField({ maxTokensField: field = "max_tokens", without }: Dialect): string {
  return (field === "max_tokens") === without.has("max-tokens") ? "max_completion_tokens" : "max_tokens";
}

/** The body of a streaming chat completion (OpenAI API reference, "Create chat completion"). */
function chatBody(
  request: ModelRequest,
  { model, dialect }: { readonly model: string; readonly dialect: Dialect },
): string {
  const { without } = dialect;
  const body = {
    model,
    messages: request.messages.map(formatMessage),
    stream: true,
    [maxTokensField(dialect)]: request.maxOutputTokens,
    // What is undefined is left out.
    stream_options: without.has("usage") ? undefined : { include_usage: true },
    temperature: without.has("temperature") ? undefined : request.temperature,
    response_format: request.reply && !without.has("reply") ? formatReply(request.reply) : undefined,
    tools: toolsIn(request, dialect, formatTool),
    tool_choice: demandsCall(request, dialect) ? "required" : undefined,
  };
  return JSON.stringify(mergeBodies(dialect.extra ?? {}, body));
}

function dollars(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/**
 * Tokens and cost. Google and xAI leave hidden reasoning out of `completion_tokens` but not out of the total,
 * and charge it as output: where the total is the larger, what is missing counts as output and as reasoning.
 * xAI's `cost_in_usd_ticks` has tokens and searches, OpenRouter's `cost` is its own charge; with the user's key at the maker (`is_byok`) the maker's comes on top.
 */
export function readUsage(usage: LooseObject): Usage {
  const sent = firstCount(usage["prompt_tokens"]);
  const said = firstCount(usage["completion_tokens"]);
  const total = firstCount(usage["total_tokens"]);
  const hidden = sent !== null && said !== null && total !== null ? Math.max(0, total - sent - said) : 0;
  const details = objectAt(usage, "prompt_tokens_details");
  const written = toCount(details["cache_write_tokens"]) ?? 0;
  const searches = toCount(objectAt(usage, "server_tool_use")["web_search_requests"]) ?? 0;
  const ticks = dollars(usage["cost_in_usd_ticks"]);
  const cost = ticks === null ? dollars(usage["cost"]) : ticks / 1e10;
  const upstream =
    usage["is_byok"] === true ? dollars(objectAt(usage, "cost_details")["upstream_inference_cost"]) : null;
  return {
    tokens: {
      in: sent,
      out: said === null ? null : said + hidden,
      cached: firstCount(
        details["cached_tokens"],
        usage["prompt_cache_hit_tokens"],
        usage["num_cached_tokens"],
        usage["cached_tokens"],
      ),
      reasoning:
        firstCount(objectAt(usage, "completion_tokens_details")["reasoning_tokens"]) ??
        (hidden > 0 ? hidden : null),
      ...(written > 0 ? { written } : {}),
    },
    ...(searches > 0 ? { searches } : {}),
    usd: cost === null ? null : cost + (upstream ?? 0),
  };
}

/** The usage of a chunk or a whole reply, wherever it stands; Groq also puts it under `x_groq`. */
function findUsage(body: LooseObject): Usage | null {
  const usage = body["usage"];
  if (isObject(usage)) return readUsage(usage);
  const groq = objectAt(body, "x_groq")["usage"];
  return isObject(groq) ? readUsage(groq) : null;
}

type Growing = { id: string; name: string; text: string; extra: LooseObject };

/**
 * Tool calls from their pieces, by `index`. A piece with a name and another id than the call at its index
 * starts a new call: some servers give every parallel call the index 0, and some give
 * none, which then goes on with the latest.
 */
function createToolCalls() {
  const calls: Growing[] = [];
  const byIndex = new Map<number, Growing>();
  let latest: Growing | undefined;
  return {
    take: (piece: unknown): void => {
      const { index: place, id: given } = toObject(piece);
      const index = toCount(place);
      const id = toText(given);
      const called = objectAt(piece, "function");
      const name = toText(called["name"]);
      const written = called["arguments"];
      let call = index === null ? latest : byIndex.get(index);
      if (call === undefined || (name !== "" && id !== "" && call.id !== "" && id !== call.id)) {
        call = { id, name: "", text: "", extra: {} };
        calls.push(call);
        if (index !== null) byIndex.set(index, call);
      }
      latest = call;
      if (call.id === "") call.id = id;
      if (call.name === "") call.name = name;
      call.text += isObject(written) ? toJsonText(written) : toText(written);
      Object.assign(call.extra, besideCall(toObject(piece)));
    },
    all: (): ToolCall[] =>
      calls.map(({ id, name, text, extra }, position) => {
        const kept = besideCall(extra);
        const named = id === "" ? `call-${position + 1}` : id;
        return { id: named, name, arguments: text, ...(kept && { extra: kept }) };
      }),
  };
}

const NOT_CHAT = finalProblem("unreadable", "the reply is none of chat completions");
const SEVERAL = finalProblem("unreadable", "the reply has several choices where one was asked for");

/** What servers and gateways write for why a reply ended, in lower case and with underscores. */
const ENDINGS: { readonly [ending: string]: readonly string[] } = {
  stop: [
    "stop",
    "eos",
    "eos_token",
    "end_turn",
    "stop_sequence",
    "complete",
    "completed",
    "finished",
    "done",
  ],
  length: ["length", "max_tokens", "max_output_tokens", "max_length", "model_length", "token_limit"],
  "tool-calls": ["tool_calls", "tool_call", "tool_use", "function_call", "function_calls"],
  content_filter: [
    ...["content_filter", "content_filtered", "filtered", "safety", "refusal", "guardrail_intervened"],
    ...["recitation", "prohibited_content", "blocklist", "spii", "sensitive"],
  ],
  error: ["error", "failed", "abort", "aborted", "malformed_function_call", "insufficient_system_resource"],
};
const FINISH: ReadonlyMap<string, string> = new Map(
  Object.entries(ENDINGS).flatMap(([ending, written]) => written.map((one) => [one, ending] as const)),
);

/** A reason as ENDINGS has it, or the server's own word; null where there is none, which some write as text in every chunk. */
function readFinish(reason: unknown): string | null {
  if (typeof reason !== "string" || /^(?:|none|null)$/i.test(reason)) return null;
  return FINISH.get(reason.toLowerCase().replaceAll("-", "_")) ?? reason;
}

type ChatParts = FinishedReply & { readonly refusal: string };

/** A reply that came to its end. A missing reason is `stop`; a `stop` with tool calls is `tool-calls`, as Google says it. */
function conclude({ text, thinking, refusal, finish, toolCalls, sources, usage }: ChatParts): Completion {
  if (finish === "error")
    return { ok: false, problem: problemFromBody({ message: "the reply ended in an error" }), usage };
  if (finish === "content_filter") {
    const words = refusal === "" ? "the provider's content filter stopped the reply" : refusal;
    return { ok: false, problem: finalProblem("refused", words), usage };
  }
  if (refusal !== "" && text === "" && toolCalls.length === 0)
    return { ok: false, problem: finalProblem("refused", refusal), usage };
  const whole = toolCalls.length > 0 ? "tool-calls" : "stop";
  const ending = finish === null || finish === "stop" ? whole : finish;
  return { ok: true, text, thinking, toolCalls, sources, finish: ending, usage };
}

/**
 * Reads `chat.completion.chunk` events. The stream has come to its end with a `finish_reason` or with `[DONE]`, whichever servers send; usage comes
 * between the two, so reading goes on to `[DONE]`. Without either it broke off.
 */
function chatReader(onText: Hears, onThinking: Hears = () => {}): ReplyReader {
  let text = "";
  let refusal = "";
  let finish: string | null = null;
  let done = false;
  let usage: Usage = noUsage;
  let failed: Completion | null = null;
  let ours = false;
  let foreign = false;
  /** The index of the choice that is read. */
  let answered: number | null = null;
  const tools = createToolCalls();
  const thought = createThought(onThinking);
  const cited: LooseObject[] = [];
  let listing: LooseObject = {};

  const choice = (first: LooseObject): void => {
    const delta = objectAt(first, "delta");
    thought.take(delta);
    if (delta["annotations"] !== undefined) cited.push(...citedIn(delta));
    const piece = readContent(delta["content"]);
    if (piece !== "") {
      text += piece;
      onText(piece);
    }
    refusal += toText(delta["refusal"]);
    const calls = delta["tool_calls"];
    if (calls !== undefined) for (const call of toItems(calls)) tools.take(call);
    finish = readFinish(first["finish_reason"]) ?? finish;
  };

  return {
    event: (data) => {
      if (data === "[DONE]") {
        done = true;
        return true;
      }
      const chunk = parseJson(data);
      if (!isObject(chunk)) {
        failed = { ok: false, problem: networkProblem("the stream held an event that is not JSON"), usage };
        return true;
      }
      usage = findUsage(chunk) ?? usage;
      if (chunk["citations"] !== undefined) listing = chunk;
      if (chunk["error"] !== undefined && chunk["error"] !== null) {
        failed = { ok: false, problem: problemFromBody(chunk), usage };
        return true;
      }
      const choices = chunk["choices"];
      if (!Array.isArray(choices)) {
        foreign ||= !isObject(chunk["usage"]);
        return false;
      }
      const first: unknown = choices[0];
      if (isObject(first)) {
        const isChat = isObject(first["delta"]);
        // A legacy completion has its text where a chat has a message.
        const legacy = !isChat && typeof first["text"] === "string";
        const place = toCount(first["index"]) ?? 0;
        answered ??= place;
        if (legacy || choices.length > 1 || place !== answered) {
          failed = { ok: false, problem: legacy ? NOT_CHAT : SEVERAL, usage };
          return true;
        }
        ours ||= isChat;
        if (isObject(first["error"])) {
          failed = { ok: false, problem: problemFromBody(first), usage };
          return true;
        }
        choice(first);
      }
      return false;
    },
    end: () => {
      if (failed !== null) return { ...failed, usage };
      if (!ours && (foreign || done || finish !== null)) return { ok: false, problem: NOT_CHAT, usage };
      if (finish === null && !done)
        return { ok: false, problem: networkProblem("the stream ended early"), usage };
      const sources = readSources([...cited, ...listedIn(listing)]);
      return conclude({
        ...{ text, thinking: thought.all(), refusal, finish, toolCalls: tools.all(), sources, usage },
      });
    },
  };
}

function readWhole(body: unknown): Completion {
  const usage = (isObject(body) ? findUsage(body) : null) ?? noUsage;
  const choices = toItems(toObject(body)["choices"]);
  const first = choices[0];
  const error = toObject(body)["error"] ?? toObject(first)["error"];
  if (error !== undefined && error !== null) return { ok: false, problem: problemFromBody({ error }), usage };
  if (!isObject(first))
    return { ok: false, problem: finalProblem("unreadable", "the reply has no choices"), usage };
  if (choices.length > 1) return { ok: false, problem: SEVERAL, usage };
  const finish = readFinish(first["finish_reason"]);
  const withheld = finish === "content_filter" || finish === "error";
  if (!isObject(first["message"]) && !withheld) return { ok: false, problem: NOT_CHAT, usage };
  const message = objectAt(first, "message");
  const thought = createThought(() => {});
  thought.take(message);
  const tools = createToolCalls();
  toItems(message["tool_calls"]).forEach((call, index) =>
    tools.take(isObject(call) ? { ...call, index } : call),
  );
  return conclude({
    text: readContent(message["content"]),
    thinking: thought.all(),
    refusal: toText(message["refusal"]),
    finish,
    toolCalls: tools.all(),
    sources: readSources([...citedIn(message), ...listedIn(toObject(body))]),
    usage,
  });
}

/** Only words about the field itself, not about its value: "max_tokens is too large" is a refusal. */
const unknownField =
  /unsupported|not supported|does not support|unrecognized|unknown|unexpected|extra_forbidden|extra inputs|not permitted|deprecated|\buse\b.{0,40}\binstead/i;
const fieldComplaints: readonly (readonly [RegExp, WireFeature])[] = [
  [/stream_options|include_usage/i, "usage"],
  [/max_tokens|max_completion_tokens/i, "max-tokens"],
];

/** A schema may also be refused for what is in it, and the reply can do without any. */
function findComplaints(words: string): readonly WireFeature[] {
  const fields = unknownField.test(words) ? fieldComplaints.filter(([pattern]) => pattern.test(words)) : [];
  return [
    ...valueComplaints(words),
    ...(/response_format|json_schema|json schema|structured output/i.test(words) ? ["reply" as const] : []),
    ...(refusesTools(words) ? ["tools" as const] : []),
    ...fields.map(([, feature]) => feature),
  ];
}

/** Chat completions, as OpenAI defines them and many servers speak them. */
export const openaiCompatible: Wire = {
  build: (request, to) => ({ path: "/chat/completions", headers: {}, body: chatBody(request, to) }),
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  framing: serverSentEvents,
  reader: chatReader,
  readWhole,
  complaints: findComplaints,
};
