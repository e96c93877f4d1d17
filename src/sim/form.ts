import { extractAnswer } from "../replies/extract-answer.ts";
import { parseJson } from "../replies/json-objects.ts";
import { quotable } from "./wording.ts";

type FormSchema = {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly FormSchema[];
  readonly oneOf?: readonly FormSchema[];
  readonly properties?: Readonly<Record<string, FormSchema>>;
  readonly items?: FormSchema;
  readonly minItems?: number;
  readonly minimum?: number;
};

const ASKED = /\nJSON Schema:\n(\{[^]*\})\s*$/;
const MAX_DEPTH = 20;

/** JSON that fits the schema at the end of a question, with what the shown answer comes to; null where none is asked for. */
export function writeForm(question: string, answer: string): string | null {
  const [, text] = ASKED.exec(question) ?? [];
  const schema = text === undefined ? null : (parseJson(text) as FormSchema | null);
  if (schema === null) return null;
  const final = extractAnswer(answer);
  return JSON.stringify(instanceOf(schema, final ? final.value : quotable(answer), 0));
}

function instanceOf(schema: FormSchema, said: string, depth: number): unknown {
  const { properties = {}, items, minItems = 1, minimum = 0 } = schema;
  const [type = "object"] = [schema.type ?? (items ? "array" : "object")].flat();
  const [first] = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (first !== undefined) return first;
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (depth > MAX_DEPTH) return null;
  if (choice) return instanceOf(choice, said, depth + 1);
  const number = Number(/-?\d+(?:\.\d+)?/.exec(said)?.[0] ?? minimum);
  switch (type) {
    case "string":
      return said;
    case "number":
      return number;
    case "integer":
      return Math.round(number);
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return Array.from({ length: items ? minItems : 0 }, () => instanceOf(items ?? {}, said, depth + 1));
    default:
      return Object.fromEntries(
        Object.entries(properties).map(([name, own]) => [name, instanceOf(own, said, depth + 1)]),
      );
  }
}
