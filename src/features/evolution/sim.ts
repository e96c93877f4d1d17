import { INSTRUCTION_PARTS } from "../../text/instruction-parts.ts";
import { SECOND_WAY, type SimModel, type SimScript } from "../../sim/belief.ts";
import { shownTexts, type ShownText } from "../../sim/prompt.ts";

/** What a simulated model replies where a persona is bred, or where remarks about one are summarized. */
export const script: SimScript = ({ own, pieces }) => {
  if (own.includes("\nidentity-and-role: |\n"))
    return (model) => writeChild(model, shownTexts(pieces, "persona"));
  if (own.includes('"sources": [')) return () => summarizeRemarks(shownTexts(pieces, "remark"));
  return null;
};

const OWN = new Map<string, string>([
  [
    "identity-and-role",
    "You join two ways of thinking into one, and answer only for what you could defend to both.",
  ],
  [
    "interpretation-of-questions",
    "You read a question twice: once for what it asks, and once for what it is needed for.",
  ],
  ["problem-decomposition", "You begin with the part on which most of the rest depends."],
  [
    "analysis-and-reasoning",
    `Before you answer you work the result out ${SECOND_WAY}, and say where the two differ.`,
  ],
  ["differentiation-and-bias", "You tend to weigh for too long, so you name the moment at which you stop."],
  ["tone", "You write short sentences, the conclusion first."],
]);

/** A child in six parts: a sentence of its own in each, and one of each parent where it has that part. */
function writeChild({ wording }: SimModel, parents: readonly ShownText[]): string {
  const parts = INSTRUCTION_PARTS.map((part) => {
    const heading = `## ${part.charAt(0).toUpperCase()}${part.slice(1).replaceAll("-", " ")}`;
    const inherited = wording.shuffled(`order ${part}`, parents).flatMap(({ text }) => {
      const section = text.split(heading)[1]?.split("\n## ")[0] ?? "";
      return (
        section.split(/(?<=[.!?])\s+/).find((one) => /^\p{Lu}[^\n]{12,300}[.!?]$/u.test(one.trim())) ?? []
      );
    });
    const lines = [...inherited.slice(0, 2).map((line) => line.trim()), OWN.get(part) ?? ""];
    return `${part}: |\n${lines.map((line) => `  ${line}`).join("\n")}\n`;
  });
  return parts.join("");
}

/** The first remarks of each kind, as they are. */
function summarizeRemarks(remarks: readonly ShownText[]): string {
  const of = (start: string) => {
    const found = new Map<string, number[]>();
    for (const { label, text } of remarks) {
      if (!text.startsWith(start)) continue;
      const said = text.slice(start.length).replace("[simulated]", "").trim().slice(0, 300);
      found.set(said, [...(found.get(said) ?? []), Number(label)]);
    }
    return [...found].slice(0, 3).map(([text, sources]) => ({ text: `[simulated] ${text}`, sources }));
  };
  return JSON.stringify({ strengths: of("Strength:"), weaknesses: of("Weakness:"), unique: [] });
}
