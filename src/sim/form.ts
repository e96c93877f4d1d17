import { isObject, readSchema, type Schema } from "./schema.ts";
import type { Json } from "../kernel/index.ts";
import { gradeOf, preferred, tied } from "./grading.ts";
import type { Mind } from "./mind.ts";
import { matching } from "./pattern.ts";
import type { Prompt } from "./prompt.ts";
import { quotable } from "./wording.ts";

/**
 * JSON that fits a schema (JSON Schema 2020-12: types, enums, constants, references within the schema, unions,
 * bounds, formats, and patterns as far as they can be generated), as one text. Where a property's name says
 * what belongs there (an answer, a score, a preference), it holds what the model makes of the prompt.
 */
export const filled = (mind: Mind, schema: Json, prompt: Prompt): string =>
  JSON.stringify(valueOf(schema, { mind, prompt, root: schema, path: "", name: "", depth: 0 }));

type Place = {
  readonly mind: Mind;
  readonly prompt: Prompt;
  readonly root: Json;
  readonly path: string;
  /** The property that is being filled. */
  readonly name: string;
  readonly depth: number;
};

const deepest = 12;
/** From here on only what is required. */
const deep = 4;

function valueOf(given: unknown, place: Place): Json {
  const schema = readSchema(given, place.root);
  const { constant, choices, options, type } = schema;
  if (place.depth > deepest) return null;
  if (constant !== undefined) return constant;
  if (choices.length > 0) return chosen(choices, place);
  if (options.length > 0) return valueOf(optionOf(options, place), { ...place, depth: place.depth + 1 });
  switch (type) {
    case "null":
      return null;
    case "boolean":
      return place.mind.wording.roll(`${place.path} boolean`) < 0.5;
    case "integer":
    case "number":
      return numberOf(schema, place);
    case "string":
      return stringOf(schema, place);
    case "array":
      return arrayOf(schema, place);
    case "object":
      return objectOf(schema, place);
  }
}

/** Deep down whatever ends soonest, else any but null. */
function optionOf(options: readonly unknown[], place: Place): unknown {
  const typed = options.map((option) => ({ option, type: readSchema(option, place.root).type }));
  if (place.depth >= deep) {
    return (
      typed.find(({ type }) => type === "null") ??
      typed.find(({ type }) => type !== "object" && type !== "array") ??
      typed[0]
    )?.option;
  }
  const real = typed.filter(({ type }) => type !== "null");
  const [first, ...others] = real.length > 0 ? real : typed;
  return first && place.mind.wording.pick(`${place.path} option`, [first, ...others]).option;
}

function chosen(choices: readonly Json[], { mind, prompt: { task }, path }: Place): Json {
  const [first = null, ...others] = choices;
  if (task.kind === "pairwise") {
    if (choices.includes("tie") && tied(mind, task.first, task.second)) return "tie";
    const better = preferred(mind, task.first, task.second);
    const names = better === task.first ? [better.label, "A", "first"] : [better.label, "B", "second"];
    const named = choices.find(
      (choice) =>
        typeof choice === "string" && names.some((name) => name.toLowerCase() === choice.toLowerCase()),
    );
    if (named !== undefined) return named;
  }
  if (task.kind === "grade") {
    const grade = gradeOf(mind, task.answer);
    if (choices.includes(grade)) return grade;
  }
  return mind.wording.pick(`${path} choice`, [first, ...others]);
}

function numberOf(schema: Schema, { mind, prompt: { task }, path, name }: Place): number {
  const least = schema.least ?? Math.min(0, schema.most ?? 0);
  const most = Math.max(least, schema.most ?? least + 10);
  const step = schema.multipleOf ?? (schema.type === "integer" ? 1 : null);
  const first = step === null ? least : Math.ceil(least / step) * step;
  const fit = (value: number): number =>
    step === null ? value : first + Math.floor((value - first) / step) * step;
  if (task.kind === "grade" && /score|grade|rating|result/i.test(name))
    return Math.min(most, Math.max(first, fit(gradeOf(mind, task.answer))));
  const believed = Number(mind.belief?.answer);
  if (
    /answer|result|value/i.test(name) &&
    mind.belief !== null &&
    believed >= least &&
    (schema.most === null || believed <= schema.most)
  )
    return fit(believed);
  const rolled = fit(first + mind.wording.roll(`${path} number`) * (most - first + (step ?? 0)));
  const bounded = Math.min(rolled, fit(most));
  return Number(bounded.toPrecision(12));
}

const formats: { readonly [format: string]: string } = {
  date: "2024-05-17",
  "date-time": "2024-05-17T10:30:00Z",
  time: "10:30:00Z",
  duration: "PT90M",
  email: "someone@example.org",
  uri: "https://example.org/simulated",
  url: "https://example.org/simulated",
  hostname: "example.org",
  ipv4: "192.0.2.7",
  ipv6: "2001:db8::7",
  uuid: "3f2b8c1e-9d4a-4f6b-8a7c-5e1d2c3b4a59",
};

function stringOf(schema: Schema, place: Place): string {
  const { mind, prompt, name, path } = place;
  if (schema.pattern !== null)
    return matching(schema.pattern, (purpose) => mind.wording.roll(`${path} pattern ${purpose}`));
  const formatted = schema.format === null ? undefined : formats[schema.format];
  if (formatted !== undefined) return formatted;
  const answers = /answer|result|solution/i.test(name) ? mind.belief?.answer : undefined;
  const about = prompt.question === "" ? "" : ` on “${quotable(prompt.question, 60)}”`;
  const text = answers ?? `[simulated] ${name === "" ? "a text" : quotable(name, 40)}${about}`;
  const most = schema.longest ?? Number.MAX_SAFE_INTEGER;
  return text.slice(0, most).padEnd(Math.min(schema.shortest, longestPadding), ".");
}

const longestPadding = 10_000;
const mostItems = 100;

function arrayOf(schema: Schema, place: Place): Json[] {
  const usual = place.depth >= deep ? 0 : 1 + Math.floor(place.mind.wording.roll(`${place.path} length`) * 3);
  const most = schema.mostItems ?? Number.MAX_SAFE_INTEGER;
  const wanted = Math.min(Math.max(usual, schema.fewestItems, schema.prefixItems.length), most, mostItems);
  const items: Json[] = [];
  // Values of an enum may collide; a place further on gives another roll.
  for (let index = 0; items.length < wanted && index < 20 * wanted; index += 1) {
    const item = valueOf(schema.prefixItems[index] ?? schema.items, {
      ...place,
      path: `${place.path}/${index}`,
      depth: place.depth + 1,
    });
    const fresh = !schema.unique || !items.some((other) => JSON.stringify(other) === JSON.stringify(item));
    if (fresh) items.push(item);
    else if (typeof item === "string" && readSchema(schema.items, place.root).choices.length === 0)
      items.push(`${item} ${index + 1}`);
  }
  return items;
}

function objectOf(schema: Schema, place: Place): Json {
  const members: [string, Json][] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    if (place.depth >= deep && !schema.required.includes(name)) continue;
    members.push([
      name,
      valueOf(property, { ...place, name, path: `${place.path}/${name}`, depth: place.depth + 1 }),
    ]);
  }
  for (const name of schema.required) {
    if (Object.hasOwn(schema.properties, name)) continue;
    const extra = isObject(schema.additional) ? schema.additional : { type: "string" };
    members.push([
      name,
      valueOf(extra, { ...place, name, path: `${place.path}/${name}`, depth: place.depth + 1 }),
    ]);
  }
  return Object.fromEntries(members);
}
