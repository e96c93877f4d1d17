import * as z from "zod";
import { badField, misread } from "./errors.ts";
import { Content, createParts, fieldsIn, type SentFields, type SentFile } from "./parts.ts";

// What an agent's tools were asked and gave stays in the conversation: in the answer that it led to or, where nothing came after it, with
// the question. A request may end with a tool's result.

const SentContent = Content.nullish();

/** A message of either API. */
export const Message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: SentContent,
});

/** An item of a response's input: a message, a tool's call or result, or what only its maker can read. */
export const Item = z.looseObject({
  type: z.string().nullish(),
  role: z.enum(["system", "developer", "user", "assistant"]).nullish(),
  content: z.unknown().optional(),
});

type SentTurn = { readonly by: "system" | "user" | "assistant" | "tool"; readonly text: string };

export type SentConversation = {
  readonly system: string;
  readonly history: readonly { readonly question: string; readonly answer: string }[];
  readonly question: string;
  readonly files: readonly SentFile[];
};

/** A message, or an item of a response as one; undefined for what nobody here can read. */
export type SentMessage = {
  readonly role: z.infer<typeof Message>["role"];
  readonly content?: unknown;
  /** It stands beside what tools gave, and is no question. */
  readonly beside?: unknown;
  readonly [field: string]: unknown;
};

/** A conversation's instructions, earlier turns and question; `param`: the field that it came in. @throws Refused 400 */
export function readMessages(
  messages: readonly (SentMessage | undefined)[],
  param = "messages",
): SentConversation {
  const parts = createParts();
  const tools = createTools(parts);
  const turns = messages.flatMap((sent, index): SentTurn[] => {
    if (sent === undefined) return [];
    const { role, content, ...rest } = sent;
    const place = `${param}[${index}].${param === "input" && role === "tool" ? "output" : "content"}`;
    if (role === "tool" || role === "function") {
      const { tool_call_id: id, name: fallback } = rest;
      return [tools.result({ id, fallback, output: content, place })];
    }
    const read = SentContent.safeParse(content, { reportInput: true });
    if (!read.success) throw misread(SentContent, read.error, place);
    return [message(role, parts.words(read.data, place)), ...callsIn(sent).map((one) => tools.call(one))];
  });
  return { ...converse(turns, param), files: parts.files };
}

/** What was called and given since a question, in words. */
export function toolWords(messages: readonly SentMessage[]): string {
  const question = { role: "user" as const, content: "?" };
  return readMessages([question, ...messages.filter(({ role }) => role !== "system" && role !== "developer")])
    .question.slice(1)
    .trim();
}

/** What a message calls, in the form of any API. */
export const callsIn = (sent: SentMessage): readonly SentFields[] =>
  [sent["tool_calls"] ?? [], sent["function_call"] ?? []].flat().map(fieldsIn);

/** A response's input as messages, each in its place, and the kinds of items that are none. @throws Refused 400 */
export function inputMessages(input: string | readonly z.infer<typeof Item>[]): {
  readonly messages: readonly (SentMessage | undefined)[];
  readonly unread: readonly string[];
} {
  if (typeof input === "string") return { messages: [{ role: "user", content: input }], unread: [] };
  const unread = new Set<string>();
  const messages = input.map(({ type, role, content, ...rest }, index): SentMessage | undefined => {
    const kind = (type ?? "message").slice(0, 60);
    if (kind === "message") return { role: role ?? "user", content };
    if (kind === "item_reference")
      throw badField(`input[${index}]`, `input[${index}]: items are not kept here`, "send the item itself");
    if (kind.endsWith("_output"))
      return { role: "tool", tool_call_id: rest["call_id"], name: kind, content: rest["output"] };
    if (kind.endsWith("_call"))
      return { role: "assistant", tool_calls: [{ name: kind, ...rest, id: rest["call_id"] ?? rest["id"] }] };
    unread.add(`input.${kind}`);
    return undefined;
  });
  return { messages, unread: [...unread] };
}

function message(role: "system" | "developer" | "user" | "assistant", text: string): SentTurn {
  return { by: role === "developer" ? "system" : role, text };
}

function converse(turns: readonly SentTurn[], param: string): SentConversation {
  const said = turns.filter(({ text }) => text.trim() !== "");
  const rounds: { readonly asked: string[]; readonly answered: string[] }[] = [];
  for (const { by, text } of said) {
    if (by === "system") continue;
    const latest = rounds.at(-1);
    if (latest === undefined || (by === "user" && latest.answered.length > 0))
      rounds.push(by === "user" ? { asked: [text], answered: [] } : { asked: [], answered: [text] });
    else (by === "user" ? latest.asked : latest.answered).push(text);
  }
  const { asked, answered } = rounds.pop() ?? { asked: [], answered: [] };
  const isOpen = answered.length === 0 || said.findLast(({ by }) => by !== "system")?.by === "tool";
  if (asked.length === 0 || !isOpen)
    throw badField(param, "the last message is the user's, with the question, or a tool's result after it");
  return {
    system: said.flatMap(({ by, text }) => (by === "system" ? [text] : [])).join("\n\n"),
    history: rounds.map((round) => ({
      question: round.asked.join("\n\n") || "(no question)",
      answer: round.answered.join("\n\n"),
    })),
    question: [...asked, ...(answered.length > 0 ? ["# Done since", ...answered] : [])].join("\n\n"),
    files: [],
  };
}

function toText(value: unknown): string {
  return typeof value === "string"
    ? value
    : value === null || value === undefined
      ? ""
      : JSON.stringify(value);
}

/** Calls and results in words; a result names its call's tool. */
function createTools(parts: Pick<ReturnType<typeof createParts>, "wordsOfTool">) {
  const names = new Map<string, string>();
  return {
    call(given: SentFields): SentTurn {
      const called = { ...given, ...fieldsIn(given["function"]), ...fieldsIn(given["custom"]) };
      const name = toText(called["name"]).slice(0, 200) || "a tool";
      names.set(toText(given["id"]), name);
      const input = toText(called["arguments"] ?? called["input"] ?? called["action"]);
      return { by: "tool", text: `[called ${name}${input === "" ? "" : `: ${input}`}]` };
    },
    result({ id, fallback, output, place }: ToolResult): SentTurn {
      const name = (names.get(toText(id)) ?? toText(fallback).slice(0, 200)) || "a tool";
      const read = Content.safeParse(output);
      const text = read.success ? parts.wordsOfTool(read.data, place) : toText(output);
      return { by: "tool", text: `[${name} gave]\n${text}` };
    },
  };
}

type ToolResult = {
  readonly id: unknown;
  /** What the tool is called where nobody called it. */
  readonly fallback: unknown;
  readonly output: unknown;
  readonly place: string;
};
