// A council with a chair: drafts that do not see each other, anonymous reviews, and one answer made of them.
import { openParley } from "@parley-llm/parley";

const parley = await openParley({ store: ":memory:" });
const run = await parley.start({
  protocol: "council",
  question: "What is 17 * 23?",
  models: ["sim/ada?skill=1", "sim/bo?skill=1", "sim/cy?skill=0"],
  chair: ["sim/dee?skill=1"],
});
const { result } = await run.outcome();
for (const { name, seat, finalAnswer } of result?.participants ?? []) {
  console.log(seat, name, finalAnswer); // → member Challenger 319
}
console.log(result?.finalAnswer, result?.control?.kind); // → 391 draft-majority
await parley.close();
