import { resolve } from "node:path";
import { defineConfig } from "vite";
import { lexerAlone, pureSchemas } from "./scripts/pure-schemas.mjs";

/** The page that `parley serve` shows: `src/web` into `dist/web`, as files named by their content. */
export default defineConfig({
  root: resolve(import.meta.dirname, "src/web"),
  // The server says where it stands (`<base>`), so nothing in the files does.
  base: "./",
  publicDir: false,
  plugins: [pureSchemas(), lexerAlone()],
  // Words are read as a whole.
  json: { namedExports: false, stringify: false },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:7317" } },
});
