import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Writes `fileName` beside a build's files: of each package that was built into them its name, version and license, as most licenses
 * ask for.
 *
 * @param {string} fileName
 * @returns {import("vite").Plugin}
 */
export const licenses = (fileName) => ({
  name: "licenses",
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
    const folders = new Set(modules.flatMap((id) => packageFolder(id) ?? []));
    const parts = [...folders].map(licenseOf).sort();
    this.emitFile({ type: "asset", fileName, source: parts.join(`\n${"-".repeat(80)}\n\n`) });
  },
});

/** @param {string} id */
function packageFolder(id) {
  if (!/[\\/]node_modules[\\/]/.test(id) || id.startsWith("\0")) return undefined;
  for (let folder = dirname(id); ; folder = dirname(folder)) {
    // A package may have a package.json without a name further in, for its CommonJS files.
    const manifest = join(folder, "package.json");
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version !== undefined)
      return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** @param {string} folder */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const text = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}
