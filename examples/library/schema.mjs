// An answer as JSON that fits a JSON Schema.
import { openParley } from "@parley-llm/parley";

const parley = await openParley({ store: ":memory:" });
const run = await parley.start({ protocol: "respond", question: "What is 17 * 23?", models: ["sim/ada"] });
await run.outcome();
const schema = { type: "object", properties: { product: { type: "integer" } }, required: ["product"] };
const formed = await parley.writeInForm(run.id, schema);
console.log(formed.ok ? formed.value : formed.why); // → { product: 391 }
await parley.close();
