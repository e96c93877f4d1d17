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

/** A formatter is made once: making one takes longer than a hundred uses of it. */
function once<Options extends object, Format>(
  make: (options: Options) => Format,
): (options: Options) => Format {
  const made = new Map<string, Format>();
  return (options) => {
    const key = JSON.stringify(options);
    const known = made.get(key) ?? make(options);
    made.set(key, known);
    return known;
  };
}

/** Formatters in the reader's language. */
export const numberFormat = once(
  (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options),
);
export const dateFormat = once(
  (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options),
);
export const relativeFormat = once(
  (options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(language, options),
);
export const pluralRules = once(
  (options: Intl.PluralRulesOptions) => new Intl.PluralRules(language, options),
);
