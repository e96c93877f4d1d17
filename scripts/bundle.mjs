// node scripts/bundle.mjs FOLDER: what the package ships, from src into FOLDER. Run by setup.mjs once all is installed.
import { join, resolve } from "node:path";
import { build } from "tsdown";
import { build as buildPage } from "vite";
import { licenses } from "./licenses.mjs";

const outDir = process.argv[2] ?? "dist";
await build({ outDir, logLevel: "warn" });
const page = { outDir: resolve(join(outDir, "web")) };
await buildPage({ logLevel: "warn", build: page, plugins: [licenses("licenses.txt")] });
await buildPage({ configFile: "vite.file.config.ts", logLevel: "warn", build: page });
