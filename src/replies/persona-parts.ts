import { parseDocument } from "yaml";
import { findNearest } from "../text/words.ts";
import { INSTRUCTION_PARTS, type InstructionPart } from "../text/instruction-parts.ts";

/** A persona's instructions in all of their parts. */
export type PersonaParts = { readonly [part in InstructionPart]: string };

const MAX_REPLY_LENGTH = 64 * 1024;
const MAX_PART_LENGTH = 4_000;
const FENCED = /^```(?:ya?ml)?[ \t]*\n([^]*?)\n```$/i;

type PartsReading =
  { readonly ok: true; readonly parts: PersonaParts } | { readonly ok: false; readonly reason: string };
const no = (reason: string): PartsReading => ({ ok: false, reason });

/**
 * Reads a persona from a reply: YAML of the six parts, each a text, and of nothing else, alone or in one fence. `_` in a name
 * counts as `-`. Nothing is guessed.
 */
export function readPersonaParts(reply: string): PartsReading {
  const text = reply.replaceAll("\r\n", "\n").trim();
  if (text.length > MAX_REPLY_LENGTH) return no(`the reply is longer than ${MAX_REPLY_LENGTH} characters`);
  const value = parseMapping(FENCED.exec(text)?.[1] ?? text);
  if (typeof value === "string") return no(value);
  const parts: Partial<Record<InstructionPart, string>> = {};
  for (const [written, content] of Object.entries(value)) {
    const name = written.trim().replaceAll("_", "-");
    const part = INSTRUCTION_PARTS.find((one) => one === name);
    if (part === undefined)
      return no(
        `"${written.slice(0, 60)}" is none of the six parts; the nearest is ${findNearest(name, INSTRUCTION_PARTS)}`,
      );
    if (parts[part] !== undefined) return no(`${part} stands there twice`);
    const said = typeof content === "string" ? content.trim() : "";
    if (said === "") return no(`${part} must be a text`);
    if (said.length > MAX_PART_LENGTH) return no(`${part} is longer than ${MAX_PART_LENGTH} characters`);
    parts[part] = said;
  }
  const missing = INSTRUCTION_PARTS.filter((part) => parts[part] === undefined);
  if (missing.length > 0) return no(`${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`);
  return { ok: true, parts: parts as PersonaParts }; // All of them were found above.
}

/** A mapping of plain data, or why there is none. No tag makes an object, no alias repeats a part. */
function parseMapping(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const document = parseDocument(text, {
      ...{ version: "1.2", schema: "failsafe", merge: false, resolveKnownTags: false, stringKeys: true },
      ...{ prettyErrors: false, logLevel: "error" },
    });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) return `it is not YAML: ${problem.message.slice(0, 200)}`;
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return "it must be a mapping of the six parts";
    return Object.fromEntries(Object.entries(value));
  } catch (error) {
    if (error instanceof Error) return `it is not YAML: ${error.message.slice(0, 200)}`;
    throw error;
  }
}
