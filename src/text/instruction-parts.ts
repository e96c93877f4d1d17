/** The parts that a persona's instructions may have, in the order in which a model reads them. */
export const INSTRUCTION_PARTS = [
  "identity-and-role",
  "interpretation-of-questions",
  "problem-decomposition",
  "analysis-and-reasoning",
  "differentiation-and-bias",
  "tone",
] as const;
export type InstructionPart = (typeof INSTRUCTION_PARTS)[number];

/** A part's heading: `Identity and role`. */
export const headingOf = (part: string): string =>
  `${part.charAt(0).toUpperCase()}${part.slice(1).replaceAll("-", " ")}`;
const HEADINGS = Object.fromEntries(INSTRUCTION_PARTS.map((part) => [part, headingOf(part)]));

/** Instructions of parts as one text, each part under its heading. */
export function instructionsOf(parts: Readonly<Record<string, string | undefined>>): string {
  const written: string[] = [];
  for (const part of INSTRUCTION_PARTS)
    if (parts[part] !== undefined) written.push(`## ${HEADINGS[part]}\n${parts[part]}`);
  return written.join("\n\n");
}
