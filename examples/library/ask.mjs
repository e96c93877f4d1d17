// Asks one question and shows the answer while it is written.
import { openParley } from "@parley-llm/parley";

const parley = await openParley({ store: ":memory:" });
// The simulated models need no key. With one: models: ["openai/gpt-6.1-terra"], or leave `models` out.
const run = await parley.start({ question: "What is 17 * 23?", models: ["sim/ada", "sim/bo"] });
for await (const text of run.answer()) process.stderr.write(text);
const { status, result } = await run.outcome();
console.log(status, result?.finalAnswer); // → answered 391
await parley.close();
