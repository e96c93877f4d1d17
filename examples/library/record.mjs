// What a run leaves: its events, its result, and a replay without a call.
import { openParley } from "@parley-llm/parley";

const parley = await openParley({ store: ":memory:" });
const models = ["sim/ada?skill=1", "sim/bo?skill=1"];
const run = await parley.start({ protocol: "council", question: "What is 17 * 23?", models });
await run.outcome();
const [summary] = await parley.list();
const id = summary?.id ?? "";
for (const { type, data } of await parley.read(id))
  if (type === "answer-given") console.log(data.by, data.final?.value); // → analyst 391
const { question, status, calls, unknown } = await parley.result(id);
console.log(question, status, unknown); // → What is 17 * 23? answered 0
const replayed = await parley.replay(id);
console.log(replayed.closed, replayed.calls === calls); // → true true
await parley.close();
