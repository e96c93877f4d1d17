// The checks of one client, in a process of its own under a Node that the client runs on: one.mjs NAME FOLDER.
import { run } from "./harness.mjs";

const [, , name = "", folder = ""] = process.argv;
await run((await import(`./${name}.mjs`)).check, folder);
process.exit();
