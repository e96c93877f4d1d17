import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as z from "zod";
import { Judgement, Validation } from "../src/projections/index.ts";

it.each([
  ["judge-validation", "What parley judge validate --json prints", Validation],
  ["judgement", "What parley judge grade --json and parley judge prefer --json print", Judgement],
] as const)("publishes the schema %s (UPDATE_SCHEMAS=1 writes it)", (name, title, type) => {
  const file = new URL(`../schemas/${name}.schema.json`, import.meta.url);
  const text = `${JSON.stringify({ title, ...z.toJSONSchema(type) }, undefined, 2)}\n`;
  if (process.env["UPDATE_SCHEMAS"] === "1") writeFileSync(file, text);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(text));
});
