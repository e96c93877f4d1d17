import type { Message, ModelRequest } from "../kernel/index.ts";

/** Said to a program that would else take itself for an agent at work on code. */
const PLAIN = "You answer in text alone. There are no tools, and nobody can be asked.";

export const systemTextOf = ({ messages }: ModelRequest): string =>
  messages.flatMap((one) => (one.role === "system" ? [one.text] : [])).join("\n\n") || PLAIN;

/**
 * A request as one text. A lone question stands as it is; else each message stands in an element whose name no message holds, so that
 * none can end its own.
 */
export function promptOf({ messages, reply }: ModelRequest, takesSystem: boolean): string {
  const shown = messages.filter(({ role }) => !(takesSystem && role === "system"));
  const form =
    reply === undefined ? "" : `\n\nReply with JSON alone, by this schema:\n${JSON.stringify(reply.schema)}`;
  const [only] = shown;
  if (shown.length === 1 && only?.role === "user") return `${only.text}${form}`;
  let mark = "message";
  for (let count = 2; messages.some(({ text }) => text.includes(mark)); count += 1) mark = `message-${count}`;
  const element = (message: Message): string =>
    `<${mark} from="${NAMES[message.role]}">\n${message.text}\n</${mark}>`;
  return `${shown.map(element).join("\n\n")}\n\nAnswer the last ${mark} as the assistant, with the answer alone.${form}`;
}

const NAMES: { readonly [role in Message["role"]]: string } = {
  ...{ system: "instructions", user: "user", assistant: "assistant", tool: "tool" },
};
