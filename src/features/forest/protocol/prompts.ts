import { fence, type Desk, type Fenced } from "../../../prompts/material.ts";
import { defineTemplate } from "../../../prompts/template.ts";
import { texts } from "./templates/index.ts";

export const mineTemplate = defineTemplate(
  "forest-mine",
  ["material", "count", "style", "weaknesses"],
  texts["forest-mine"],
);
export const critiqueTemplate = defineTemplate(
  "forest-critique",
  ["material", "kind"],
  texts["forest-critique"],
);
export const inspectTemplate = defineTemplate("forest-inspect", ["material"], texts["forest-inspect"]);
export const divergeTemplate = defineTemplate(
  "forest-diverge",
  ["material", "count"],
  texts["forest-diverge"],
);
export const alignTemplate = defineTemplate("forest-align", ["material", "rubric"], texts["forest-align"]);
export const repairTemplate = defineTemplate(
  "forest-repair",
  ["reply", "reason", "form"],
  texts["forest-repair"],
);

export const forestTemplates = [
  ...[mineTemplate, critiqueTemplate, inspectTemplate],
  ...[divergeTemplate, alignTemplate, repairTemplate],
];

/** Pieces of a forest for a prompt; those without text are left out. */
export const forestMaterial = (desk: Desk, pieces: readonly Fenced[]): string =>
  pieces
    .filter(({ text }) => text !== "")
    .map((piece) => fence(desk, piece))
    .join("\n\n");

/** How a gardener of this temperature is to search. */
export const styleOf = (temperature: number): string =>
  temperature <= 0.85
    ? "robust, well-established mechanisms"
    : temperature >= 1.15
      ? "novel mechanisms, which nobody would think of first"
      : "a balance of robust and novel mechanisms";
