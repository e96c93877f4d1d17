import type { Message, ModelRequest, ToolSpec } from "../../kernel/model.ts";
import { readSources } from "../../kernel/sources.ts";
import { noUsage, type SentAttachment, type Usage } from "../../kernel/transport.ts";
import { attachedParts, type PartForms } from "./attached.ts";
import { finalProblem, networkProblem, problemFromBody, type CallProblem } from "../failures.ts";
import {
  objectAt,
  toCount,
  firstCount,
  toItems,
  isObject,
  toObject,
  parseJson,
  toText,
  type LooseObject,
  toJsonText,
} from "../loose.ts";
import { serverSentEvents } from "../framing.ts";
import {
  sealedObjects,
  thinkingOf,
  demandsCall,
  toolsIn,
  mergeBodies,
  valueComplaints,
  type Completion,
  type Dialect,
  type WireFeature,
  type FinishedReply,
  type Hears,
  type ReplyReader,
  type Wire,
} from "./wire.ts";

type AnthropicTurn = { readonly role: "user" | "assistant"; readonly content: unknown[] };

const sourceOf = ({ mediaType, data }: SentAttachment) => ({ type: "base64", media_type: mediaType, data });

const PARTS: PartForms = {
  text: (text) => ({ type: "text", text }),
  picture: (picture) => ({ type: "image", source: sourceOf(picture) }),
  document: (document) => ({ type: "document", title: document.name, source: sourceOf(document) }),
};

function formatBlocks(message: Exclude<Message, { role: "system" }>): unknown[] {
  // The API refuses text blocks of nothing but blanks.
  const text = message.text.trim() === "" ? [] : [{ type: "text", text: message.text }];
  switch (message.role) {
    case "user":
      return [...(attachedParts(message, PARTS) ?? text)];
    case "tool":
      return [{ type: "tool_result", tool_use_id: message.id, content: message.text }];
    case "assistant":
      return [
        // Without the thinking before it, signed as it came, this API refuses a turn with tools.
        ...(message.toolCalls?.length ? sealedObjects(message.thinking) : []),
        ...text,
        ...(message.toolCalls ?? []).map(({ id, name, arguments: written }) => {
          const input = parseJson(written);
          return { type: "tool_use", id, name, input: isObject(input) ? input : {} };
        }),
      ];
  }
}

/** Turns of user and assistant in alternation, as the API wants them; tool results belong to the user. */
function formatTurns(messages: readonly Message[]): AnthropicTurn[] {
  const turns: AnthropicTurn[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...formatBlocks(message));
    else turns.push({ role, content: formatBlocks(message) });
  }
  return turns.filter(({ content }) => content.length > 0);
}

function formatTool({ name, description, parameters }: ToolSpec): unknown {
  return { name, description, input_schema: parameters };
}

/** The body of a streaming message (Anthropic API reference, "Create a Message", and "Structured outputs"). */
function messageBody(
  request: ModelRequest,
  { model, dialect }: { readonly model: string; readonly dialect: Dialect },
): string {
  const system = request.messages.flatMap((message) => (message.role === "system" ? [message.text] : []));
  const { temperature, reply } = request;
  const { without } = dialect;
  const body = {
    model,
    max_tokens: request.maxOutputTokens,
    // What is undefined is left out.
    system: system.length === 0 ? undefined : system.join("\n\n"),
    messages: formatTurns(request.messages),
    stream: true,
    // This API ends at 1 where others go on to 2.
    temperature:
      temperature === undefined || without.has("temperature") ? undefined : Math.min(1, temperature),
    output_config:
      reply && !without.has("reply") ? { format: { type: "json_schema", schema: reply.schema } } : undefined,
    tools: toolsIn(request, dialect, formatTool),
    tool_choice: demandsCall(request, dialect) ? { type: "any" } : undefined,
  };
  return JSON.stringify(mergeBodies(dialect.extra ?? {}, body));
}

type Counts = {
  input: number | null;
  output: number | null;
  written: number;
  read: number | null;
  thinking: number | null;
  searches: number;
};

/** Later events repeat the counts as running totals, so the last word on each one holds. */
function count(counts: Counts, usage: LooseObject): void {
  counts.input = firstCount(usage["input_tokens"], counts.input);
  counts.output = firstCount(usage["output_tokens"], counts.output);
  counts.written = toCount(usage["cache_creation_input_tokens"]) ?? counts.written;
  counts.read = firstCount(usage["cache_read_input_tokens"], counts.read);
  counts.thinking = firstCount(objectAt(usage, "output_tokens_details")["thinking_tokens"], counts.thinking);
  counts.searches = toCount(objectAt(usage, "server_tool_use")["web_search_requests"]) ?? counts.searches;
}

/** `input_tokens` are those neither read from nor written to the cache; `Tokens.in` counts all three. */
function usageFrom({ input, output, written, read, thinking, searches }: Counts): Usage {
  return input === null && output === null
    ? noUsage
    : {
        tokens: {
          in: input === null ? null : input + written + (read ?? 0),
          out: output,
          cached: read,
          reasoning: thinking,
          ...(written > 0 ? { written } : {}),
        },
        ...(searches > 0 ? { searches } : {}),
        usd: null,
      };
}

const FINISH: ReadonlyMap<string, string> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  // A long turn of searches was paused and is not over.
  ["pause_turn", "length"],
]);

function conclude({ text, thinking, finish, toolCalls, sources, usage }: FinishedReply): Completion {
  if (finish === "refusal") {
    const words = text === "" ? "the provider's safety classifier refused to answer" : text;
    return { ok: false, problem: finalProblem("refused", words), usage };
  }
  const named = finish ?? (toolCalls.length > 0 ? "tool_use" : "end_turn");
  return { ok: true, text, thinking, toolCalls, sources, finish: FINISH.get(named) ?? named, usage };
}

/** Ends with `message_stop`. Tools that the provider runs itself are no part of the reply. */
function messageReader(
  onText: Hears,
  onThinking: Hears = () => {},
): ReplyReader & { take(event: unknown): boolean } {
  let text = "";
  let finish: string | null = null;
  let started = false;
  let stopped = false;
  let isTotal = false;
  let foreign = false;
  let problem: CallProblem | null = null;
  const counts: Counts = { input: null, output: null, written: 0, read: null, thinking: null, searches: 0 };
  const tools = new Map<unknown, { id: string; name: string; start: unknown; text: string }>();

  /** What the text cites, and what was found without being cited. */
  const cited: LooseObject[] = [];
  const results: LooseObject[] = [];

  /** Blocks of thinking by index, as they came: they are signed, or redacted and encrypted. */
  const thoughts = new Map<unknown, ThinkingBlock>();

  /** Whether a search came between the text so far and what is written next. */
  let isApart = false;

  const add = (piece: string): void => {
    if (piece === "") return;
    const whole = isApart && text !== "" ? `\n\n${piece.trimStart()}` : piece;
    isApart = false;
    text += whole;
    onText(whole);
  };

  const think = (block: ThinkingBlock | undefined, piece: string): void => {
    if (block === undefined || piece === "") return;
    block["thinking"] = toText(block["thinking"]) + piece;
    onThinking(piece);
  };

  const delta = (event: LooseObject): void => {
    const { type, text: piece, partial_json: json, thinking, signature } = objectAt(event, "delta");
    const thought = thoughts.get(event["index"]);
    if (type === "text_delta") add(toText(piece));
    else if (type === "citations_delta") cited.push(objectAt(objectAt(event, "delta"), "citation"));
    else if (type === "thinking_delta") think(thought, toText(thinking));
    else if (type === "signature_delta" && thought !== undefined)
      thought["signature"] = toText(thought["signature"]) + toText(signature);
    else if (type === "input_json_delta") {
      const tool = tools.get(event["index"]);
      if (tool !== undefined) tool.text += toText(json);
    }
  };

  const start = (event: LooseObject): void => {
    const block = objectAt(event, "content_block");
    if (block["type"] === "text") {
      add(toText(block["text"]));
      cited.push(...toItems(block["citations"]).map(toObject));
    }
    if (block["type"] === "server_tool_use") isApart = true;
    if (block["type"] === "web_search_tool_result") results.push(...toItems(block["content"]).map(toObject));
    if (block["type"] === "thinking" || block["type"] === "redacted_thinking") {
      const thought = block["type"] === "thinking" ? { ...block, thinking: "" } : { ...block };
      thoughts.set(event["index"], thought);
      think(thought, toText(block["thinking"]));
    }
    if (block["type"] !== "tool_use") return;
    const { id, name, input } = block;
    tools.set(event["index"], { id: toText(id), name: toText(name), start: input, text: "" });
  };

  const take = (event: unknown): boolean => {
    if (!isObject(event)) {
      problem = networkProblem("the stream held an event that is not JSON");
      return true;
    }
    switch (event["type"]) {
      case "content_block_delta":
        delta(event);
        return false;
      case "content_block_start":
        start(event);
        return false;
      case "content_block_stop":
        return false;
      case "message_start":
        started = true;
        count(counts, objectAt(objectAt(event, "message"), "usage"));
        return false;
      case "message_delta": {
        isTotal = true;
        count(counts, objectAt(event, "usage"));
        const reason = objectAt(event, "delta")["stop_reason"];
        if (typeof reason === "string") finish = reason;
        return false;
      }
      case "message_stop":
        stopped = true;
        return true;
      case "error":
        problem = problemFromBody(event);
        return true;
      default:
        foreign ||= event["type"] !== "ping";
        return false;
    }
  };

  return {
    take,
    event: (data) => take(parseJson(data)),
    end: () => {
      // A message begins with the count of its first tokens, which is no total where it breaks off.
      const usage = usageFrom(stopped || isTotal ? counts : { ...counts, output: null, thinking: null });
      if (problem !== null) return { ok: false, problem, usage };
      if (!started && (foreign || stopped))
        return { ok: false, problem: finalProblem("unreadable", "the stream is none of messages"), usage };
      if (!stopped) return { ok: false, problem: networkProblem("the stream ended early"), usage };
      const toolCalls = [...tools.values()].map(({ id, name, start: input, text: written }) => ({
        id,
        name,
        arguments: written === "" ? toJsonText(input ?? {}) : written,
      }));
      const blocks = [...thoughts.values()];
      const words = blocks.map((block) => toText(block["thinking"])).filter((one) => one !== "");
      const thinking = thinkingOf(words.join("\n\n"), blocks.filter(isSealed));
      const sources = readSources(cited.length > 0 ? cited : results);
      return conclude({ text, thinking, finish, toolCalls, sources, usage });
    },
  };
}

type ThinkingBlock = { [field: string]: unknown };

const isSealed = (block: ThinkingBlock): boolean =>
  block["type"] === "redacted_thinking" || toText(block["signature"]) !== "";

/** A message in one piece is read as its events. */
function readWhole(body: unknown): Completion {
  const whole = toObject(body);
  const content = whole["content"];
  const reader = messageReader(() => {});
  reader.take({ type: "message_start", message: whole });
  if (whole["type"] === "error" || isObject(whole["error"])) reader.take({ ...whole, type: "error" });
  else if (!Array.isArray(content)) {
    const problem = finalProblem("unreadable", "the reply has no content");
    return { ok: false, problem, usage: reader.end().usage };
  } else {
    content.forEach((block, index) =>
      reader.take({ type: "content_block_start", index, content_block: block }),
    );
    reader.take({ type: "message_delta", delta: whole });
    reader.take({ type: "message_stop" });
  }
  return reader.end();
}

function complaints(words: string): readonly WireFeature[] {
  const isReply = /output_config|output_format|json_schema|structured output/i.test(words);
  return [...valueComplaints(words), ...(isReply ? ["reply" as const] : [])];
}

/** Anthropic's messages. */
export const anthropic: Wire = {
  build: (request, to) => ({
    path: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    body: messageBody(request, to),
  }),
  authorize: (key) => ({ "x-api-key": key }),
  framing: serverSentEvents,
  reader: messageReader,
  readWhole,
  complaints,
};
