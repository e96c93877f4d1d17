import { findLanguage, language, numberFormat, pluralRules, type Language } from "./language.ts";
import en from "./words/en.json";
import { files as first, type FirstWords } from "./words/index.ts";
import { files as more, type MoreWords } from "./words-more/index.ts";

// Every word of the page stands in a file of its language: English says which words there are, and `npm run generate` makes their types. What
// models wrote, and the documents that `parley show` prints as well, are shown in the language they are in.

/** What a file says: texts, the forms of one, and groups of these. */
type Said = { readonly [key: string]: string | Said };
type Files = { readonly [language in Language]: () => Promise<{ readonly default: Said }> };
/** What fills the gaps of a text: the one, or several by name. */
type Fill = string | number | { readonly [gap: string]: string | number };

/** A text with its gaps filled; a number is said in the reader's way. */
const fill = (text: string, given: Fill): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, gap: string) => {
    const said = typeof given === "object" ? given[gap] : given;
    return typeof said === "number" ? numberFormat({}).format(said) : (said ?? "");
  });

const hasGaps = (word: Said[string] | undefined): word is string =>
  typeof word === "string" && word.includes("{");

/** The form that goes with `{n}`, by the rules of the reader's language. */
function formFor(forms: Said, given: Fill): string {
  const count = Number(typeof given === "object" ? given["n"] : given);
  return [forms[pluralRules({}).select(count)], forms["other"]].find(hasGaps) ?? "";
}

/** The words of a file: one with gaps or forms is a function of what fills them. */
export const readWords = (said: Said): object =>
  Object.fromEntries(
    Object.entries(said).map(([key, word]) => {
      if (typeof word === "string") return [key, hasGaps(word) ? (given: Fill) => fill(word, given) : word];
      const isCounted = hasGaps(word["other"]);
      return [key, isCounted ? (given: Fill) => fill(formFor(word, given), given) : readWords(word)];
    }),
  );

/** The words in the language of the reader. */
export let t = readWords(en) as FirstWords & MoreWords; // what `withMoreWords` adds is there before what shows it

/** A feature's words in the reader's language, as its files have them. */
export const inLanguage = async <Words>(files: Files): Promise<Words> =>
  readWords((await files[language]()).default) as Words; // their type is made from the English file

/** A word by a name that others choose: one that is not among them stands for itself, or for what is given. */
export const wordFor = (words: { readonly [name: string]: string }, name: string, or = name): string =>
  (Object.hasOwn(words, name) ? words[name] : undefined) ?? or;

/** Loads the words of the reader's language that the page begins with. */
export async function loadStrings(): Promise<void> {
  const language = findLanguage();
  if (language !== "en") t = { ...t, ...readWords((await first[language]()).default) };
  document.documentElement.lang = language;
}

/** What is imported, once the words that it shows are there as well. */
export async function withMoreWords<T>(imported: Promise<T>): Promise<T> {
  const [module, words] = await Promise.all([imported, more[findLanguage()]()]);
  t = { ...t, ...readWords(words.default) };
  return module;
}
