import type { Message, ModelRequest, ReplySchema, ToolSpec } from "../../kernel/model.ts";
import { isLoose, itemsOf } from "../loose.ts";
import type { Dialect } from "./wire.ts";

const messageOf = (message: Message): unknown => {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: message.text };
    case "tool":
      return { role: "tool", tool_call_id: message.id, content: message.text };
    case "assistant":
      return message.toolCalls === undefined || message.toolCalls.length === 0
        ? { role: "assistant", content: message.text }
        : {
            role: "assistant",
            content: message.text === "" ? null : message.text,
            tool_calls: message.toolCalls.map(({ id, name, arguments: text }) => ({
              id,
              type: "function",
              function: { name, arguments: text },
            })),
          };
  }
};

const toolOf = ({ name, description, parameters }: ToolSpec): unknown => ({
  type: "function",
  function: { name, description, parameters },
});

/**
 * Whether every object in a schema is closed and requires all its properties. Only such a schema may be sent
 * with `strict: true`; the API refuses others (OpenAI, "Structured Outputs", supported schemas).
 */
const isStrict = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isLoose(schema)) return true;
  const properties = schema["properties"];
  if (isLoose(properties) || schema["type"] === "object") {
    const required = itemsOf(schema["required"]);
    if (schema["additionalProperties"] !== false) return false;
    if (isLoose(properties) && !Object.keys(properties).every((name) => required.includes(name)))
      return false;
  }
  return Object.values(schema).every(isStrict);
};

const formatOf = ({ name, schema }: ReplySchema): unknown => ({
  type: "json_schema",
  json_schema: isStrict(schema) ? { name, strict: true, schema } : { name, schema },
});

const maxTokensField = ({ maxTokensField: field = "max_tokens", without }: Dialect): string =>
  (field === "max_tokens") === without.has("max-tokens") ? "max_completion_tokens" : "max_tokens";

/** The body of a streaming chat completion (OpenAI API reference, "Create chat completion"). */
export const chatBody = (
  request: ModelRequest,
  { model, dialect }: { readonly model: string; readonly dialect: Dialect },
): string => {
  const { without } = dialect;
  return JSON.stringify({
    ...dialect.extra,
    model,
    messages: request.messages.map(messageOf),
    stream: true,
    [maxTokensField(dialect)]: request.maxOutputTokens,
    ...(without.has("usage") ? {} : { stream_options: { include_usage: true } }),
    ...(request.temperature === undefined || without.has("temperature")
      ? {}
      : { temperature: request.temperature }),
    ...(request.reply === undefined || without.has("reply")
      ? {}
      : { response_format: formatOf(request.reply) }),
    ...(request.tools === undefined || request.tools.length === 0
      ? {}
      : { tools: request.tools.map(toolOf) }),
  });
};
