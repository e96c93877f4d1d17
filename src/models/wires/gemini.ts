import type { Message, ModelRequest } from "../../kernel/model.ts";
import { readSources } from "../../kernel/sources.ts";
import { noUsage, type SentAttachment, type Usage } from "../../kernel/transport.ts";
import { finalProblem, networkProblem, problemFromBody, type CallProblem } from "../failures.ts";
import { serverSentEvents } from "../framing.ts";
import {
  isObject,
  objectAt,
  parseJson,
  toCount,
  toItems,
  toObject,
  toText,
  type LooseObject,
} from "../loose.ts";
import { attachedParts, type PartForms } from "./attached.ts";
import {
  mergeBodies,
  thinkingOf,
  toolsIn,
  valueComplaints,
  type Completion,
  type Dialect,
  type Hears,
  type ReplyReader,
  type Wire,
} from "./wire.ts";

// Gemini's own API, for searches alone: its compatible one, which has the rest, has none. Tools of functions go over that one.

const filePart = ({ mediaType, data }: SentAttachment) => ({ inlineData: { mimeType: mediaType, data } });
const PARTS: PartForms = { text: (text) => ({ text }), picture: filePart, document: filePart };

function formatContent(message: Message): unknown[] {
  if (message.role === "system" || message.role === "tool") return [];
  const attached = message.role === "user" ? attachedParts(message, PARTS) : undefined;
  const role = message.role === "user" ? "user" : "model";
  return [{ role, parts: attached ?? [{ text: message.text }] }];
}

/** The body of a streaming request (Gemini API reference, "models.streamGenerateContent"). */
function generateBody(request: ModelRequest, dialect: Dialect): string {
  const { messages, maxOutputTokens, temperature, reply } = request;
  const { extra, without } = dialect;
  const system = messages.flatMap((message) => (message.role === "system" ? [{ text: message.text }] : []));
  const asks = reply !== undefined && !without.has("reply");
  const body = {
    // What is undefined is left out.
    systemInstruction: system.length === 0 ? undefined : { parts: system },
    contents: messages.flatMap(formatContent),
    generationConfig: {
      maxOutputTokens,
      temperature: without.has("temperature") ? undefined : temperature,
      responseMimeType: asks ? "application/json" : undefined,
      responseJsonSchema: asks ? reply.schema : undefined,
    },
    tools: toolsIn({ ...request, tools: [] }, dialect, (tool) => tool),
  };
  return JSON.stringify(mergeBodies(extra ?? {}, body));
}

/** What was thought and what a search brought into the prompt are counted apart; of a stream that broke off the output is not known. */
function readUsage({ usageMetadata }: LooseObject, { searches = 0, isWhole = false }): Usage {
  if (!isObject(usageMetadata)) return noUsage;
  const said = toCount(usageMetadata["candidatesTokenCount"]);
  const thought = toCount(usageMetadata["thoughtsTokenCount"]);
  const sent = toCount(usageMetadata["promptTokenCount"]);
  const found = toCount(usageMetadata["toolUsePromptTokenCount"]) ?? 0;
  return {
    tokens: {
      in: sent === null ? null : sent + found,
      out: isWhole && (said ?? thought) !== null ? (said ?? 0) + (thought ?? 0) : null,
      cached: toCount(usageMetadata["cachedContentTokenCount"]),
      reasoning: isWhole ? thought : null,
    },
    ...(searches > 0 ? { searches } : {}),
    usd: null,
  };
}

/** Reasons that say nothing of what was written: the server failed. */
const FAILED = /^(?:MALFORMED|UNEXPECTED|TOO_MANY|OTHER$|NO_|MISSING)/;

const OTHER = finalProblem("unreadable", "the reply is none of Gemini's API");

/** Reads the pieces of a response; the last has a `finishReason`, and without any the stream broke off. */
function generateReader(
  onText: Hears,
  onThinking: Hears = () => {},
): ReplyReader & { take(body: unknown): boolean } {
  let [text, thought] = ["", ""];
  let finish: string | null = null;
  let problem: CallProblem | null = null;
  let [ours, foreign] = [false, false];
  let last: LooseObject = {};
  let model = "";
  const queries = new Set<string>();
  const found: LooseObject[] = [];

  const part = (one: LooseObject): void => {
    const piece = toText(one["text"]);
    if (piece === "") return;
    if (one["thought"] === true) {
      thought += piece;
      onThinking(piece);
    } else {
      text += piece;
      onText(piece);
    }
  };

  const take = (body: unknown): boolean => {
    if (!isObject(body)) {
      problem = networkProblem("the stream held an event that is not JSON");
      return true;
    }
    if (isObject(body["error"])) {
      problem = problemFromBody(body);
      return true;
    }
    const blocked = toText(objectAt(body, "promptFeedback")["blockReason"]);
    if (blocked !== "") problem = finalProblem("refused", `the provider refused the prompt: ${blocked}`);
    if (isObject(body["usageMetadata"])) last = body;
    model = toText(body["modelVersion"]) || model;
    const candidates = body["candidates"];
    if (!Array.isArray(candidates)) {
      foreign ||= !isObject(body["usageMetadata"]) && blocked === "";
      return problem !== null;
    }
    ours = true;
    const first = toObject(candidates[0]);
    toItems(objectAt(first, "content")["parts"]).map(toObject).forEach(part);
    const grounding = objectAt(first, "groundingMetadata");
    for (const query of toItems(grounding["webSearchQueries"])) queries.add(toText(query));
    for (const chunk of toItems(grounding["groundingChunks"])) {
      const { uri: url, title } = objectAt(chunk, "web");
      found.push({ url, title });
    }
    finish = toText(first["finishReason"]) || finish;
    return false;
  };

  return {
    take,
    event: (data) => take(parseJson(data)),
    end: () => {
      // Gemini up to 2.5 is charged by the prompt, later ones by the query.
      const searches = /gemini-[12]\b/.test(model) ? Math.min(1, queries.size) : queries.size;
      const usage = readUsage(last, { searches, isWhole: finish !== null });
      const fails = (why: CallProblem): Completion => ({ ok: false, problem: why, usage });
      if (problem !== null) return fails(problem);
      if (!ours && foreign) return fails(OTHER);
      if (finish === null) return fails(networkProblem("the stream ended early"));
      if (FAILED.test(finish)) return fails(problemFromBody({ message: `the reply ended in ${finish}` }));
      if (finish !== "STOP" && finish !== "MAX_TOKENS")
        return fails(finalProblem("refused", `the provider's filter stopped the reply: ${finish}`));
      const [thinking, sources] = [thinkingOf(thought), readSources(found)];
      const ending = finish === "STOP" ? "stop" : "length";
      return { ok: true, text, thinking, toolCalls: [], sources, finish: ending, usage };
    },
  };
}

/** A response in one piece, or a stream of them as one list. */
function readWhole(body: unknown): Completion {
  const reader = generateReader(() => {});
  for (const piece of Array.isArray(body) ? body : [body]) reader.take(piece);
  return reader.end();
}

export const gemini: Wire = {
  build: (request, { model, dialect }) => ({
    path: `/models/${encodeURIComponent(model.replace(/^models\//, ""))}:streamGenerateContent?alt=sse`,
    headers: {},
    body: generateBody(request, dialect),
  }),
  authorize: (key) => ({ "x-goog-api-key": key }),
  framing: serverSentEvents,
  reader: generateReader,
  readWhole,
  complaints: (words) => [
    ...valueComplaints(words),
    ...(/response_?(?:mime_?type|json_?schema|schema)/i.test(words) ? (["reply"] as const) : []),
  ],
};
