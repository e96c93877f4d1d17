import { resolve } from "node:path";
import { defineConfig, mergeConfig, type Plugin } from "vite";
import page from "./vite.config.ts";

/** Imports at once what the page loads on demand, so that what it does not name of a file is left out of the one script. */
const importsAtOnce: Plugin = {
  name: "imports-at-once",
  transform(code, id) {
    if (!/\/src\/(?:web|features)\//.test(id)) return null;
    const paths: string[] = [];
    const changed = code.replaceAll(
      /\(await import\(("[^"]+")\)\)|\bimport\(("[^"]+")\)/g,
      (_, named, whole) => {
        const name = `atOnce${paths.push(String(named ?? whole))}`;
        return named === undefined ? `Promise.resolve(${name})` : name;
      },
    );
    const imports = paths.map((path, index) => `import * as atOnce${index + 1} from ${path};`);
    return paths.length === 0 ? null : { code: `${imports.join("")}${changed}`, map: null };
  },
};

/** No server stands behind an exported file: what needs one is left out of the script. */
const notServed: Plugin = {
  name: "not-served",
  transform(code, id) {
    if (!/\/src\/(?:web|features)\//.test(id) || !code.includes("isServed")) return null;
    return { code: code.replaceAll(/(?<!import \{ |const )\bisServed\b/g, "false"), map: null };
  },
};

/** The file speaks English, without the words of screens that only a server has. */
const ownWords: Plugin = {
  name: "own-words",
  enforce: "pre",
  transform(code, id) {
    if (/\/words(?:-more)?\/index\.ts$/.test(id))
      return { code: code.replaceAll(/\b(?!en\b)\w+: \(\) => import\("[^"]+\.json"\),?/g, ""), map: null };
    if (!id.endsWith("/src/web/words-more/en.json")) return null;
    const { library: _library, settings: _settings, ...words } = JSON.parse(code) as Record<string, unknown>; // a file of this folder
    return { code: JSON.stringify(words), map: null };
  },
};

/** What stands in a page as one script: nothing in it ends the script, or begins another or a comment. */
const standsInPage: Plugin = {
  name: "stands-in-page",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === "chunk") file.code = file.code.replaceAll(/<(?=\/?script|!--)/gi, String.raw`\x3C`);
  },
};

/** The screen of one run for an exported page: `src/web/file.tsx` as one script and one style, which load nothing. */
export default mergeConfig(
  page,
  defineConfig({
    plugins: [ownWords, notServed, importsAtOnce, standsInPage],
    build: {
      cssCodeSplit: false,
      rolldownOptions: {
        input: resolve(import.meta.dirname, "src/web/file.tsx"),
        output: { entryFileNames: "file.js", assetFileNames: "file[extname]", codeSplitting: false },
      },
    },
  }),
);
