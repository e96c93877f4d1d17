import { Answer } from "../kernel/index.ts";
import { numberValue } from "./number-value.ts";

export { Answer };

const articles = new Set(["a", "an", "the"]);

/** Words in lower case without articles and punctuation; signs that tell things apart (`C++`, `C#`) stay. */
const plainText = (text: string): string => {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’`*_.]/g, "")
    .split(/[\s,;:!?"“”„«»()[\]{}…‐-―-]+/)
    .filter((word) => word !== "");
  const bare = words.filter((word) => !articles.has(word));
  return (bare.length > 0 ? bare : words).join(" ");
};

/** The same string for equal answers and only for these. */
const keyOf = ({ kind, value }: Answer): string => {
  const number = kind === "choice" ? null : numberValue(value);
  if (number !== null) return `number ${number.numerator}/${number.denominator}`;
  return kind === "choice" ? `choice ${value.trim().toUpperCase()}` : `text ${plainText(value)}`;
};

/**
 * Whether two answers say the same: numbers of exactly equal value (1,000 = 1e3, 0.5 = 1/2; unit and currency are not
 * compared), choices of the same letter, texts alike but for case, punctuation and articles. A choice and a
 * text are never the same; a text that reads as a number is that number. An equivalence relation.
 */
export const sameAnswer = (a: Answer, b: Answer): boolean => keyOf(a) === keyOf(b);
