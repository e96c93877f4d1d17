import type { Message } from "../../../../kernel/index.ts";
import { fence, type Desk } from "../../../../prompts/material.ts";
import { defineTemplate } from "../../../../prompts/template.ts";
import { texts } from "./templates/index.ts";

const breedingTemplate = defineTemplate(
  "persona-breeding",
  ["material", "count", "name"],
  texts["persona-breeding"],
);
const summaryTemplate = defineTemplate(
  "persona-summary",
  ["remarks", "count", "name"],
  texts["persona-summary"],
);
export const repairTemplate = defineTemplate(
  "persona-repair",
  ["reply", "reason", "form"],
  texts["persona-repair"],
);

export const personaTemplates = [breedingTemplate, summaryTemplate, repairTemplate];

/** A parent's instructions, and what peers wrote about it; empty where nobody did. */
export type ShownParent = { readonly name: string; readonly instructions: string; readonly feedback: string };

/** Asks for a child of these parents; `readPersonaParts` reads what comes back. */
export const breedingPrompt = (
  desk: Desk,
  { name, parents }: { readonly name: string; readonly parents: readonly ShownParent[] },
): Message[] =>
  breedingTemplate.render(desk, {
    name,
    count: String(parents.length),
    material: parents
      .flatMap((parent) => [
        fence(desk, { kind: "persona", label: parent.name, text: parent.instructions }),
        ...(parent.feedback === ""
          ? []
          : [fence(desk, { kind: "feedback", label: `on ${parent.name}`, text: parent.feedback })]),
      ])
      .join("\n\n"),
  });

/** Asks what remarks come to; `readFeedbackSummary` reads what comes back. */
export const summaryPrompt = (
  desk: Desk,
  { name, remarks }: { readonly name: string; readonly remarks: readonly string[] },
): Message[] =>
  summaryTemplate.render(desk, {
    name,
    count: String(remarks.length),
    remarks: remarks
      .map((text, index) => fence(desk, { kind: "remark", label: String(index + 1), text }))
      .join("\n\n"),
  });
