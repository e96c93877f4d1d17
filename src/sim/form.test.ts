import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Json, ModelRef, type ModelRequest } from "../kernel/index.ts";
import { think } from "./brain.ts";
import { readReference } from "./reference.ts";

function fill(schema: unknown, seed: number, question = "What is 17 * 23?"): unknown {
  const read = readReference(`sim/ada?skill=1&seed=${seed}`);
  if (!read.ok) throw new Error(read.reason);
  const request: ModelRequest = {
    model: ModelRef.parse("sim/ada"),
    messages: [{ role: "user", text: question }],
    maxOutputTokens: 100_000,
    reply: { name: "reply", schema: Json.parse(schema) },
  };
  const thought = think({ simulated: read.simulated, facts: [], request, attempt: 1 });
  return thought.ok ? JSON.parse(thought.text) : null;
}

type Tree = { name: string; children: Tree[] };
const Tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree).max(3);
  },
});

const schemas: { readonly [name: string]: z.ZodType } = {
  objects: z.strictObject({
    verdict: z.enum(["proceed", "revise", "reject"]),
    severity: z.int().min(1).max(5),
    notes: z.array(z.string().min(3)).min(2).max(4),
  }),
  numbers: z.object({
    a: z.number().min(-3).max(-2),
    b: z.int().multipleOf(5).min(12).max(40),
    c: z.number().gt(0).lt(1),
    d: z.number().multipleOf(0.5).min(1).max(2),
    e: z.int(),
  }),
  unions: z.object({
    one: z.union([
      z.object({ kind: z.literal("x"), value: z.number() }),
      z.object({ kind: z.literal("y"), text: z.string() }),
    ]),
    two: z.string().nullable(),
    three: z.boolean().optional(),
  }),
  patterns: z.object({
    code: z.string().regex(/^[A-Z]{2,3}-\d{4}(?:\.\w+)?$/),
    word: z.string().regex(/^(?:red|green)[^x]$/),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  formats: z.object({
    day: z.iso.date(),
    at: z.iso.datetime(),
    mail: z.email(),
    link: z.url(),
    id: z.uuid(),
  }),
  bounds: z.object({
    short: z.string().max(5),
    long: z.string().min(300),
    pair: z.tuple([z.string(), z.number()]),
    record: z.record(z.string(), z.number()),
  }),
  recursion: Tree,
};

describe("a requested form", () => {
  it.each(Object.entries(schemas))("is filled so that it can be read: %s", (_, schema) => {
    for (let seed = 0; seed < 30; seed += 1) {
      const value = fill(z.toJSONSchema(schema), seed);
      expect(schema.safeParse(value).error, JSON.stringify(value)).toBeUndefined();
    }
  });

  it("holds what the model makes of the question where a property asks for it", () => {
    expect(
      fill(
        {
          type: "object",
          properties: { answer: { type: "string" }, value: { type: "number" } },
          required: ["answer"],
        },
        1,
      ),
    ).toEqual({ answer: "391", value: 391 });
  });

  it("is labelled where there is room for words", () => {
    expect(
      JSON.stringify(fill({ type: "object", properties: { summary: { type: "string" } } }, 1)),
    ).toContain("[simulated]");
  });

  it("keeps to uniqueness, references and constants", () => {
    const schema = {
      type: "object",
      properties: {
        kinds: { type: "array", items: { $ref: "#/$defs/kind" }, minItems: 3, uniqueItems: true },
        version: { const: 2 },
      },
      required: ["kinds", "version", "extra"],
      $defs: { kind: { enum: ["a", "b", "c"] } },
    };
    const Filled = z.strictObject({ kinds: z.array(z.string()), version: z.literal(2), extra: z.string() });
    for (let seed = 0; seed < 20; seed += 1)
      expect(Filled.parse(fill(schema, seed)).kinds.toSorted()).toEqual(["a", "b", "c"]);
  });

  it.each([
    [{}],
    [true],
    [{ $ref: "#" }],
    [{ allOf: [{ $ref: "#" }] }],
    [{ type: "array", items: { $ref: "#" }, minItems: 2 }],
    [{ pattern: "((((((a*)*)*)*)*)*)*$" }],
    [{ type: "array", minItems: 1e9 }],
    [{ minLength: 1e12 }],
    [{ type: "nonsense" }],
  ])("ends on %j", (schema) => {
    expect(JSON.stringify(fill(schema, 1)).length).toBeLessThan(500_000);
  });
});
