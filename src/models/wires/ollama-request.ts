import type { Message, ModelRequest, ToolSpec } from "../../kernel/model.ts";
import { isLoose, parseJson } from "../loose.ts";
import type { Dialect } from "./wire.ts";

/** A tool's result goes by the name of the tool, which only the call before it says. */
const messageOf = (message: Message, toolNames: ReadonlyMap<string, string>): unknown => {
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
              const named = isLoose(given) && !Array.isArray(given);
              return { function: { name, arguments: named ? given : {} } };
            }),
          };
  }
};

/** Ids come again in every turn, so that a result belongs to the latest call of its id. */
const messagesOf = (messages: readonly Message[]): unknown[] => {
  const toolNames = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant")
      for (const { id, name } of message.toolCalls ?? []) toolNames.set(id, name);
    return messageOf(message, toolNames);
  });
};

const toolOf = ({ name, description, parameters }: ToolSpec): unknown => ({
  type: "function",
  function: { name, description, parameters },
});

/** The body of a streaming chat (Ollama's API documentation, "Generate a chat completion"). */
export const chatBody = (
  request: ModelRequest,
  { model, dialect }: { readonly model: string; readonly dialect: Dialect },
): string => {
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
};
