import { printable } from "./printable.ts";

// HTML-1. No foreign text is HTML: it is made printable and escaped, and stands in elements and in quoted attributes only. Else: a model's
//     text runs in the reader's browser.

const ENTITIES: { readonly [character: string]: string | undefined } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Foreign text as HTML text, or as a quoted attribute's value; line breaks stay. */
export const escaped = (text: string): string =>
  printable(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
