// A package's code is loaded when one of its models is first called, never to find out whether it is there.
// SDK-2. Packages are looked for in the user's folder and beside Parley, never in the folder that Parley works in. Else: it runs that code.

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Variables } from "./proxy.ts";
import { SDK } from "./providers.ts";
import { isObject, parseJson, toObject, toText, type LooseObject } from "./loose.ts";

/** A reference's package, by the names that it may have, and the model's name: `ai-sdk/mistral/mistral-large-latest`. */
export type SdkReference = { readonly packages: readonly string[]; readonly model: string };

const NAME = /^[a-z0-9][a-z0-9._-]*$/;

/** Reads `ai-sdk/mistral/MODEL` (`@ai-sdk/mistral`, or else `mistral`) or `ai-sdk/@scope/name/MODEL`; null for anything else. */
export function readSdkReference(ref: string): SdkReference | null {
  const [prefix, first = "", ...rest] = ref.split("/");
  if (prefix !== SDK) return null;
  const isScoped = first.startsWith("@");
  const name = isScoped ? (rest.shift() ?? "") : first;
  const model = rest.join("/");
  if (!NAME.test(name) || (isScoped && !NAME.test(first.slice(1))) || model === "") return null;
  return { packages: isScoped ? [`${first}/${name}`] : [`@ai-sdk/${name}`, name], model };
}

/** The folder of an installed package, or null. `from` are folders; each one's `node_modules` and those above it are looked at. */
function findFolder(name: string, from: readonly string[]): string | null {
  for (const start of from)
    for (let folder = resolve(start); ; folder = dirname(folder)) {
      const found = join(folder, "node_modules", name);
      if (existsSync(join(found, "package.json"))) return found;
      if (dirname(folder) === folder) break;
    }
  return null;
}

/** Where Parley itself is installed. */
const ownFolder = (): string => dirname(fileURLToPath(import.meta.url));

export type FoundPackage =
  | { readonly ok: true; readonly name: string; readonly folder: string }
  | { readonly ok: false; readonly reason: string; readonly next: string };

/** Finds a reference's package without running any of it. `home` is the user's folder, where `next` says to install it. */
export function findSdkPackage(ref: string, home: string, beside = ownFolder()): FoundPackage {
  const read = readSdkReference(ref);
  if (read === null) {
    const reason = `"${ref}" names no package and model; write ${SDK}/NAME/MODEL or ${SDK}/@scope/NAME/MODEL`;
    return { ok: false, reason, next: `${SDK}/mistral/mistral-large-latest` };
  }
  for (const name of read.packages) {
    const folder = findFolder(name, [home, beside]);
    if (folder !== null) return { ok: true, name, folder };
  }
  const [name = ""] = read.packages;
  const reason = `the package ${name} is not installed in ${home} or beside Parley`;
  return { ok: false, reason, next: `cd "${home}" && npm install ${name}` };
}

/** The file that `import` would load of a package in the user's folder or beside Parley; null where none is installed. (SDK-2) */
export function packageFile(name: string, home: string): string | null {
  const folder = findFolder(name, [home, ownFolder()]);
  return folder === null ? null : entryOf(folder);
}

/** The file that `import` would load of a package's main export. @throws where its package.json names none */
function entryOf(folder: string): string {
  const manifest = toObject(parseJson(readFileSync(join(folder, "package.json"), "utf8")));
  const { exports, module, main } = manifest;
  const own = isObject(exports) && "." in exports ? exports["."] : exports;
  const written = chosen(own, 0) || toText(module) || toText(main) || "index.js";
  const entry = resolve(folder, written);
  if (!entry.startsWith(folder + sep)) throw new Error("its package.json names a file outside the package");
  const file = [entry, `${entry}.js`, join(entry, "index.js")].find(
    (path) => existsSync(path) && statSync(path).isFile(),
  );
  if (file === undefined) throw new Error("its package.json names a file that is not there");
  return file;
}

/** What conditions of `exports` come to for Node's `import`, in the order in which the package has them. */
function chosen(target: unknown, depth: number): string {
  if (typeof target === "string") return target;
  if (!isObject(target) || depth > 5) return "";
  for (const [condition, inner] of Object.entries(target)) {
    if (!["import", "node", "default", "module-sync"].includes(condition)) continue;
    const found = chosen(inner, depth + 1);
    if (found !== "") return found;
  }
  return "";
}

/** Whose models a package has: `mistral` for `@ai-sdk/mistral`, `openrouter` for `@openrouter/ai-sdk-provider`. */
export function providerName(packageName: string): string {
  const [last = "", scope = ""] = packageName.split("/").toReversed();
  return last.replace(/^ai-sdk-provider-?|-ai-provider(?:-v\d+)?$/, "") || scope.slice(1);
}

/** `MISTRAL_API_KEY` and `MISTRAL_BASE_URL` for `@ai-sdk/mistral`. */
export function sdkOptions(packageName: string, env: Variables): LooseObject & { readonly name: string } {
  const name = providerName(packageName);
  const prefix = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
  const [apiKey, url] = [env[`${prefix}_API_KEY`]?.trim(), env[`${prefix}_BASE_URL`]?.trim()];
  // Anthropic's own programs take an address without the version, and so do our requests to it.
  const baseURL = name === "anthropic" ? url?.replace(/^(https?:\/\/[^/]+)\/?$/, "$1/v1") : url;
  // The package for compatible servers asks for usage and forms of the reply only where it is told to.
  const asks = { includeUsage: true, supportsStructuredOutputs: true };
  return { name, ...asks, ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) };
}

const isMaker = (value: unknown): value is (options: LooseObject) => unknown => typeof value === "function";

/** The provider of a package: what its `create…` makes, or what it exports ready-made. */
function providerOf(loaded: LooseObject, options: LooseObject & { readonly name: string }): unknown {
  const makers = Object.entries(loaded).filter(
    ([name, value]) => /^create[A-Z]/.test(name) && isMaker(value),
  );
  const wanted = `create${options.name.replaceAll(/[^a-z0-9]/g, "")}`;
  const [, make] =
    makers.find(([name]) => name.toLowerCase() === wanted) ??
    (makers.length === 1 ? makers[0] : undefined) ??
    [];
  if (isMaker(make)) return make(options);
  return [loaded["default"], ...Object.values(loaded)].find(
    (value) => (isObject(value) || isMaker(value)) && "languageModel" in value,
  );
}

export const SPECIFICATIONS = ["v2", "v3", "v4"];

/** A model as a package gives it: nothing about it is known but its version, and that it can be asked to stream. */
export type SdkModel = { readonly specificationVersion: unknown; doStream(options: LooseObject): unknown };

/** A package, or a model of a program's own, that cannot be used: asking again would bring the same. */
export class PackageError extends Error {}

/** Loads a package's code and gives one of its models. @throws whatever the package throws, and what is wrong with it */
export async function loadSdkModel(
  { name, folder }: Extract<FoundPackage, { ok: true }>,
  model: string,
  env: Variables,
): Promise<SdkModel> {
  const loaded: unknown = await import(pathToFileURL(entryOf(folder)).href);
  const provider = providerOf(toObject(loaded), sdkOptions(name, env));
  const open: unknown = typeof provider === "function" ? provider : toObject(provider);
  const languageModel: unknown = Reflect.get(Object(open), "languageModel");
  const made: unknown =
    typeof languageModel === "function"
      ? Reflect.apply(languageModel, open, [model])
      : isMaker(open)
        ? Reflect.apply(open, undefined, [model])
        : null;
  const version = toText(toObject(made)["specificationVersion"]);
  if (!isSdkModel(made) || !SPECIFICATIONS.includes(version)) {
    const found = version === "" ? "no language models of the AI SDK" : `language models of ${version}`;
    throw new Error(`it has ${found}; Parley takes ${SPECIFICATIONS.join(", ")}`);
  }
  return made;
}

export const isSdkModel = (value: unknown): value is SdkModel =>
  isObject(value) && "specificationVersion" in value && typeof value["doStream"] === "function";
