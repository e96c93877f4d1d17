import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as z from "zod";
import {
  BenchReport,
  Contributions,
  DebateRecord,
  EvaluationReport,
  Judgement,
  Result,
  Validation,
} from "../src/projections/index.ts";

const folder = new URL("../schemas/", import.meta.url);

/** Everything that `--json` prints, by the name of its published schema. */
const PUBLISHED = {
  result: ["What parley --json prints", Result],
  bench: ["What parley bench --json prints", BenchReport],
  contributions: ["What parley contributions --json prints", Contributions],
  debate: ["What parley report --json prints", DebateRecord],
  evaluation: ["What parley eval --json prints", EvaluationReport],
  "judge-validation": ["What parley judge validate --json prints", Validation],
  judgement: ["What parley judge grade --json and parley judge prefer --json print", Judgement],
} as const;

it.each(Object.entries(PUBLISHED))(
  "publishes the schema %s (UPDATE_SCHEMAS=1 writes it)",
  (name, [title, type]) => {
    const file = new URL(`${name}.schema.json`, folder);
    const text = `${JSON.stringify({ title, ...z.toJSONSchema(type) }, undefined, 2)}\n`;
    if (process.env["UPDATE_SCHEMAS"] === "1") writeFileSync(file, text);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(text));
  },
);

it("publishes no schema of anything else", () => {
  expect(readdirSync(folder).sort()).toEqual(
    Object.keys(PUBLISHED)
      .map((name) => `${name}.schema.json`)
      .sort(),
  );
});
