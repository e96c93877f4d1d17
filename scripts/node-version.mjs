// Imported first by every script that a fresh clone may start with: says so when Node is too old, in one line.
// Written in syntax and with modules that Node 14 already has.
import { readFileSync } from "node:fs";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const needed = String(engines.node).replace(">=", "");
if (rank(process.versions.node) < rank(needed)) {
  process.stderr.write(
    `Parley needs Node ${needed} or newer, this is Node ${process.versions.node}; ` +
      "install the current long-term release from nodejs.org and run the same command again.\n",
  );
  process.exit(2);
}

/** @param {string} version Major and minor as one number; the patch does not count. */
function rank(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major * 1_000 + minor;
}
