import { sameAnswer, type Answer } from "../judging/index.ts";
import { appraise, substance } from "./appraisal.ts";
import type { Mind } from "./mind.ts";
import type { Shown } from "./prompt.ts";
import { quotable } from "./wording.ts";

type Claim = { readonly claim: string; readonly answers: readonly string[] };

/**
 * A comparison of answers, claim by claim, in the JSON form. Results that differ are a contradiction, and so are
 * leanings; a sentence that several answers have alike is an agreement, and the first listed point of each that nobody
 * else makes is unique.
 */
export function comparison(mind: Mind, answers: readonly Shown[]): string {
  const results = grouped(
    appraise(mind, answers).flatMap(({ label, result }) => (result ? [{ label, result }] : [])),
  );
  const said = answers.map(({ label, text }) => ({ label, sentences: substance(text) }));
  const holders = (sentence: string) =>
    said.filter(({ sentences }) => sentences.some(({ text }) => text === sentence)).map(({ label }) => label);
  const leanings = [
    ...new Set(
      said.flatMap(({ sentences }) => sentences.find(({ text }) => /^I lean /.test(text))?.text ?? []),
    ),
  ].map((leaning): Claim => ({ claim: quotable(leaning), answers: holders(leaning) }));
  const shared = [...new Set(said.flatMap(({ sentences }) => sentences.map(({ text }) => text)))]
    .map((text): Claim => ({ claim: quotable(text), answers: holders(text) }))
    .filter((one) => one.answers.length > 1);
  const contradictions = [
    { topic: "the result", stances: results },
    { topic: "which way to go", stances: leanings },
  ].filter(({ stances }) => stances.length > 1);
  const unique = said.flatMap(({ label, sentences }): Claim[] => {
    const point = sentences.find(({ text, listed }) => listed && holders(text).length === 1);
    return point ? [{ claim: quotable(point.text), answers: [label] }] : [];
  });
  const [agreed] = results;
  const agreements = [
    ...(results.length === 1 && agreed && agreed.answers.length > 1 ? [agreed] : []),
    ...shared,
  ];
  return JSON.stringify({ agreements, contradictions, unique }, null, 1);
}

/** The results and who comes to each, in the order of the labels. */
function grouped(results: readonly { readonly label: string; readonly result: Answer }[]): Claim[] {
  const groups: { result: Answer; labels: string[] }[] = [];
  for (const { label, result } of [...results].sort((a, b) => (a.label < b.label ? -1 : 1))) {
    const group = groups.find((one) => sameAnswer(one.result, result));
    if (group) group.labels.push(label);
    else groups.push({ result, labels: [label] });
  }
  return groups.map(({ result, labels }) => ({ claim: `It is ${quotable(result.value)}.`, answers: labels }));
}
