import * as z from "zod";
import { ModelRef } from "../kernel/index.ts";
import { checkedFile } from "./checked-file.ts";
import { PersonaId } from "./settings.ts";
import type { YamlFile } from "./yaml.ts";

const text = z.string().trim().min(1, "nothing is written here").max(20_000, "more than 20,000 characters");
const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1, "nothing is written here")
    .max(most, `more than ${most} characters`)
    .regex(/^\P{Cc}*$/u, "more than one line, or control characters");
const id = z.string().pipe(PersonaId);

const common = {
  id,
  name: line(80),
  description: line(500).default(""),
  model: ModelRef.optional(),
  temperature: z.number().min(0).max(2).optional(),
  enabled: z.literal(true).default(true),
};

/** Who speaks, before a model is chosen. */
const Whole = z.strictObject({ ...common, instructions: text });

/** The same with its instructions in parts, in the order in which a model reads them. */
const InParts = z.strictObject({
  ...common,
  instructions: z
    .strictObject({
      "identity-and-role": text.optional(),
      "interpretation-of-questions": text.optional(),
      "problem-decomposition": text.optional(),
      "analysis-and-reasoning": text.optional(),
      "differentiation-and-bias": text.optional(),
      tone: text.optional(),
    })
    .refine((parts) => Object.keys(parts).length > 0, "none of the six parts is written"),
});

/** Hides the persona of this id that a weaker place defines; whatever else the file says is not looked at. */
const Hidden = z.looseObject({ id, enabled: z.literal(false) });

export type Persona = Omit<z.infer<typeof Whole>, "enabled">;
export type PersonaReading = { readonly id: string; readonly persona: Persona | null };

const FORM = "a persona has an id, a name and instructions, as text or in its parts";

/** `persona` is null for one that only hides another.  @throws Fault `configuration` */
export function readPersona(file: YamlFile): PersonaReading {
  if (field(file.value, "enabled") === false)
    return { id: checkedFile(file, Hidden, FORM).id, persona: null };
  const instructions = field(file.value, "instructions");
  if (typeof instructions !== "object" || instructions === null) {
    const { enabled: _, ...persona } = checkedFile(file, Whole, FORM);
    return { id: persona.id, persona };
  }
  const { enabled: _, ...persona } = checkedFile(file, InParts, FORM);
  return { id: persona.id, persona: { ...persona, instructions: inOrder(persona.instructions) } };
}

const inOrder = (parts: z.infer<typeof InParts>["instructions"]): string =>
  Object.keys(InParts.shape.instructions.shape)
    .flatMap((part) => {
      const said = Object.entries(parts).find(([key]) => key === part)?.[1];
      return said === undefined ? [] : [`${heading(part)}\n${said}`];
    })
    .join("\n\n");

const heading = (part: string): string =>
  `## ${part.charAt(0).toUpperCase()}${part.slice(1).replaceAll("-", " ")}`;

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
