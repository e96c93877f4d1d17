// A program that asks one model: what `npm run bench -- --only walk` follows from the library's entry.
const { openParley } = await import("../../src/index.ts");
const parley = await openParley({ store: ":memory:" });
const run = await parley.start({ question: "What is 17 * 23?", models: ["openai/gpt-5-mini"] });
await run.outcome();
