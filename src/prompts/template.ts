import * as z from "zod";
import { Fault, type Json, type Message, type ReplySchema } from "../kernel/index.ts";
import { attachmentsIn, type Desk } from "./material.ts";

const SLOT = /\{\{([a-z][a-zA-Z]*)\}\}/g;
const PART = /^=== (system|user) ===$/m;

/** The slots that a template names, each once. */
export function slotsOf(text: string): ReadonlySet<string> {
  const slots = new Set<string>();
  for (const [, slot = ""] of text.matchAll(SLOT)) slots.add(slot);
  return slots;
}

/** A message's text, cut at its slots: `texts` has one more than `slots`. */
type TemplatePart = {
  readonly role: "system" | "user";
  readonly texts: readonly string[];
  readonly slots: readonly string[];
};
type CompiledTemplate = { readonly slots: ReadonlySet<string>; readonly parts: readonly TemplatePart[] };

/** The same few templates make every prompt. */
const compiledTemplates = new Map<string, CompiledTemplate>();
const MAX_KNOWN = 200;

function compileTemplate(text: string): CompiledTemplate {
  const found = compiledTemplates.get(text);
  if (found) return found;
  const [, ...pieces] = text.replaceAll("\r\n", "\n").split(PART);
  const parts = pieces.flatMap((role, index): TemplatePart[] => {
    if (index % 2 === 1) return [];
    // Split at a pattern with one group: texts and slots by turns.
    const cut = (pieces[index + 1] ?? "").trim().split(SLOT);
    return [
      {
        role: role === "system" ? "system" : "user",
        texts: cut.filter((_, place) => place % 2 === 0),
        slots: cut.filter((_, place) => place % 2 === 1),
      },
    ];
  });
  const made = { slots: slotsOf(text), parts };
  const [oldest] = compiledTemplates.keys();
  if (oldest !== undefined && compiledTemplates.size >= MAX_KNOWN) compiledTemplates.delete(oldest);
  compiledTemplates.set(text, made);
  return made;
}

/** Slots that have nothing to say in some uses: an override may leave them out. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set([
  ...["absent", "clarifications", "facts", "focus", "history", "memories", "reference", "requirements"],
  ...["reviews", "rounds", "standing", "summary"],
]);

/** A prompt's template as the feature that asks with it declares it. */
export type Template<S extends string = string> = {
  readonly name: string;
  /** The slots of its text, no more and no fewer. */
  readonly slots: readonly S[];
  /** The text that ships; an opening pins this one or the user's own. */
  readonly text: string;
  /** The messages of the text that the opening pins, with every slot filled. @throws Fault `template-slot` */
  render(desk: Desk, values: Readonly<Record<S, string>>): Message[];
};

/**
 * Declares a template. Its text has `{{slots}}` under the lines `=== system ===` and `=== user ===`. What stands above the
 * first of them is not rendered: an override names the slots there that it does without.
 * @example
 * const estimate = defineTemplate("delphi-estimate", ["material", "persona"], texts["delphi-estimate"]);
 * estimate.render(context, { material: materialText(context, context), persona: "You are careful." });
 * An opening refuses a text whose slots are not these, whoever wrote it.
 */
export function defineTemplate<const S extends string>(
  name: string,
  slots: readonly S[],
  text: string,
): Template<S> {
  return {
    ...{ name, slots, text },
    render: (desk, values) => withAttachments(desk, render({ name, text: desk.template(name) }, values)),
  };
}

/** The pictures and documents whose places a prompt shows go with its last message to the model. */
function withAttachments(desk: Desk, messages: Message[]): Message[] {
  const attachments = attachmentsIn(desk, messages.map(({ text }) => text).join("\n"));
  const last = messages.findLast(({ role }) => role === "user");
  if (attachments.length === 0) return messages;
  return messages.map((message) =>
    message === last && message.role === "user" ? { ...message, attachments: [...attachments] } : message,
  );
}

/**
 * A template's messages with every slot filled, in one pass: what a value contains is never read as a slot.
 * @throws Fault `template-slot` for a slot without a value, or a value without a slot, unless it is empty
 */
export function render(
  { name, text }: { readonly name: string; readonly text: string },
  values: Readonly<Record<string, string>>,
): Message[] {
  const { slots, parts } = compileTemplate(text);
  for (const [slot, value] of Object.entries(values))
    if (!slots.has(slot) && (value !== "" || !MAY_BE_EMPTY.has(slot)))
      throw new Fault("template-slot", { template: name, slot });
  if (parts.length === 0) throw new Fault("template-slot", { template: name, slot: "=== user ===" });
  return parts.map((part) => ({
    role: part.role,
    text: part.slots.reduce((sum, slot, index) => {
      const value = values[slot];
      if (value === undefined) throw new Fault("template-slot", { template: name, slot });
      return `${sum}${value}${part.texts[index + 1] ?? ""}`;
    }, part.texts[0] ?? ""),
  }));
}

/** Whether a template's text may leave a slot out. */
export const mayLeaveOut = (slot: string): boolean => MAY_BE_EMPTY.has(slot);

/** Why a template's text cannot be rendered with these slots in any use; undefined when it can in some. */
export function templateProblem(text: string, slots: readonly string[]): string | undefined {
  const found = slotsOf(text);
  if (!PART.test(text)) return "it has no line === user ===";
  for (const slot of slots)
    if (!found.has(slot) && !MAY_BE_EMPTY.has(slot)) return `the slot {{${slot}}} is missing`;
  for (const slot of found) if (!slots.includes(slot)) return `nothing fills its slot {{${slot}}}`;
  return undefined;
}

/** The JSON Schema of a reply, for providers that can hold a model to it; it is made when a request first has it. */
export function replySchema(name: string, schema: z.ZodType): ReplySchema {
  let made: Json | undefined;
  return {
    name,
    get schema() {
      return (made ??= z.toJSONSchema(schema) as Json); // a JSON Schema is JSON
    },
  };
}
