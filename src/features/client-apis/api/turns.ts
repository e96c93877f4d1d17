import * as z from "zod";
import { badField } from "./errors.ts";
import { Content, createParts, fieldsIn, type SentFields, type SentFile } from "./parts.ts";

// What an agent's tools were asked and gave stays in the conversation: in the answer that it led to or, where nothing came after it, with
// the question. A request may end with a tool's result.

/** A message of either API. */
export const Message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: Content.nullish(),
});

/** An item of a response's input: a message, a tool's call or result, or what only its maker can read. */
export const Item = z.looseObject({
  type: z.string().nullish(),
  role: z.enum(["system", "developer", "user", "assistant"]).nullish(),
  content: z.unknown().optional(),
});

type SentTurn = { readonly by: "system" | "user" | "assistant" | "tool"; readonly text: string };

type SentConversation = {
  readonly system: string;
  readonly history: readonly { readonly question: string; readonly answer: string }[];
  readonly question: string;
  readonly files: readonly SentFile[];
  /** Kinds of items that nobody here can read. */
  readonly ignored: readonly string[];
};

/** A chat's instructions, earlier turns and question. @throws Refused 400 */
export function readMessages(messages: readonly z.infer<typeof Message>[]): SentConversation {
  const parts = createParts();
  const tools = createTools(parts);
  const turns = messages.flatMap(({ role, content, ...rest }, index): SentTurn[] => {
    if (role === "tool" || role === "function")
      return [
        tools.result({
          id: rest["tool_call_id"],
          fallback: rest["name"],
          output: content,
          place: `messages[${index}].content`,
        }),
      ];
    const called = [rest["tool_calls"] ?? [], rest["function_call"] ?? []].flat();
    const said = parts.words(content, `messages[${index}].content`);
    return [message(role, said), ...called.map((one) => tools.call(fieldsIn(one)))];
  });
  return { ...converse(turns, "messages"), files: parts.files };
}

/** A response's instructions, earlier turns and question. @throws Refused 400 */
export function readInput(input: string | readonly z.infer<typeof Item>[]): SentConversation {
  if (typeof input === "string") return converse([{ by: "user", text: input }], "input");
  const parts = createParts();
  const tools = createTools(parts);
  const ignored = new Set<string>();
  const turns = input.flatMap(({ type, role, content, ...rest }, index): SentTurn[] => {
    const kind = (type ?? "message").slice(0, 60);
    const place = `input[${index}]`;
    if (kind === "message") {
      const read = Content.nullish().safeParse(content);
      if (!read.success) throw badField(`${place}.content`, `${place}.content is a text or a list of parts`);
      return [message(role ?? "user", parts.words(read.data, `${place}.content`))];
    }
    if (kind === "item_reference")
      throw badField(place, `${place}: items are not kept here`, "send the item itself");
    if (kind.endsWith("_output"))
      return [
        tools.result({
          id: rest["call_id"],
          fallback: kind,
          output: rest["output"],
          place: `${place}.output`,
        }),
      ];
    if (kind.endsWith("_call")) return [tools.call({ name: kind, ...rest })];
    ignored.add(`input.${kind}`);
    return [];
  });
  return { ...converse(turns, "input"), files: parts.files, ignored: [...ignored] };
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
    ...{ files: [], ignored: [] },
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
      names.set(toText(given["call_id"] ?? given["id"]), name);
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
