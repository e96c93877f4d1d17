import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as z from "zod";
import { BenchReport } from "../src/projections/index.ts";

const file = new URL("../schemas/bench.schema.json", import.meta.url);

it("publishes the schema of what bench --json prints (UPDATE_SCHEMAS=1 writes it)", () => {
  const schema = { title: "What parley bench --json prints", ...z.toJSONSchema(BenchReport) };
  const text = `${JSON.stringify(schema, undefined, 2)}\n`;
  if (process.env["UPDATE_SCHEMAS"] === "1") writeFileSync(file, text);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(text));
});
