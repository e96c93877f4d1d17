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

/** Instructions of parts as one text, each part under its heading. */
export const instructionsOf = (parts: Readonly<Record<string, string | undefined>>): string =>
  INSTRUCTION_PARTS.flatMap((part) =>
    parts[part] === undefined ? [] : [`## ${headingOf(part)}\n${parts[part]}`],
  ).join("\n\n");
