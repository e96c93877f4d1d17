import type { Message, ModelRequest, ToolSpec, ToolCall } from "../../kernel/model.ts";
import {
  isObject,
  parseJson,
  objectAt,
  toCount,
  toItems,
  toObject,
  toText,
  type LooseObject,
} from "../loose.ts";
import type { Dialect, Completion, Feature, ReplyReader, Wire } from "./wire.ts";
import { noUsage, type Usage } from "../../kernel/transport.ts";
import { finalProblem, networkProblem, problemFromBody, type CallProblem } from "../failures.ts";
import { jsonLines } from "../framing.ts";

/** A tool's result goes by the name of the tool, which only the call before it says. */
function messageOf(message: Message, toolNames: ReadonlyMap<string, string>): unknown {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: message.text };
    case "tool": {
      const name = toolNames.get(message.id);
      return { role: "tool", content: message.text, ...(name === undefined ? {} : { tool_name: name }) };
    }
    case "assistant":
      return message.toolCalls === undefined || message.toolCalls.length === 0
        ? { role: "assistant", content: message.text }
        : {
            role: "assistant",
            content: message.text,
            tool_calls: message.toolCalls.map(({ name, arguments: written }) => {
              const given = parseJson(written);
              const named = isObject(given) && !Array.isArray(given);
              return { function: { name, arguments: named ? given : {} } };
            }),
          };
  }
}

/** Ids come again in every turn, so that a result belongs to the latest call of its id. */
function messagesOf(messages: readonly Message[]): unknown[] {
  const toolNames = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant")
      for (const { id, name } of message.toolCalls ?? []) toolNames.set(id, name);
    return messageOf(message, toolNames);
  });
}

function toolOf({ name, description, parameters }: ToolSpec): unknown {
  return {
    type: "function",
    function: { name, description, parameters },
  };
}

/** The body of a streaming chat (Ollama's API documentation, "Generate a chat completion"). */
function chatBody(
  request: ModelRequest,
  { model, dialect }: { readonly model: string; readonly dialect: Dialect },
): string {
  const { temperature, maxOutputTokens, contextTokens, reply, tools } = request;
  const { without } = dialect;
  return JSON.stringify({
    ...dialect.extra,
    model,
    messages: messagesOf(request.messages),
    stream: true,
    options: {
      ...(temperature === undefined || without.has("temperature") ? {} : { temperature }),
      num_predict: maxOutputTokens,
      ...(contextTokens === undefined ? {} : { num_ctx: contextTokens }),
    },
    ...(reply === undefined || without.has("reply") ? {} : { format: reply.schema }),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
  });
}

/** The counts stand in the last line; that of the prompt is left out where all of it was cached. */
function usageIn(line: LooseObject): Usage {
  const sent = toCount(line["prompt_eval_count"]);
  const said = toCount(line["eval_count"]);
  return sent === null && said === null
    ? noUsage
    : { tokens: { in: sent, out: said, cached: null, reasoning: null }, usd: null };
}

/** A call comes in one piece. Most servers give none an id, so that its place in the reply makes one. */
function toolCallOf(call: unknown, place: number): ToolCall {
  const { name, arguments: given } = objectAt(call, "function");
  const id = toText(toObject(call)["id"]);
  return {
    id: id === "" ? `call-${place + 1}` : id,
    name: toText(name),
    arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}),
  };
}

const notChat = finalProblem("unreadable", "the stream is none of Ollama's chat");

/** `load` and `unload` end a reply that only moved the model in or out of memory; the next attempt finds it there. */
function onlyMoved(reason: string): CallProblem {
  return {
    code: "overloaded",
    words: `the model said nothing (done_reason: ${reason})`,
    retry: "later",
    waitMs: null,
    crowded: false,
  };
}

/**
 * Reads the lines of a chat, or a reply that is one line. It has come to its end with `done: true`; without that it broke
 * off. Thinking is no part of the reply.
 */
function chatReader(onText: (text: string) => void): ReplyReader & { take(line: unknown): boolean } {
  let text = "";
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
    const calls = said["tool_calls"];
    if (calls === undefined) return;
    for (const call of toItems(calls)) toolCalls.push(toolCallOf(call, toolCalls.length));
  };

  const take = (line: unknown): boolean => {
    if (!isObject(line)) {
      problem = ours ? networkProblem("the stream held a line that is not JSON") : notChat;
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
    usage = usageIn(line);
    return true;
  };

  return {
    take,
    event: (data) => take(parseJson(data)),
    end: () => {
      const failed = (why: CallProblem): Completion => ({ ok: false, problem: why, usage });
      if (problem !== null) return failed(problem);
      if (!ours && foreign) return failed(notChat);
      if (!done) return failed(networkProblem("the stream ended early"));
      const called = toolCalls.length > 0;
      if (text === "" && !called && /^(?:un)?load$/.test(reason)) return failed(onlyMoved(reason));
      const finish = reason === "" || reason === "stop" ? (called ? "tool-calls" : "stop") : reason;
      return { ok: true, text, toolCalls, finish, usage };
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
function complaint(words: string): Feature | null {
  return /ChatRequest\.format|invalid format|json schema|grammar/i.test(words) ? "reply" : null;
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
  complaint,
  remedy,
};
