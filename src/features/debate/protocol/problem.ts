import type { Requirements } from "../../../text/requirements.ts";
import { fence, materialText, type Desk, type Material } from "../../../prompts/material.ts";

/** A question that somebody asked before the work began, and what the client said; `NA` where the client could not say. */
export type Clarification = { readonly question: string; readonly answer: string };

/** What is to be solved. Every prompt of a debate begins with it, so that providers can cache it. */
export type ProblemPrompt = {
  readonly material: Material;
  /** In the order in which they were asked. */
  readonly clarifications: readonly Clarification[];
  readonly requirements: Requirements;
};

export const PROBLEM_SLOTS = ["material", "clarifications", "requirements"] as const;

/** What fills them: the same texts, byte by byte, whoever is asked for whatever. */
export const problemValues = (
  desk: Desk,
  { material, clarifications, requirements }: ProblemPrompt,
): Record<(typeof PROBLEM_SLOTS)[number], string> => ({
  material: materialText(desk, material),
  clarifications: clarificationsText(desk, clarifications),
  requirements: requirementsText(desk, requirements),
});

/** Questions and answers by turns, each in a fence of its own, so that a question cannot contain its answer; empty for none. */
export const clarificationsText = (desk: Desk, clarifications: readonly Clarification[]): string =>
  section(
    "# Clarifications\nWhat was asked of whoever set the problem, and the answers, which count like the problem itself. NA: it stays open.",
    clarifications.flatMap(({ question, answer }, index) => [
      fence(desk, { kind: "clarification", label: `${index + 1} question`, text: question }),
      fence(desk, { kind: "clarification", label: `${index + 1} answer`, text: answer }),
    ]),
  );

/** The requirements, numbered, major ones first; empty for none. */
export const requirementsText = (desk: Desk, { major, minor }: Requirements): string =>
  section("# Requirements\nAs the words of the problem give them. The problem itself says more.", [
    ...listItems(desk, "major", major),
    ...listItems(desk, "minor", minor),
  ]);

const listItems = (desk: Desk, label: string, items: readonly string[]): string[] =>
  items.length === 0
    ? []
    : [
        fence(desk, {
          kind: "requirements",
          label,
          text: items.map((item, index) => `${index + 1}. ${item}`).join("\n"),
        }),
      ];

const section = (heading: string, pieces: readonly string[]): string =>
  pieces.length === 0 ? "" : [heading, ...pieces].join("\n\n");
