import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "./harness.mjs";

export const ASKED = "What is the code word in note.txt?";

/** A folder in which an agent finds what it is asked for. */
export function project() {
  const cwd = newFolder();
  writeFileSync(join(cwd, "note.txt"), "The code word is heron.\n");
  return cwd;
}

/** A simulated model says what its tool gave: the agent has run it, and sent that. @param {string} output */
export const assertActed = (output) => assert.match(output, /The tool says: .*heron/s);
