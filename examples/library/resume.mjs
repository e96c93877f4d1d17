// A process is killed in the middle of a run; another one goes on where it was, and pays for nothing twice.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineModel, openParley } from "@parley-llm/parley";

const [, , store, isFirst] = process.argv;
if (store !== undefined) await ask(store, isFirst === "first");
else {
  const folder = await mkdtemp(join(tmpdir(), "parley-example-"));
  for (const word of ["first", "second"]) {
    const args = [fileURLToPath(import.meta.url), join(folder, "parley.db"), word];
    const child = spawn(process.execPath, args, { stdio: "inherit" });
    const [, signal] = await once(child, "exit");
    console.log(`the ${word} process: ${signal ?? "ended"}`); // → the first process: SIGKILL
  }
  await rm(folder, { recursive: true });
}

/**
 * Asks, or goes on: the same request name finds the same run.
 * @param {string} store @param {boolean} isKilled
 */
async function ask(store, isKilled) {
  let made = 0;
  const model = defineModel(() => {
    made += 1;
    if (isKilled && made === 3) process.kill(process.pid, "SIGKILL");
    return { text: "It is 391.\n\nFinal answer: 391", tokens: { in: 90, out: 9 } };
  });
  const parley = await openParley({ store, models: { "mine/one": model, "mine/two": model } });
  const run = await parley.start({
    request: "job-17",
    protocol: "council",
    question: "What is 17 * 23?",
    models: ["mine/one", "mine/two"],
  });
  const { result } = await run.outcome();
  // Two drafts were recorded, the third call was cut off: the second process makes that one alone.
  console.log({ fresh: run.fresh, answer: result?.finalAnswer, made }); // → { fresh: false, answer: '391', made: 1 }
  console.log(result?.calls, result?.unknown); // → 3 1
  await parley.close();
}
