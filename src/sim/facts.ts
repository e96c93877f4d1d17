import * as z from "zod";
import { Fact } from "./fact.ts";

/** A file of facts, read as YAML or JSON: `facts:` and a list. */
const FactsFile = z.strictObject({ facts: z.array(Fact).max(10_000) });

export type FactsReading =
  { readonly ok: true; readonly facts: readonly Fact[] } | { readonly ok: false; readonly reason: string };

/** Facts from what a file held, already parsed. */
export function readFacts(data: unknown): FactsReading {
  const read = FactsFile.safeParse(data);
  if (read.success) return { ok: true, facts: read.data.facts };
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
  const asked = ` ${wordsOf(question.slice(0, longestQuestion))} `;
  let best: { fact: Fact; length: number } | null = null;
  for (const { fact, entries } of compiled(facts)) {
    const found = entries.map((entry) => longestIn(asked, entry));
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

const longestQuestion = 8_000;

/** Every entry of a fact as its alternatives, each between spaces. */
type Compiled = { readonly fact: Fact; readonly entries: readonly (readonly string[])[] };

const known = new WeakMap<readonly Fact[], readonly Compiled[]>();

/** The alternatives of many facts in one form, made once for each list of facts. */
function compiled(facts: readonly Fact[]): readonly Compiled[] {
  const before = known.get(facts);
  if (before) return before;
  const made = facts.map((fact) => ({
    fact,
    entries: fact.about.map((entry) =>
      entry.split("|").flatMap((one) => (wordsOf(one) === "" ? [] : [` ${wordsOf(one)} `])),
    ),
  }));
  known.set(facts, made);
  return made;
}

const wordsOf = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}|['’]s\b/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const longestIn = (asked: string, alternatives: readonly string[]): number =>
  Math.max(0, ...alternatives.map((one) => (asked.includes(one) ? one.length : 0)));
