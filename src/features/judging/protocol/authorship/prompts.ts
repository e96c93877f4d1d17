import type { Message } from "../../../../kernel/index.ts";
import { fence, labelList, materialText, type Desk } from "../../../../prompts/material.ts";
import { defineTemplate } from "../../../../prompts/template.ts";
import { texts } from "./templates/index.ts";

export const guessTemplate = defineTemplate(
  "authorship-guess",
  ["material", "answer", "participants", "count", "labels"],
  texts["authorship-guess"],
);

type GuessPrompt = {
  readonly question: string;
  readonly answer: string;
  /** `text` tells a participant's name, model and instructions. */
  readonly participants: readonly { readonly label: string; readonly text: string }[];
};

/** Asks who wrote an answer; the reply ends in the letter of a participant. */
export const guessPrompt = (desk: Desk, { question, answer, participants }: GuessPrompt): Message[] =>
  guessTemplate.render(desk, {
    material: materialText(desk, { question, context: [] }),
    answer: fence(desk, { kind: "answer", label: "", text: answer }),
    participants: participants
      .map(({ label, text }) => fence(desk, { kind: "participant", label, text }))
      .join("\n\n"),
    count: String(participants.length),
    labels: labelList(participants),
  });
