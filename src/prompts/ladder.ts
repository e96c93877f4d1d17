import * as z from "zod";
import { ComparisonReply, labelReader, parseComparison } from "../judging/index.ts";
import type { Json, Message } from "../kernel/index.ts";
import { answersText, labelList, materialText, type Desk, type Labelled, type Material } from "./material.ts";
import { render } from "./template.ts";

/** The slots of the templates that `ask` climbs on, beside the council's. */
export const LADDER_SLOTS = {
  "ask-comparison": ["material", "answers", "count", "labels", "persona"],
  revision: ["material", "answers", "count", "labels", "persona"],
} as const;

export const LADDER_TEMPLATES: readonly string[] = Object.keys(LADDER_SLOTS);

/** Labelled answers before somebody who is to work on them. */
export type AnswersPrompt = {
  readonly material: Material;
  readonly persona: string;
  /** In the order in which they are shown. */
  readonly answers: readonly Labelled[];
};

/** What whoever compares the answers' claims is asked. */
export const comparisonPrompt = (desk: Desk, prompt: AnswersPrompt): Message[] =>
  rendered(desk, "ask-comparison", prompt);

/** What a member is asked in a round of critique and revision. */
export const revisionPrompt = (desk: Desk, prompt: AnswersPrompt): Message[] =>
  rendered(desk, "revision", prompt);

/** The JSON Schema of a comparison, for providers that can hold a model to it. */
export const comparisonSchema = {
  name: "comparison",
  schema: z.toJSONSchema(ComparisonReply) as Json, // a JSON Schema is JSON
};

/** A comparison as read: see `parseComparison`. */
export const readComparison = parseComparison;

export type Revision = {
  /** The answer after the round: what stands under its heading, or the whole reply where there is no such heading. */
  readonly text: string;
  /** Of the answers that were criticised under a heading of their own, in the order written. */
  readonly critiques: readonly { readonly label: string; readonly text: string }[];
};

/** Reads a reply to `revisionPrompt`. A label that is not known, or that comes again, is no heading. */
export function readRevision(reply: string, labels: readonly string[]): Revision {
  const reader = labelReader(labels);
  const critiques: { label: string; lines: string[] }[] = [];
  let answer: string[] | undefined;
  let current: string[] | undefined;
  let code: string | undefined;
  for (const line of reply.split(/\r?\n/)) {
    const [, fence] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (code === undefined) code = fence;
    else if (fence?.startsWith(code)) code = undefined;
    const heading = code === undefined && answer === undefined ? HEADING.exec(line)?.[1] : undefined;
    if (heading !== undefined && /^(?:my|final|revised) answer\W*$/i.test(heading)) {
      current = answer = [];
      continue;
    }
    const label = heading === undefined ? null : (reader?.whole(heading) ?? null);
    if (label !== null && !critiques.some((one) => one.label === label)) {
      current = [];
      critiques.push({ label, lines: current });
    } else current?.push(line);
  }
  const text = answer?.join("\n").trim() ?? "";
  return {
    text: text === "" ? reply.trim() : text,
    critiques: critiques.flatMap(({ label, lines }) => {
      const said = lines.join("\n").trim();
      return said === "" ? [] : [{ label, text: said }];
    }),
  };
}

const HEADING = /^#{1,6}\s+\**([^#*]{1,80}?)\**:?\s*#*$/;

const rendered = (
  desk: Desk,
  name: keyof typeof LADDER_SLOTS,
  { material, persona, answers }: AnswersPrompt,
): Message[] =>
  render(
    { name, text: desk.template(name) },
    {
      material: materialText(desk, material),
      answers: answersText(desk, answers),
      count: String(answers.length),
      labels: labelList(answers),
      persona,
    },
  );
