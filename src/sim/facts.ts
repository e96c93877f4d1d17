import * as z from "zod";
import { builtInFacts } from "./built-in-facts.ts";

/**
 * Something a simulated model knows. A question asks for it when every entry of `about` occurs in it as whole
 * words, whatever their case; an entry may give alternatives (`author|who wrote`). `wrong` are mistakes that
 * would be plausible; without them the answers to like questions are.
 */
export const Fact = z.strictObject({
  about: z.array(z.string().min(1).max(200)).min(1).max(8),
  answer: z.string().min(1).max(200),
  wrong: z.array(z.string().min(1).max(200)).max(20).optional(),
});
export type Fact = z.infer<typeof Fact>;

/** A file of facts, read as YAML or JSON: `facts:` and a list. */
export const FactsFile = z.strictObject({ facts: z.array(Fact).max(10_000) });

export type FactsReading =
  { readonly ok: true; readonly facts: readonly Fact[] } | { readonly ok: false; readonly reason: string };

/** Facts from what a file held; they come before the built-in ones. */
export function readFacts(data: unknown): FactsReading {
  const read = FactsFile.safeParse(data);
  if (read.success) return { ok: true, facts: [...read.data.facts, ...builtInFacts] };
  const [issue] = read.error.issues;
  const where = issue?.path.join(".") ?? "";
  return {
    ok: false,
    reason: `${where === "" ? "the file" : where}: ${issue?.message ?? "is not of the form of a facts file"}`,
  };
}

export type Known = { readonly answer: string; readonly wrong: readonly string[] };

/** The most specific fact that a question asks for: the one with the longest words in common. */
export function recall(question: string, facts: readonly Fact[]): Known | null {
  const asked = ` ${wordsOf(question)} `;
  let best: { fact: Fact; length: number } | null = null;
  for (const fact of facts) {
    const found = fact.about.map((entry) => longestIn(asked, entry));
    if (found.includes(0)) continue;
    const length = found.reduce((sum, one) => sum + one, 0);
    if (best === null || length > best.length) best = { fact, length };
  }
  if (best === null) return null;
  const { about, answer, wrong } = best.fact;
  const [topic] = about;
  const others = facts
    .filter((fact) => fact.about[0] === topic && fact.answer !== answer)
    .map((fact) => fact.answer);
  return { answer, wrong: wrong ?? [...new Set(others)].slice(0, 12) };
}

const wordsOf = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}|['’]s\b/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const longestIn = (asked: string, entry: string): number =>
  Math.max(
    0,
    ...entry.split("|").map((one) => (asked.includes(` ${wordsOf(one)} `) ? wordsOf(one).length : 0)),
  );
