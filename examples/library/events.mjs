// Follows what is recorded, as it is recorded.
import { openParley } from "@parley-llm/parley";

const parley = await openParley({ store: ":memory:" });
const models = ["sim/ada?skill=1", "sim/bo?skill=1"];
const run = await parley.start({ protocol: "council", question: "What is 17 * 23?", models });
let last = 0;
for await (const { seq, type } of run.events()) {
  console.log(seq, type); // → 1 deliberation-opened
  last = seq;
  if (type === "answer-given") break; // a reader may leave; the run goes on
}
await run.outcome();
// Later, here or in another program: what came after.
const later = (await parley.read(run.id)).filter(({ seq }) => seq > last);
console.log(later.at(-1)?.type); // → deliberation-closed
await parley.close();
