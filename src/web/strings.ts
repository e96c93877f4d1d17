import { findLanguage, type Language } from "./language.ts";
import { en } from "./strings-en.ts";

// STRINGS-1. Every word of the page stands in one catalogue, once in each language. What models wrote, and the documents that
//     `parley show` prints as well, are shown in the language they are in.

/** The catalogue of a language. */
export type Strings = Widened<typeof en>;
type Widened<T> = T extends string
  ? string
  : T extends (...given: infer G) => string
    ? (...given: G) => string
    : { readonly [K in keyof T]: Widened<T[K]> };

const CATALOGUES: { readonly [language in Language]: () => Promise<Strings> } = {
  en: async () => en,
  de: async () => (await import("./strings-de.ts")).de,
};

/** The words in the language of the reader. */
export let t: Strings = en;

/** Loads the words of the reader's language. */
export async function loadStrings(): Promise<void> {
  const language = findLanguage();
  t = await CATALOGUES[language]();
  document.documentElement.lang = language;
}
