import { quoteRequest } from "../prices.ts";
import type { Message, ModelRequest, ToolCall } from "../../kernel/model.ts";
import { isObject, parseJson, objectAt, toCount, toItems, toObject, toText, toJsonText } from "../loose.ts";
import type { LooseObject } from "../loose.ts";
import { besideCall, formatTool, mergeBodies, refusesTools, thinkingOf, valueComplaints } from "./wire.ts";
import type { Completion, Dialect, Hears, WireFeature, ReplyReader, Wire } from "./wire.ts";
import { isSent, noUsage, type Usage } from "../../kernel/transport.ts";
import { finalProblem, networkProblem, problemFromBody, type CallProblem } from "../failures.ts";
import { jsonLines } from "../framing.ts";

/** A tool's result goes by the name of the tool, and by the id that newer servers give a call; only the call before it says both. */
function formatMessage(message: Message, calls: ReadonlyMap<string, ToolCall>): unknown {
  switch (message.role) {
    case "system":
      return { role: message.role, content: message.text };
    case "user": {
      const images = (message.attachments ?? []).filter(isSent).map(({ data }) => data);
      return { role: message.role, content: message.text, ...(images.length > 0 && { images }) };
    }
    case "tool": {
      const { name, extra } = calls.get(message.id) ?? {};
      return { role: "tool", content: message.text, tool_name: name, tool_call_id: extra?.["id"] };
    }
    case "assistant":
      return message.toolCalls === undefined || message.toolCalls.length === 0
        ? { role: "assistant", content: message.text }
        : {
            role: "assistant",
            content: message.text,
            ...(message.thinking?.text ? { thinking: message.thinking.text } : {}),
            tool_calls: message.toolCalls.map(({ name, arguments: written, extra }) => {
              const given = parseJson(written);
              const named = isObject(given) && !Array.isArray(given);
              const called = { ...objectAt(extra, "function"), name, arguments: named ? given : {} };
              return { ...extra, function: called };
            }),
          };
  }
}

/** Ids come again in every turn, so that a result belongs to the latest call of its id. */
function formatMessages(messages: readonly Message[]): unknown[] {
  const calls = new Map<string, ToolCall>();
  return messages.map((message) => {
    if (message.role === "assistant") for (const call of message.toolCalls ?? []) calls.set(call.id, call);
    return formatMessage(message, calls);
  });
}

/** What a server takes where nothing is said; a longer prompt would lose its beginning without a word. */
const USUAL_CONTEXT = 4_096;

/** A context that prompt and reply fit, in few sizes, since every new one loads the model again; undefined for the usual one. */
function contextFor(request: ModelRequest): number | undefined {
  const { tokensIn, tokensOut } = quoteRequest(request, "free");
  const needed = tokensIn + tokensOut;
  return needed <= USUAL_CONTEXT ? undefined : 2 ** Math.ceil(Math.log2(needed));
}

/** The body of a streaming chat (Ollama's API documentation, "Generate a chat completion"). */
function chatBody(
  request: ModelRequest,
  { model, dialect }: { readonly model: string; readonly dialect: Dialect },
): string {
  const { temperature, maxOutputTokens, contextTokens, reply, tools } = request;
  const { without } = dialect;
  const body = {
    model,
    messages: formatMessages(request.messages),
    stream: true,
    options: {
      // What is undefined is left out.
      temperature: without.has("temperature") ? undefined : temperature,
      num_predict: maxOutputTokens,
      num_ctx: contextTokens ?? contextFor(request),
    },
    format: without.has("reply") ? undefined : reply?.schema,
    tools: tools?.length && !without.has("tools") ? tools.map(formatTool) : undefined,
  };
  return JSON.stringify(mergeBodies(dialect.extra ?? {}, body));
}

/** The counts stand in the last line; that of the prompt is left out where all of it was cached. */
function readUsage(line: LooseObject): Usage {
  const sent = toCount(line["prompt_eval_count"]);
  const said = toCount(line["eval_count"]);
  return sent === null && said === null
    ? noUsage
    : { tokens: { in: sent, out: said, cached: null, reasoning: null }, usd: null };
}

/** A call comes in one piece. Older servers give none an id, so that its place in the reply makes one, which they do not see. */
function readToolCall(call: unknown, place: number): ToolCall {
  const { name, arguments: given } = objectAt(call, "function");
  const id = toText(toObject(call)["id"]);
  const extra = { ...besideCall(toObject(call)), ...(id !== "" && { id }) };
  return {
    id: id === "" ? `call-${place + 1}` : id,
    name: toText(name),
    arguments: typeof given === "string" ? given : toJsonText(given ?? {}),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

const NOT_CHAT = finalProblem("unreadable", "the stream is none of Ollama's chat");

/** `load` and `unload` end a reply that only moved the model in or out of memory; the next attempt finds it there. */
function onlyMoved(reason: string): CallProblem {
  return { ...networkProblem(`the model said nothing (done_reason: ${reason})`), code: "overloaded" };
}

/** Reads the lines of a chat, or a reply that is one line. It has come to its end with `done: true`; without that it broke off. */
function chatReader(
  onText: Hears,
  onThinking: Hears = () => {},
): ReplyReader & { take(line: unknown): boolean } {
  let text = "";
  let thinking = "";
  let reason = "";
  let done = false;
  let ours = false;
  let foreign = false;
  let problem: CallProblem | null = null;
  let usage = noUsage;
  const toolCalls: ToolCall[] = [];

  const message = (said: LooseObject): void => {
    ours = true;
    const piece = toText(said["content"]);
    if (piece !== "") {
      text += piece;
      onText(piece);
    }
    const thought = toText(said["thinking"]);
    if (thought !== "") {
      thinking += thought;
      onThinking(thought);
    }
    const calls = said["tool_calls"];
    if (calls === undefined) return;
    for (const call of toItems(calls)) toolCalls.push(readToolCall(call, toolCalls.length));
  };

  const take = (line: unknown): boolean => {
    if (!isObject(line)) {
      problem = ours ? networkProblem("the stream held a line that is not JSON") : NOT_CHAT;
      return true;
    }
    if (line["error"] !== undefined && line["error"] !== null) {
      problem = problemFromBody(line);
      return true;
    }
    const said = line["message"];
    if (isObject(said)) message(said);
    else foreign = true;
    if (line["done"] !== true) return false;
    done = true;
    reason = toText(line["done_reason"]);
    usage = readUsage(line);
    return true;
  };

  return {
    take,
    event: (data) => take(parseJson(data)),
    end: () => {
      const failed = (why: CallProblem): Completion => ({ ok: false, problem: why, usage });
      if (problem !== null) return failed(problem);
      if (!ours && foreign) return failed(NOT_CHAT);
      if (!done) return failed(networkProblem("the stream ended early"));
      const called = toolCalls.length > 0;
      if (text === "" && !called && /^(?:un)?load$/.test(reason)) return failed(onlyMoved(reason));
      const finish = reason === "" || reason === "stop" ? (called ? "tool-calls" : "stop") : reason;
      return { ok: true, text, thinking: thinkingOf(thinking), toolCalls, finish, usage };
    },
  };
}

/** A reply that was printed over several lines. Its text goes out with the whole. */
function readWhole(body: unknown): Completion {
  const reader = chatReader(() => {});
  reader.take(body);
  return reader.end();
}

/** Ollama before 0.5 takes no schema, and a schema may be refused for what is in it; the reply can do without any. */
function complaints(words: string): readonly WireFeature[] {
  const isReply = /ChatRequest\.format|invalid format|json schema|grammar/i.test(words);
  return [
    ...valueComplaints(words),
    ...(refusesTools(words) ? ["tools" as const] : []),
    ...(isReply ? ["reply" as const] : []),
  ];
}

/** The command that fetches a model; null for what is no name of one, and so fit for no command line. */
export function pullCommand(model: string): string | null {
  return /^\w[\w.:/@-]{0,199}$/.test(model) ? `ollama pull ${model}` : null;
}

function remedy(words: string, model: string): string | null {
  const command = /\bmodel\b.{0,300}\bnot found\b/is.test(words) ? pullCommand(model) : null;
  return command === null ? null : `pull it with: ${command}`;
}

/** Ollama's own chat, which takes what its compatible API does not: the length of the context, and how long the model stays. */
export const ollama: Wire = {
  build: (request, to) => ({
    path: "/api/chat",
    headers: { accept: "application/x-ndjson, application/json" },
    body: chatBody(request, to),
  }),
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  framing: jsonLines,
  reader: chatReader,
  readWhole,
  complaints,
  remedy,
};
