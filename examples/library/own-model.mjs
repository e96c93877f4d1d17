// A function is a model: it gets the prompt and returns the reply.
import { defineModel, openParley } from "@parley-llm/parley";

const adder = defineModel(async ({ messages, signal, onText }) => {
  const question = messages.at(-1)?.text ?? "";
  signal.throwIfAborted();
  const [, a, b] = /(\d+) \+ (\d+)/.exec(question) ?? [];
  onText("It is "); // what is shown while it is written; the rest, or the whole, is returned
  return `It is ${Number(a) + Number(b)}.`;
});
const parley = await openParley({ store: ":memory:", models: { "mine/adder": adder } });
const run = await parley.start({ protocol: "respond", question: "What is 2 + 3?", models: ["mine/adder"] });
console.log((await run.outcome()).result?.answer); // → It is 5.
await parley.close();
