// A request as packages of the AI SDK take it.

import type { Message, ModelRequest } from "../kernel/model.ts";
import { readReference } from "../kernel/model-options.ts";
import type { SentAttachment } from "../kernel/transport.ts";
import { USER_AGENT } from "./http.ts";
import { parseJson, type LooseObject } from "./loose.ts";
import { readSdkReference } from "./sdk-package.ts";
import { attachedParts, type PartForms } from "./wires/attached.ts";
import { sealedObjects, type WireFeature } from "./wires/wire.ts";

const filePart = ({ name: filename, mediaType, data }: SentAttachment) => ({
  type: "file",
  ...{ filename, mediaType, data },
});

const PARTS: PartForms = { text: (text) => ({ type: "text", text }), picture: filePart, document: filePart };

function contentOf(message: Message, messages: readonly Message[]): unknown {
  const text = (words: string) => [{ type: "text", text: words }];
  switch (message.role) {
    case "system":
      return message.text;
    case "user":
      return attachedParts(message, PARTS) ?? text(message.text);
    case "assistant": {
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: written, extra }) => ({
        ...extra,
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        input: parseJson(written) ?? {},
      }));
      const thought = calls.length > 0 ? sealedObjects(message.thinking) : [];
      return [...thought, ...(message.text === "" && calls.length > 0 ? [] : text(message.text)), ...calls];
    }
    case "tool": {
      const calls = messages.flatMap((one) => (one.role === "assistant" ? (one.toolCalls ?? []) : []));
      const toolName = calls.find(({ id }) => id === message.id)?.name ?? "";
      const output = { type: "text", value: message.text };
      return [{ type: "tool-result", toolCallId: message.id, toolName, output }];
    }
  }
}

/** A call's options as the AI SDK has them (`LanguageModelV3CallOptions`). */
export function callOptions(
  request: ModelRequest,
  abortSignal: AbortSignal,
  without: ReadonlySet<WireFeature>,
): LooseObject {
  const { messages, maxOutputTokens, temperature, reply, tools = [] } = request;
  return {
    ...packageOptions(request, !without.has("effort")),
    prompt: messages.map((message) => ({ role: message.role, content: contentOf(message, messages) })),
    maxOutputTokens,
    ...(temperature !== undefined && !without.has("temperature") && { temperature }),
    ...(reply && !without.has("reply") && { responseFormat: { type: "json", ...reply } }),
    ...(tools.length > 0 &&
      !without.has("tools") && {
        tools: tools.map(({ name, description, parameters }) => ({
          type: "function",
          ...{ name, description, inputSchema: parameters },
        })),
        toolChoice: { type: "auto" },
      }),
    includeRawChunks: false,
    headers: { ...request.options?.headers, "user-agent": USER_AGENT },
    abortSignal,
  };
}

/** How packages are asked for an effort, each under its own name; later ones take `reasoning` as well. */
function effortOptions(name: string, effort: string): LooseObject {
  if (name === "anthropic")
    return { effort, thinking: { type: effort === "none" ? "disabled" : "adaptive" } };
  if (name === "google") return { thinkingConfig: { thinkingLevel: effort, includeThoughts: true } };
  return name === "openrouter" ? { reasoning: { effort } } : { reasoningEffort: effort };
}

/** What a package takes beside what every one does: an effort, and the user's own fields. */
function packageOptions({ model: ref, options }: ModelRequest, asksEffort: boolean): LooseObject {
  const { model, effort } = readReference(ref);
  const name = /^(?:@ai-sdk\/)?@?([^/]+)/.exec(readSdkReference(model)?.packages[0] ?? "")?.[1] ?? "";
  const asked = effort !== undefined && asksEffort;
  const own = { ...(asked && effortOptions(name, effort)), ...options?.body };
  return {
    ...(asked && { reasoning: effort }),
    ...(Object.keys(own).length > 0 && { providerOptions: { [name]: own } }),
  };
}
