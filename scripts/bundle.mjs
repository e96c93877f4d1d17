// node scripts/bundle.mjs FOLDER: what the package ships, from src into FOLDER. Run by setup.mjs once all is installed.
import { build } from "tsdown";

await build({ outDir: process.argv[2] ?? "dist", logLevel: "warn" });
