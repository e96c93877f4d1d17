import { Fault, type Message } from "../kernel/index.ts";

const SLOT = /\{\{([a-z][a-zA-Z]*)\}\}/g;
const PART = /^=== (system|user) ===$/m;

/** The slots that a template names, each once. */
export const slotsOf = (text: string): Set<string> =>
  new Set([...text.matchAll(SLOT)].map(([, slot = ""]) => slot));

/**
 * A template's messages with every slot filled, in one pass: what a value contains is never read as a slot.
 * A template is text with `{{slots}}` under the lines `=== system ===` and `=== user ===`.
 *
 * @throws Fault `template-slot` for a slot without a value, or a value without a slot
 */
export function render(
  template: { readonly name: string; readonly text: string },
  values: Readonly<Record<string, string>>,
): Message[] {
  const slots = slotsOf(template.text);
  for (const slot of Object.keys(values))
    if (!slots.has(slot)) throw new Fault("template-slot", { template: template.name, slot });
  const [, ...parts] = template.text.replaceAll("\r\n", "\n").split(PART);
  const messages: Message[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const text = (parts[index + 1] ?? "").trim().replaceAll(SLOT, (_, slot: string) => {
      const value = values[slot];
      if (value === undefined) throw new Fault("template-slot", { template: template.name, slot });
      return value;
    });
    messages.push({ role: parts[index] === "system" ? "system" : "user", text });
  }
  if (messages.length === 0)
    throw new Fault("template-slot", { template: template.name, slot: "=== user ===" });
  return messages;
}

/** Why a template's text cannot be rendered with these slots; undefined when it can. */
export function templateTrouble(text: string, slots: readonly string[]): string | undefined {
  const found = slotsOf(text);
  if (!PART.test(text)) return "it has no line === user ===";
  const missing = slots.find((slot) => !found.has(slot));
  if (missing !== undefined) return `the slot {{${missing}}} is missing`;
  const unknown = [...found].find((slot) => !slots.includes(slot));
  return unknown === undefined ? undefined : `nothing fills its slot {{${unknown}}}`;
}
