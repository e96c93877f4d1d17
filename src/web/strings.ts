import { findLanguage, language, type Language } from "./language.ts";
import type * as enMore from "./strings-en-more.ts";
import { en, type FirstStrings, type Strings, type Widened } from "./strings-en.ts";

// Every word of the page stands in one catalogue, once in each language. What models wrote, and the documents that `parley show` prints as
// well, are shown in the language they are in.

const FIRST: { readonly [language in Language]: () => Promise<FirstStrings> } = {
  en: async () => en,
  de: async () => (await import("./strings-de.ts")).de,
};
const MORE: { readonly [language in Language]: () => Promise<Widened<typeof enMore>> } = {
  en: () => import("./strings-en-more.ts"),
  de: () => import("./strings-de-more.ts"),
};

const first: Partial<Strings> = en;
/** The words in the language of the reader. */
export let t = first as Strings; // what `withMoreWords` adds is there before what shows it

/** What is said in each language. */
type Both<T> = { readonly [one in Language]: T };
type InOne<W> = W extends Both<infer T> ? T : { readonly [K in keyof W]: InOne<W[K]> };

/** What is said in English, and the same in German. */
export const phrase = <T>(en: T, de: NoInfer<Widened<T>>) => ({ en, de }) as Both<Widened<T>>; // both are of this type

/** Words by names that others choose: one that is not among them has none. */
export const phrases = (words: { readonly [name: string]: Both<string> }) => words;

const inOne = (words: object, one: Language): object =>
  Object.fromEntries(
    Object.entries(words).map(([key, said]: [string, object]) => [
      key,
      one in said ? (said as Both<unknown>)[one] : inOne(said, one), // what has a language has a text in it
    ]),
  );

/** A feature's words by language, of words that stand beside each other. */
export const inEach = <W extends object>(words: W) =>
  ({ en: inOne(words, "en"), de: inOne(words, "de") }) as Both<InOne<W>>;

/** A feature's words, of which a screen asks for those in the reader's language. */
export const inLanguage = <W>(words: Both<W>): W => words[language];

/** Loads the words of the reader's language that the page begins with. */
export async function loadStrings(): Promise<void> {
  const language = findLanguage();
  t = { ...t, ...(await FIRST[language]()) };
  document.documentElement.lang = language;
}

/** What is imported, once the words that it shows are there as well. */
export async function withMoreWords<T>(imported: Promise<T>): Promise<T> {
  const [module, more] = await Promise.all([imported, MORE[findLanguage()]()]);
  t = { ...t, ...more };
  return module;
}
