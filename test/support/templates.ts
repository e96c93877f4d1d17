import type { Desk } from "../../src/prompts/material.ts";
import { texts as ask } from "../../src/features/ask/protocol/templates/index.ts";
import { texts as council } from "../../src/protocols/phases/panel/templates/index.ts";
import { texts as debate } from "../../src/features/debate/protocol/debate/templates/index.ts";
import { texts as evaluation } from "../../src/features/debate/protocol/evaluation/templates/index.ts";
import { texts as respond } from "../../src/features/respond/protocol/templates/index.ts";
import { texts as phases } from "../../src/protocols/phases/templates/index.ts";

/** Every template that ships, by name. */
const shippedTexts: Readonly<Record<string, string>> = {
  ...ask,
  ...council,
  ...debate,
  ...evaluation,
  ...phases,
  ...respond,
};

/** A template as it ships. @throws RangeError for a name that has none */
export function shippedText(name: string): string {
  const text = shippedTexts[name];
  if (text === undefined) throw new RangeError(`no template is called ${name}`);
  return text;
}

/** The shipped prompts; the mark of a text is its length in hexadecimal, which the texts of our tests do not contain. */
export const shippedDesk: Desk = {
  template: shippedText,
  mark: (text) => text.length.toString(16).padStart(16, "0"),
};
