import type { Outcome } from "./solution.ts";

/** A judge's outcome written again in the JSON form, from nothing but what the reply says, as far as it goes. */
export function repairedOutcome(reply: string): Outcome {
  const [markdown] = stringsBehind(reply, "solutionMarkdown");
  const [, digits] = /"confidence"\s{0,9}:\s{0,9}"?(\d{1,3})\b(?!\.\d)/.exec(reply) ?? [];
  const list = (name: string): string[] => stringsBehind(reply, name).filter((one) => one.trim() !== "");
  return {
    solutionMarkdown: markdown ?? reply.trim(),
    tradeoffs: list("tradeoffs"),
    recommendations: list("recommendations"),
    unfulfilledMajorRequirements: list("unfulfilledMajorRequirements"),
    openQuestions: list("openQuestions"),
    confidence: digits === undefined ? null : Number(digits),
  };
}

/** A string, also one whose end was cut off. */
const literal = /"([^"\\]*(?:\\.[^"\\]*)*\\?)(?:"|$)/sy;
const between = /[\s,]*/y;

/** The strings behind the last name of this kind: of its list, or the one that stands there; the last may be cut off. */
function stringsBehind(text: string, name: string): string[] {
  const at = text.lastIndexOf(`"${name}"`);
  const [opening] =
    at < 0 ? [] : (/^\s{0,99}:\s{0,99}\[?/.exec(text.slice(at + name.length + 2, at + 400)) ?? []);
  if (opening === undefined) return [];
  const most = opening.endsWith("[") ? Number.MAX_SAFE_INTEGER : 1;
  const found: string[] = [];
  let from = at + name.length + 2 + opening.length;
  while (found.length < most) {
    between.lastIndex = from;
    literal.lastIndex = from + (between.exec(text)?.[0].length ?? 0);
    const [, inner] = literal.exec(text) ?? [];
    if (inner === undefined) break;
    found.push(unescaped(inner));
    from = literal.lastIndex;
  }
  return found;
}

const escapes: { readonly [letter: string]: string } = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** As JSON reads it; an escape that was cut off or that JSON does not have stands for what follows the sign. */
const unescaped = (inner: string): string =>
  inner.replaceAll(/\\(?:u([0-9a-fA-F]{4})|([^])|$)/g, (_, hex: string | undefined, letter = "") =>
    hex === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
