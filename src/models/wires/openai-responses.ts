import type { Message, ModelRequest, ReplySchema, Thinking, ToolCall, ToolSpec } from "../../kernel/model.ts";
import { readSources } from "../../kernel/sources.ts";
import { noUsage, type Usage } from "../../kernel/transport.ts";
import { finalProblem, networkProblem, problemFromBody, type CallProblem } from "../failures.ts";
import { serverSentEvents } from "../framing.ts";
import { isObject, objectAt, parseJson, toCount, toItems, toObject, toText } from "../loose.ts";
import type { LooseObject } from "../loose.ts";
import { attachedParts, dataUrl, type PartForms } from "./attached.ts";
import { openaiCompatible, readUsage } from "./openai-compatible.ts";
import { isStrict, mergeBodies, sealedObjects, thinkingOf, demandsCall, toolsIn } from "./wire.ts";
import type { Completion, Dialect, FinishedReply, Hears, ReplyReader, Wire } from "./wire.ts";

/** The least that `max_output_tokens` may be. */
const MIN_OUTPUT_TOKENS = 16;

const PARTS: PartForms = {
  text: (text) => ({ type: "input_text", text }),
  picture: (picture) => ({ type: "input_image", image_url: dataUrl(picture) }),
  document: (document) => ({ type: "input_file", filename: document.name, file_data: dataUrl(document) }),
};

function formatMessage(message: Message): unknown[] {
  switch (message.role) {
    case "system":
      return [{ role: message.role, content: message.text }];
    case "user":
      return [{ role: message.role, content: attachedParts(message, PARTS) ?? message.text }];
    case "tool":
      return [{ type: "function_call_output", call_id: message.id, output: message.text }];
    case "assistant": {
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: text }) => ({
        type: "function_call",
        ...{ call_id: id, name, arguments: text },
      }));
      const says = message.text !== "" || calls.length === 0;
      const thought = calls.length > 0 ? sealedObjects(message.thinking) : [];
      return [...thought, ...(says ? [{ role: "assistant", content: message.text }] : []), ...calls];
    }
  }
}

function formatReply({ name, schema }: ReplySchema): unknown {
  return { format: { type: "json_schema", name, ...(isStrict(schema) && { strict: true }), schema } };
}

// Without a word about it this API takes a schema as strict, and refuses most.
function formatTool({ name, description, parameters }: ToolSpec): unknown {
  return { type: "function", name, description, parameters, strict: false };
}

/** Models that answer only with a source to search. */
const SEARCHES = /-deep-research(?:-|$)/;

/** The body of a streaming request (OpenAI API reference, "Create a model response"). Nothing is kept on the server. */
function responsesBody(
  request: ModelRequest,
  { model, dialect }: { readonly model: string; readonly dialect: Dialect },
): string {
  const { extra, without } = dialect;
  const search = dialect.search ?? (SEARCHES.test(model) ? { type: "web_search_preview" } : undefined);
  const body = {
    model,
    input: request.messages.flatMap(formatMessage),
    stream: true,
    store: false,
    max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, request.maxOutputTokens),
    // What is undefined is left out.
    temperature: without.has("temperature") ? undefined : request.temperature,
    text: request.reply && !without.has("reply") ? formatReply(request.reply) : undefined,
    tools: toolsIn(request, { ...dialect, search }, formatTool),
    tool_choice: demandsCall(request, dialect) ? "required" : undefined,
    max_tool_calls: dialect.search === undefined ? undefined : request.search,
  };
  return JSON.stringify(mergeBodies(extra ?? {}, body));
}

/** A search that is charged for; what it opens and finds on a page is not. */
const isSearch = (item: unknown): boolean =>
  toObject(item)["type"] === "web_search_call" && (objectAt(item, "action")["type"] ?? "search") === "search";

/** Chat completions have the same numbers under other names. */
function usageOf(response: LooseObject): Usage {
  const { usage } = response;
  if (!isObject(usage)) return noUsage;
  return readUsage({
    server_tool_use: { web_search_requests: toItems(response["output"]).filter(isSearch).length },
    ...usage,
    prompt_tokens: usage["input_tokens"],
    completion_tokens: usage["output_tokens"],
    prompt_tokens_details: usage["input_tokens_details"],
    completion_tokens_details: usage["output_tokens_details"],
  });
}

/** What the items of a whole response say. */
function readOutput(response: LooseObject) {
  let [text, refusal] = ["", ""];
  const toolCalls: ToolCall[] = [];
  const thoughts: LooseObject[] = [];
  const cited: LooseObject[] = [];
  for (const item of toItems(response["output"]).map(toObject)) {
    if (item["type"] === "reasoning") thoughts.push(item);
    if (item["type"] === "function_call") toolCalls.push(readCall(item, toolCalls.length));
    if (item["type"] !== "message") continue;
    for (const part of toItems(item["content"]).map(toObject)) {
      if (part["type"] === "output_text") text += toText(part["text"]);
      cited.push(...toItems(part["annotations"]).map(toObject));
      if (part["type"] === "refusal") refusal += toText(part["refusal"]);
    }
  }
  // xAI lists what it read beside the output as well.
  const read = toItems(response["citations"]).map((url) => ({ url }));
  const sources = readSources([...cited, ...read]);
  return { text, refusal, toolCalls, sources, thinking: readThoughts(thoughts) };
}

/** What the items of reasoning say, in words or in summary. Those that are encrypted go back as they came. */
function readThoughts(items: readonly LooseObject[]): Thinking | undefined {
  const words = items.flatMap((item) => {
    const whole = toItems(item["content"]);
    return (whole.length > 0 ? whole : toItems(item["summary"])).map((part) =>
      toText(toObject(part)["text"]),
    );
  });
  const sealed = items.filter((item) => typeof item["encrypted_content"] === "string");
  return thinkingOf(words.filter((one) => one !== "").join("\n\n"), sealed);
}

function readCall(item: LooseObject, position: number): ToolCall {
  return {
    id: toText(item["call_id"]) || toText(item["id"]) || `call-${position + 1}`,
    name: toText(item["name"]),
    arguments: toText(item["arguments"]),
  };
}

const OTHER = finalProblem("unreadable", "the reply is none of the Responses API");

type Parts = Pick<FinishedReply, "text" | "thinking" | "toolCalls" | "sources"> & {
  readonly refusal: string;
};

/** A response that came to its end, whichever that is. */
function conclude(response: LooseObject, { text, thinking, refusal, toolCalls, sources }: Parts): Completion {
  const usage = usageOf(response);
  const fails = (problem: CallProblem): Completion => ({ ok: false, problem, usage });
  const { status, error } = response;
  if (isObject(error)) return fails(problemFromBody({ error }));
  if (status === "failed" || status === "cancelled")
    return fails(problemFromBody({ message: `the provider reported that the response ${status}` }));
  const reason = toText(objectAt(response, "incomplete_details")["reason"]);
  if (reason === "content_filter")
    return fails(finalProblem("refused", refusal || "the provider's content filter stopped the reply"));
  if (refusal !== "" && text === "" && toolCalls.length === 0) return fails(finalProblem("refused", refusal));
  const whole = toolCalls.length > 0 ? "tool-calls" : "stop";
  const cut = reason === "" || reason === "max_output_tokens" ? "length" : reason;
  const finish = status === "incomplete" ? cut : whole;
  return { ok: true, text, thinking, toolCalls, sources, finish, usage };
}

const ENDS: ReadonlySet<string> = new Set(["response.completed", "response.incomplete", "response.failed"]);

/**
 * Reads the events of a response up to the one that ends it, which has usage and the whole output. Without it the stream broke
 * off. Tools that the provider runs itself are no part of the reply.
 */
function responsesReader(onText: Hears, onThinking: Hears = () => {}): ReplyReader {
  let [text, refusal] = ["", ""];
  let ended: LooseObject | null = null;
  let problem: CallProblem | null = null;
  let ours = false;
  let foreign = false;
  const calls = new Map<number, ToolCall>();
  const thoughts: LooseObject[] = [];

  const give = (piece: string): void => {
    if (piece === "") return;
    text += piece;
    onText(piece);
  };

  return {
    event: (data) => {
      if (data === "[DONE]") return true;
      const event = parseJson(data);
      if (!isObject(event)) {
        problem = networkProblem("the stream held an event that is not JSON");
        return true;
      }
      const type = toText(event["type"]);
      if (type === "error" || (isObject(event["error"]) && !type.startsWith("response."))) {
        problem = problemFromBody(isObject(event["error"]) ? event : { error: { ...event, type: "" } });
        return true;
      }
      if (!type.startsWith("response.")) {
        foreign = true;
        return false;
      }
      ours = true;
      if (type === "response.output_text.delta") give(toText(event["delta"]));
      else if (/^response\.reasoning(?:_summary)?(?:_text)?\.delta$/.test(type))
        onThinking(toText(event["delta"]));
      else if (type === "response.reasoning_summary_text.done" || type === "response.reasoning_text.done")
        onThinking("\n\n");
      else if (type === "response.refusal.delta") refusal += toText(event["delta"]);
      else if (type === "response.output_item.done") {
        const item = objectAt(event, "item");
        if (item["type"] === "reasoning") thoughts.push(item);
        if (item["type"] === "function_call")
          calls.set(toCount(event["output_index"]) ?? calls.size, readCall(item, calls.size));
      } else if (ENDS.has(type)) {
        const response = objectAt(event, "response");
        ended = type === "response.failed" ? { ...response, status: "failed" } : response;
        return true;
      }
      return false;
    },
    end: () => {
      const usage = noUsage;
      if (problem !== null) return { ok: false, problem, usage };
      if (!ours && foreign) return { ok: false, problem: OTHER, usage };
      if (ended === null) return { ok: false, problem: networkProblem("the stream ended early"), usage };
      const whole = readOutput(ended);
      // Some servers send the text only at the end.
      if (text === "") give(whole.text);
      const streamed = [...calls].sort(([one], [other]) => one - other).map(([, call]) => call);
      const toolCalls = streamed.length > 0 ? streamed : whole.toolCalls;
      const thinking = thoughts.length > 0 ? readThoughts(thoughts) : whole.thinking;
      const { sources } = whole;
      return conclude(ended, { text, thinking, refusal: refusal || whole.refusal, toolCalls, sources });
    },
  };
}

function readWhole(body: unknown): Completion {
  const response = toObject(body);
  if (isObject(response["error"]))
    return { ok: false, problem: problemFromBody(body), usage: usageOf(response) };
  if (!Array.isArray(response["output"])) return { ok: false, problem: OTHER, usage: noUsage };
  return conclude(response, readOutput(response));
}

/** OpenAI's Responses API, which some of its models have alone. */
export const openaiResponses: Wire = {
  build: (request, to) => ({ path: "/responses", headers: {}, body: responsesBody(request, to) }),
  authorize: openaiCompatible.authorize,
  framing: serverSentEvents,
  reader: responsesReader,
  readWhole,
  complaints: (words) => [
    ...(/text\.format/i.test(words) ? ["reply" as const] : []),
    ...openaiCompatible.complaints(words),
  ],
};
