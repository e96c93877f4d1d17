import { requirementsOf, type Requirements } from "../judging/index.ts";
import type { Fenced } from "../prompts/index.ts";
import type { Shown } from "./shown.ts";

/** What a debate's prompt says of the problem beside its question. */
export type Brief = {
  /** As listed; where none is listed, what can be read out of the question and its context. */
  readonly requirements: Requirements;
  readonly clarifications: readonly { readonly question: string; readonly answer: string }[];
};

/** What a debate or its evaluation asks for. */
export type DebateTask =
  | { readonly kind: "clarification"; readonly brief: Brief; readonly most: number }
  | {
      readonly kind: "proposal";
      readonly brief: Brief;
      /** What the same agent held at the end of the rounds before; null in the first. */
      readonly standing: string | null;
    }
  | { readonly kind: "critique"; readonly brief: Brief; readonly proposal: Shown }
  | {
      readonly kind: "refinement";
      readonly brief: Brief;
      readonly proposal: Shown;
      readonly critiques: readonly Shown[];
    }
  | { readonly kind: "summary"; readonly text: string; /** UTF-16 units. */ readonly most: number }
  | { readonly kind: "confidence"; readonly brief: Brief; readonly answers: readonly Shown[] }
  | { readonly kind: "solution"; readonly brief: Brief; readonly answers: readonly Shown[] }
  | { readonly kind: "solution-repair"; readonly reply: string }
  | {
      readonly kind: "evaluation";
      readonly brief: Brief;
      readonly solution: Shown;
      /** What the debaters say of their own coverage stands beside it. */
      readonly claimed: boolean;
    };

/**
 * What a prompt of a debate asks for; null for every other prompt. The form is told from the prompt's own words, what
 * it is about from the kinds of its fences; what stands inside of a fence has no say.
 */
export function debateTaskOf(own: string, pieces: readonly Fenced[]): DebateTask | null {
  const [reply] = shownOf(pieces, "reply");
  const [solution] = shownOf(pieces, "solution");
  const [contributions] = shownOf(pieces, "contributions");
  const [proposal] = shownOf(pieces, "proposal");
  const critiques = shownOf(pieces, "critique");
  const task = own.slice(Math.max(0, own.lastIndexOf("# Your task\n")));
  if (own.includes('"solutionMarkdown"')) {
    return reply
      ? { kind: "solution-repair", reply: reply.text }
      : { kind: "solution", brief: briefOf(pieces), answers: standingIn(pieces) };
  }
  if (solution && own.includes('"overall_score"')) {
    const claimed = pieces.some(({ kind }) => kind === "coverage");
    return { kind: "evaluation", brief: briefOf(pieces), solution, claimed };
  }
  if (solution && own.includes('"confidence"'))
    return { kind: "confidence", brief: briefOf(pieces), answers: shownOf(pieces, "solution") };
  if (contributions) {
    const most = numberIn(task, /\bat most (\d{1,9}) characters/) ?? usualSummary;
    return { kind: "summary", text: contributions.text, most };
  }
  if (proposal) {
    return critiques.length > 0 || /^## Critiques$/m.test(own)
      ? { kind: "refinement", brief: briefOf(pieces), proposal, critiques }
      : { kind: "critique", brief: briefOf(pieces), proposal };
  }
  if (shownOf(pieces, "question").length === 0) return null;
  if (own.includes('"questions"')) {
    const most = numberIn(task, /\bat most (\d{1,4}) questions/) ?? usualQuestions;
    return { kind: "clarification", brief: briefOf(pieces), most };
  }
  return /^## Requirements Coverage$/m.test(own)
    ? { kind: "proposal", brief: briefOf(pieces), standing: ownStanding(pieces) }
    : null;
}

const usualSummary = 2_500;
const usualQuestions = 5;

const numberIn = (text: string, pattern: RegExp): number | null => {
  const [, digits] = pattern.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
};

const shownOf = (pieces: readonly Fenced[], kind: string): Shown[] =>
  pieces.filter((piece) => piece.kind === kind).map(({ label, text }) => ({ label, text }));

function briefOf(pieces: readonly Fenced[]): Brief {
  const listed = (label: string): string[] =>
    shownOf(pieces, "requirements")
      .filter((piece) => piece.label === label)
      .flatMap(({ text }) => text.split(/^\d{1,3}\. /m).map((item) => item.trim()))
      .filter((item) => item !== "");
  const [major, minor] = [listed("major"), listed("minor")];
  const problem = pieces.filter(({ kind }) => kind === "question" || kind === "context");
  const said = shownOf(pieces, "clarification");
  return {
    requirements:
      major.length + minor.length > 0
        ? { major, minor }
        : requirementsOf(problem.map(({ text }) => text).join("\n\n")),
    clarifications: said.flatMap(({ label, text }) => {
      const [, number] = /^(\d{1,4}) question$/.exec(label) ?? [];
      const answer = said.find((one) => one.label === `${number ?? ""} answer`);
      return number === undefined || !answer ? [] : [{ question: text, answer: answer.text }];
    }),
  };
}

/** What stands under each label after the last round shown; the judge's own summary where no round is. */
function standingIn(pieces: readonly Fenced[]): Shown[] {
  const latest = new Map<string, string>();
  for (const { kind, label, text } of pieces)
    if (kind === "proposal" || kind === "refinement") latest.set(label, text);
  return latest.size > 0
    ? [...latest].map(([label, text]) => ({ label, text }))
    : shownOf(pieces, "summary").flatMap(({ text }) => partsOf(text));
}

/** A summary by the headings that it kept, `Round 2, refinement by A:`; the last of each label stands. */
function partsOf(summary: string): Shown[] {
  const latest = new Map<string, string[]>();
  let lines: string[] = [];
  latest.set("", lines);
  for (const line of summary.split("\n")) {
    const [, label] = /^Round \d{1,3}, [a-z]{1,20} by (\S{1,40}):$/.exec(line) ?? [];
    if (label === undefined) lines.push(line);
    else latest.set(label, (lines = []));
  }
  const parts = [...latest].map(([label, said]) => ({ label, text: said.join("\n").trim() }));
  const named = parts.filter(({ label, text }) => label !== "" && text !== "");
  return named.length > 0 ? named : [{ label: "", text: summary }];
}

function ownStanding(pieces: readonly Fenced[]): string | null {
  const last = shownOf(pieces, "history").findLast(({ label }) => / (?:proposal|refinement)$/.test(label));
  return (last ?? shownOf(pieces, "summary").at(-1))?.text ?? null;
}
