export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

/** The reader's language. */
export let language: Language = "en";

const KEPT = "parley-language";

/** Reads the language that was chosen here, or that the browser prefers. */
export function findLanguage(): Language {
  const wanted = [readKept(), ...navigator.languages].map((tag) => tag?.slice(0, 2).toLowerCase());
  language =
    languages.find((one) => one === wanted.find((tag) => languages.some((known) => known === tag))) ?? "en";
  return language;
}

/** Chooses a language, and begins anew in it. */
export function chooseLanguage(chosen: Language): void {
  try {
    localStorage.setItem(KEPT, chosen);
  } catch {
    // Nothing is kept where the browser keeps nothing.
  }
  location.reload();
}

function readKept(): string | undefined {
  try {
    return localStorage.getItem(KEPT) ?? undefined;
  } catch {
    return undefined;
  }
}

/** `3 calls`: the plural's form by the language's own rules. */
export function plural(count: number, one: string, other: string): string {
  const form = new Intl.PluralRules(language).select(count) === "one" ? one : other;
  return `${new Intl.NumberFormat(language).format(count)} ${form}`;
}
