import { sameAnswer } from "../../replies/answer.ts";
import { appraise, findLeaning, readSentences } from "../../sim/appraisal.ts";
import type { SimModel, SimScript } from "../../sim/belief.ts";
import { shownTexts, type ShownText } from "../../sim/prompt.ts";
import { quotable } from "../../sim/wording.ts";

/** What a simulated model replies where drafts are compared. */
export const script: SimScript = ({ own, pieces }) => {
  const answers = shownTexts(pieces, "answer");
  return answers.length > 0 && own.includes('"contradictions"') ? (model) => compare(model, answers) : null;
};

type SimClaim = { readonly claim: string; readonly answers: readonly string[] };

/**
 * Different results contradict each other, and so do different leanings; equal ones agree. The first listed point of
 * each answer is unique to it unless another one has it word for word.
 */
function compare(model: SimModel, answers: readonly ShownText[]): string {
  const claimsOf = (read: (answer: ShownText) => string | undefined): SimClaim[] => {
    const groups = new Map<string, string[]>();
    for (const answer of answers.toSorted((a, b) => (a.label < b.label ? -1 : 1))) {
      const claim = read(answer);
      if (claim !== undefined) groups.set(claim, [...(groups.get(claim) ?? []), answer.label]);
    }
    return [...groups].map(([claim, labels]) => ({ claim: quotable(claim), answers: labels }));
  };
  const appraisals = appraise(model, answers);
  const results = claimsOf(({ label }) => {
    const own = appraisals.find((one) => one.label === label)?.result;
    const first = own && appraisals.find(({ result }) => result && sameAnswer(result, own))?.result;
    return first ? `It is ${first.value}.` : undefined;
  });
  const leanings = claimsOf(({ text }) => findLeaning(text));
  const points = claimsOf(({ text }) => readSentences(text).find(({ listed }) => listed)?.text);
  const isShared = ({ answers: labels }: SimClaim): boolean => labels.length > 1;
  const contradictions = [
    { topic: "the result", stances: results },
    { topic: "which way to go", stances: leanings },
  ].filter(({ stances }) => stances.length > 1);
  const agreed = [results, leanings].flatMap((claims) => (claims.length === 1 ? claims : []));
  const agreements = [...agreed, ...points].filter(isShared);
  return JSON.stringify(
    { agreements, contradictions, unique: points.filter((one) => !isShared(one)) },
    null,
    1,
  );
}
