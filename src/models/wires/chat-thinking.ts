import type { Thinking } from "../../kernel/model.ts";
import { isObject, toItems, toText, type LooseObject } from "../loose.ts";
import { thinkingOf, type Hears } from "./wire.ts";

/** Where servers put what a model thinks, beside `content`; they want it back in the field in which it came. */
const THINKING_FIELDS = ["reasoning_content", "reasoning", "reasoning_text"] as const;

/** A field of thinking as it goes back; that of the text itself is kept by its name alone. */
export const asSent =
  (text: string) =>
  (field: LooseObject): LooseObject =>
    typeof field["field"] === "string" ? { [field["field"]]: text } : field;

/** Text of `content`: a string, or a list of parts as Mistral sends it, whose `thinking` parts hold parts again. */
export function readContent(content: unknown, kind = "text"): string {
  if (typeof content === "string") return kind === "text" ? content : "";
  let text = "";
  for (const part of toItems(content)) {
    if (!isObject(part)) continue;
    if (part["type"] === kind || (kind === "text" && part["type"] === undefined))
      text += toText(part["text"]);
    if (part["type"] === "thinking" && kind === "thinking") text += readContent(part["thinking"]);
  }
  return text;
}

/**
 * What a message or its pieces say that the model thought. OpenRouter says it as text and again in `reasoning_details`, some of
 * which are signed or encrypted and have to come back in order and whole: pieces of one index are one detail.
 */
export function createThought(onThinking: Hears) {
  let text = "";
  let field: string | undefined;
  const details: { [field: string]: unknown }[] = [];
  const byIndex = new Map<unknown, { [field: string]: unknown }>();
  const blocks: unknown[] = [];
  let opaque: unknown;

  const detail = (piece: LooseObject): string => {
    const place = piece["index"] ?? details.length;
    const known = byIndex.get(place);
    if (known === undefined || known["type"] !== piece["type"]) {
      const fresh = { ...piece };
      byIndex.set(place, fresh);
      details.push(fresh);
    } else {
      for (const [name, value] of Object.entries(piece)) {
        const grows = ["text", "summary", "data"].includes(name) && typeof value === "string";
        if (value !== null && value !== undefined) known[name] = grows ? toText(known[name]) + value : value;
      }
    }
    return toText(piece["text"]) || toText(piece["summary"]);
  };

  return {
    take: (message: LooseObject): void => {
      let said = "";
      for (const name of THINKING_FIELDS) {
        const piece = said === "" ? message[name] : undefined;
        if (typeof piece !== "string") continue;
        // DeepSeek wants it back beside a call of tools also where it was empty.
        if (piece !== "" || name === "reasoning_content") field ??= name;
        said = piece;
      }
      const detailed = toItems(message["reasoning_details"]).filter(isObject).map(detail).join("");
      blocks.push(...toItems(message["thinking_blocks"]));
      opaque = message["reasoning_opaque"] ?? opaque;
      const piece = said || detailed || readContent(message["content"], "thinking");
      if (piece === "") return;
      text += piece;
      onThinking(piece);
    },
    all: (): Thinking | undefined =>
      thinkingOf(text, [
        ...(details.length > 0 ? [{ reasoning_details: details }] : []),
        ...(field !== undefined && details.length === 0 ? [{ field }] : []),
        ...(blocks.length > 0 ? [{ thinking_blocks: blocks }] : []),
        ...(typeof opaque === "string" ? [{ reasoning_opaque: opaque }] : []),
      ]),
  };
}
