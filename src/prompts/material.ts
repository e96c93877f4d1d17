import { fenced, type Fenced } from "./fence.ts";

/** A template's text by name, and the fence mark of a text: what every prompt needs from the floor. */
export type Desk = {
  readonly template: (name: string) => string;
  readonly mark: (text: string) => string;
};

/** The question and what was given with it. */
export type Material = {
  readonly question: string;
  readonly context: readonly { readonly name: string; readonly text: string }[];
};

/** An answer under its anonymous label. */
export type Labelled = { readonly label: string; readonly text: string };

/** A foreign text as a fenced piece of a prompt. */
export const fence = (desk: Desk, piece: Fenced): string => fenced(piece, desk.mark(piece.text));

/** The question and its context, which every prompt begins with, so that providers can cache it. */
export const materialText = (desk: Desk, { question, context }: Material): string =>
  [
    fence(desk, { kind: "question", label: "", text: question }),
    ...context.map(({ name, text }) => fence(desk, { kind: "context", label: name, text })),
  ].join("\n\n");

/** Answers under their labels, in the order given. */
export const answersText = (desk: Desk, answers: readonly Labelled[]): string =>
  answers.map(({ label, text }) => fence(desk, { kind: "answer", label, text })).join("\n\n");

/** Labels in their own order, whatever order the answers stand in. */
export const labelList = (answers: readonly Labelled[]): string =>
  answers
    .map(({ label }) => label)
    .sort((a, b) => (a < b ? -1 : 1))
    .join(", ");
