import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import * as z from "zod";
import { checkedFile } from "../../../config/named-files.ts";
import type { FileContext } from "../../../config/paths.ts";
import { displayPath, MEGABYTE, readTextFile, refuse } from "../../../config/text-file.ts";
import { programIn, requireTrust } from "../../../config/trust.ts";
import { readYaml } from "../../../config/yaml.ts";
import { GateProfile } from "../../../gates/profile.ts";
import { Json } from "../../../kernel/index.ts";
import { DeliberationRules, ForestSettings, GardenerRules } from "../protocol/settings.ts";

// FORESTFILE-1. What a forest's file names that runs code or costs money takes effect only where this user trusts the file. Else: a
//     stranger's forest runs code or spends money.
// FORESTFILE-2. A path in it stays inside the forest's folder. Else: a stranger's forest reads files elsewhere on the machine.

export const FOREST_FILE = "forest.yaml";

/** A model by reference, or by a name that `models` explains; `me` and `human/NAME` are people, `files` is a folder of hand-offs. */
const Who = z.string().min(1).max(1_000);

/** What `forest.yaml` has: how a forest is deliberated over. */
export const ForestFile = z.strictObject({
  /** The domain: `factors`, `functions`, or a folder of your own with an index. */
  domain: z.string().min(1).max(1_000),
  /** What the domain measures on. */
  soil: Json.default({}),
  /** Decides everything that is random; the same seed brings the same forest. */
  seed: z.string().min(1).max(200).default("forest"),
  gates: GateProfile.optional(),
  deliberation: DeliberationRules.prefault({}),
  parallel_gardeners: GardenerRules.prefault({}),
  /** References for the names that stand elsewhere: `kimi: moonshot/kimi-k2`. */
  models: z.record(z.string().min(1), Who).default({}),
  inspector_model: Who.optional(),
  /** Who finds other formulations, and who judges the alignment; `none` for nobody. */
  diverger: Who.optional(),
  aligner: Who.optional(),
  /** How long a person or a file may take to answer a hand-off: milliseconds. */
  handoff_timeout_ms: z.int().positive().optional(),
  execution: ForestSettings.shape.execution,
  weather: ForestSettings.shape.weather,
  seed_scoring_weights: ForestSettings.shape.seed_scoring_weights,
  quarantine_threshold: ForestSettings.shape.quarantine_threshold,
  evolution: ForestSettings.shape.evolution,
});
export type ForestFile = z.infer<typeof ForestFile>;

/** A forest's file and its folder, an absolute path. */
export type ReadForestFile = { readonly file: ForestFile; readonly folder: string };

const SHIPPED_DOMAINS = ["factors", "functions"];

const isShippedDomain = (domain: string): boolean => SHIPPED_DOMAINS.includes(domain);

/** Reads `forest.yaml` in a folder. @throws Fault `configuration` with the place of what is wrong; `untrusted` (FORESTFILE-1) */
export function readForestFile(folder: string, place: FileContext): ReadForestFile {
  const path = join(folder, FOREST_FILE);
  if (!existsSync(path))
    throw refuse(`${displayPath(folder)} has no ${FOREST_FILE}`, "plant a forest: forest init");
  const yaml = readYaml(path, "file of a forest");
  const file = checkedFile(yaml, ForestFile, "correct it: docs/forest.md has every key");
  const read = { file, folder };
  requireTrust({ path, text: yaml.text, programs: listCode(read) }, claimsOf(file), place);
  return read;
}

/** Reads the file of a folder that has one, for what it names. */
export function readTrusted(reading: FileContext): void {
  if (existsSync(join(reading.cwd, FOREST_FILE))) readForestFile(reading.cwd, reading);
}

/** What of a file runs code, or calls models that cost money. */
function claimsOf(file: ForestFile): readonly string[] {
  const { deliberation, models, inspector_model, diverger, aligner, gates = {}, domain } = file;
  const refs = [deliberation.gardener_model, deliberation.skeptic_model, inspector_model, diverger, aligner];
  const called = [...refs, ...Object.values(models)].filter(
    (ref) => ref !== undefined && ref.includes("/") && !/^(?:sim|human)\//.test(ref),
  );
  const commands = Object.entries(gates).flatMap(([name, { command }]) =>
    command === undefined ? [] : [`gates.${name}.command: ${command.join(" ")}`],
  );
  return [
    ...(isShippedDomain(domain) ? [] : [`domain: ${domain}`]),
    ...commands,
    ...(called.length === 0 ? [] : [`models: ${[...new Set(called)].join(", ")}`]),
  ];
}

/** The domain as worker threads load it: a name that ships, or the absolute path of an index. @throws Fault `configuration` */
export function domainPath({ file: { domain }, folder }: ReadForestFile): string {
  if (isShippedDomain(domain)) return domain;
  const path = ownPath(domain, folder, "domain");
  if (!existsSync(path)) {
    const next = `name ${SHIPPED_DOMAINS.join(", ")}, or a folder with an index.mjs`;
    throw refuse(`there is no domain ${domain}`, next);
  }
  if (!statSync(path).isDirectory()) return path;
  const index = ["index.mjs", "index.js", "index.ts"]
    .map((name) => join(path, name))
    .find((one) => existsSync(one));
  if (index === undefined)
    throw refuse(`${displayPath(path)} has no index.mjs`, "write one that exports a domain by default");
  return index;
}

/** How many files of a domain of one's own are looked at, and how large one may be. */
const MAX_CODE_FILES = 200;

/** The files of the code that a forest runs: of a domain of its own, and those that commands name. @throws Fault `configuration` */
function listCode({ file: { domain, gates = {} }, folder }: ReadForestFile): readonly string[] {
  const paths = Object.values(gates).flatMap(({ command = [] }) =>
    command.flatMap((word) => programIn(word, folder) ?? []),
  );
  if (!isShippedDomain(domain)) {
    const own = ownPath(domain, folder, "domain");
    const inner = statSync(own, { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(own, { recursive: true, encoding: "utf8" }).map((name) => join(own, name))
      : [own];
    paths.push(
      ...inner.filter((path) => /\.[cm]?[jt]s$|\.json$/.test(path) && !path.includes("node_modules")),
    );
  }
  return paths
    .sort()
    .slice(0, MAX_CODE_FILES)
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

/** Tells one state of that code from another. */
export function codeDigest(read: ReadForestFile): string {
  const hash = createHash("sha256");
  const { folder } = read;
  for (const path of listCode(read)) hash.update(`${relative(folder, path)}\0`).update(readFileSync(path));
  return hash.digest("hex");
}

/** The text of a gate's script. @throws Fault `configuration` (FORESTFILE-2) */
export const readGateScript = (file: string, folder: string): string =>
  readTextFile({ path: ownPath(file, folder, "script"), kind: "script of a gate", maxBytes: MEGABYTE / 10 });

function ownPath(path: string, folder: string, what: string): string {
  const whole = resolve(folder, path);
  const way = relative(folder, whole);
  if (way === "" || way.split(sep)[0] === ".." || isAbsolute(way))
    throw refuse(`the ${what} ${path} is not in the forest's folder`, "copy it there");
  return whole;
}
