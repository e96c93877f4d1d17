import { sameAnswer, type Answer } from "../replies/answer.ts";
import { extractAnswer } from "../replies/extract-answer.ts";
import { agreement, appraise, readSentences } from "./appraisal.ts";
import type { SimModel } from "./belief.ts";
import { draft } from "./draft.ts";
import type { ShownText } from "./prompt.ts";
import { banner, quotable } from "./wording.ts";

/**
 * A round of critique and revision. What can be worked out is looked at a second time, with the same skill. The model
 * changes only to an answer that is on the table; where there is nothing to work out it keeps to its draft.
 */
export function revise(model: SimModel, answers: readonly ShownText[], question: string): string {
  const appraisals = appraise(model, answers);
  const again = model.secondLook();
  const second = again && extractAnswer(`Final answer: ${again.answer}`);
  const isShown =
    second !== null && appraisals.some(({ result }) => result !== null && sameAnswer(result, second));
  const revised: SimModel = isShown ? { ...model, belief: again } : model;
  const critiques = answers.map(({ label }) => {
    const result = appraisals.find((one) => one.label === label)?.result ?? null;
    const agrees = agreement(result, revised.belief);
    const remark = agrees
      ? "I went through its steps and found no error."
      : agrees === null
        ? "Nothing in it can be shown to be wrong; its first point carries the rest."
        : `It goes wrong before its result: I come to ${revised.belief?.answer}, not to ${quotable(result?.value ?? "this")}.`;
    return `## Answer ${label}\n[simulated] ${remark}`;
  });
  return [banner(model), ...critiques, "## My answer", draft(revised, question)].join("\n\n");
}

type ComparedClaim = { readonly claim: string; readonly answers: readonly string[] };

/**
 * A comparison of answers, claim by claim, in the JSON form. Different results are a contradiction, and so are different
 * leanings; a sentence that several answers share is an agreement, and the first listed point that only one answer makes
 * is unique.
 */
export function compareAnswers(model: SimModel, answers: readonly ShownText[]): string {
  const results = groupResults(
    appraise(model, answers).flatMap(({ label, result }) => (result ? [{ label, result }] : [])),
  );
  const texts = answers.map(({ label, text }) => ({ label, sentences: readSentences(text) }));
  const claim = (sentence: string): ComparedClaim => ({
    claim: quotable(sentence),
    answers: texts.flatMap(({ label, sentences }) =>
      sentences.some(({ text }) => text === sentence) ? [label] : [],
    ),
  });
  const leanings = texts.flatMap(
    ({ sentences }) => sentences.find(({ text }) => text.startsWith("I lean "))?.text ?? [],
  );
  const all = texts.flatMap(({ sentences }) => sentences.map(({ text }) => text));
  const shared = [...new Set(all)].map(claim).filter((one) => one.answers.length > 1);
  const contradictions = [
    { topic: "the result", stances: results },
    { topic: "which way to go", stances: [...new Set(leanings)].map(claim) },
  ].filter(({ stances }) => stances.length > 1);
  const unique = texts.flatMap(
    ({ sentences }) =>
      sentences
        .filter(({ listed }) => listed)
        .map(({ text }) => claim(text))
        .find((one) => one.answers.length === 1) ?? [],
  );
  const [first] = results;
  const isAgreed = results.length === 1 && first !== undefined && first.answers.length > 1;
  const agreements = [...(isAgreed ? [first] : []), ...shared];
  return JSON.stringify({ agreements, contradictions, unique }, null, 1);
}

/** The results and who comes to each, in the order of the labels. */
function groupResults(
  results: readonly { readonly label: string; readonly result: Answer }[],
): ComparedClaim[] {
  const groups: { result: Answer; labels: string[] }[] = [];
  for (const { label, result } of results.toSorted((a, b) => (a.label < b.label ? -1 : 1))) {
    const group = groups.find((one) => sameAnswer(one.result, result));
    if (group) group.labels.push(label);
    else groups.push({ result, labels: [label] });
  }
  return groups.map(({ result, labels }) => ({ claim: `It is ${quotable(result.value)}.`, answers: labels }));
}
