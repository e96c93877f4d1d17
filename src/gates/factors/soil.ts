import { createHash } from "node:crypto";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";
import * as z from "zod";
import { canonical, type Json } from "../../kernel/index.ts";
import type { LoadedSoil } from "../domain.ts";
import { generatePrices } from "./generate.ts";
import { checkPanel, type FactorPanel } from "./panel.ts";
import { type Days, nextReturns } from "./portfolio.ts";
import { readPrices } from "./prices.ts";

// A file of prices is inside the forest's folder, links followed, and is read no further than its limit.

/** What formulas are measured on. */
export type FactorSoil = {
  readonly digest: string;
  readonly panel: FactorPanel;
  /** What each instrument returns from each day's close to the next. */
  readonly returns: Float64Array;
  /** The days that decide; those before them are the sample on which a formula may have been made. */
  readonly outOfSample: Days;
};

const MAX_FILE_BYTES = 64 * 2 ** 20;
const MAX_CELLS = 4_000_000;
const IN_SAMPLE = 0.6;
/** Four periods of five days for the gate that compares them. */
const MIN_DAYS_OUT_OF_SAMPLE = 20;
/** Raised whenever the generator gives other prices for the same settings. */
const GENERATOR_VERSION = 1;

function numberFrom(min: number, max: number) {
  const error = `must be a number from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
}

function integerFrom(min: number, max: number) {
  const error = `must be an integer from ${min} to ${max}`;
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

const inSample = numberFrom(0.1, 0.9).default(IN_SAMPLE);

const FileSettings = z.strictObject({
  file: z.string({ error: "must be the path of a file in the forest's folder" }),
  in_sample: inSample,
});

const GeneratedSettings = z.strictObject({
  generate: z.strictObject({
    seed: z.union([z.string(), z.number()], { error: "must be a text or a number" }),
    days: integerFrom(30, 100_000).default(250),
    instruments: integerFrom(2, 10_000).default(100),
    signal: numberFrom(0, 1).default(0),
  }),
  in_sample: inSample,
});

/** Reads or generates the soil. @throws Error with words for a person */
export async function loadSoil(settings: Json, folder: string): Promise<LoadedSoil<FactorSoil>> {
  const isObject = typeof settings === "object" && settings !== null && !Array.isArray(settings);
  if (!isObject || "file" in settings === "generate" in settings)
    throw new Error(
      'soil must have one of file and generate, such as {"file": "prices.csv"} or {"generate": {"seed": 1}}',
    );
  const soil =
    "file" in settings
      ? await soilOfFile(parseSettings(FileSettings, settings), folder)
      : generatedSoil(parseSettings(GeneratedSettings, settings));
  const { from, to } = soil.outOfSample;
  if (to - from < MIN_DAYS_OUT_OF_SAMPLE)
    throw new Error(
      `the soil has ${soil.panel.days} days, ${Math.max(0, to - from)} of them out of sample; at least ${MIN_DAYS_OUT_OF_SAMPLE} are needed`,
    );
  if (soil.panel.instruments < 2) throw new Error("the soil has one instrument; at least 2 are needed");
  return { soil, digest: soil.digest };
}

function parseSettings<S>(schema: z.ZodType<S>, settings: Json): S {
  const read = schema.safeParse(settings);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue?.path ?? [];
  const given = path.reduce((value: unknown, key) => Object(value)[key] as unknown, settings);
  const got = given === undefined || typeof given === "object" ? "" : ` (got ${JSON.stringify(given)})`;
  throw new Error(`${["soil", ...path].join(".")}: ${issue?.message ?? "invalid"}${got}`);
}

function generatedSoil(settings: z.infer<typeof GeneratedSettings>): FactorSoil {
  const { generate, in_sample } = settings;
  const { days, instruments } = generate;
  if (days * instruments > MAX_CELLS)
    throw new Error(
      `soil.generate: days times instruments must be at most ${MAX_CELLS} (got ${days * instruments})`,
    );
  const digest = sha256(canonical({ ...settings, version: GENERATOR_VERSION }));
  return createSoil(generatePrices(generate), { digest, inSample: in_sample });
}

async function soilOfFile(
  { file, in_sample }: z.infer<typeof FileSettings>,
  folder: string,
): Promise<FactorSoil> {
  const bytes = await readInside(folder, file);
  const digest = sha256(bytes);
  return createSoil(readPrices(bytes.toString("utf8"), file), {
    digest: in_sample === IN_SAMPLE ? digest : `${digest}-in-sample-${in_sample}`,
    inSample: in_sample,
  });
}

async function readInside(folder: string, file: string): Promise<Buffer> {
  const root = await realpath(folder);
  const path = await realpath(resolve(root, file)).catch(() => undefined);
  if (path === undefined) throw new Error(`soil.file: ${file} does not exist in the forest's folder`);
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new Error(`soil.file: ${file} is outside the forest's folder; move the file into it`);
  const handle = await open(path, "r");
  try {
    return await readWithin(handle, file);
  } finally {
    await handle.close();
  }
}

async function readWithin(handle: FileHandle, file: string): Promise<Buffer> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new Error(`soil.file: ${file} is not a file`);
  if (stats.size > MAX_FILE_BYTES)
    throw new Error(`soil.file: ${file} has ${stats.size} bytes; at most ${MAX_FILE_BYTES} (64 MB) are read`);
  // The file may grow meanwhile: what is read is what it had.
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
  return buffer.subarray(0, bytesRead);
}

function sha256(of: string | Buffer): string {
  return createHash("sha256").update(of).digest("hex");
}

/** The soil of a panel. @throws RangeError for a panel without `close`, or whose fields differ in size */
export function createSoil(
  panel: FactorPanel,
  { digest, inSample = IN_SAMPLE }: { readonly digest: string; readonly inSample?: number },
): FactorSoil {
  checkPanel(panel);
  // On the last day nothing is earned any more.
  const outOfSample = { from: Math.floor(panel.days * inSample), to: panel.days - 1 };
  return { digest, panel, returns: nextReturns(panel), outOfSample };
}
