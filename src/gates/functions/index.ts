import { defineDomain } from "../domain.ts";
import { GATES } from "./gates.ts";
import type { FunctionTask } from "./tasks.ts";
import { loadTask } from "./task.ts";
import { compileFunction, describeTask, prepareParsers } from "./text.ts";
import { makeInput, scoreExamples, tryProperty } from "./trials.ts";

/** A candidate is one JavaScript function for a stated task; it has to be right, and do less work than the incumbent. */
// oxlint-disable-next-line import/no-default-export
export default defineDomain<FunctionTask>({
  name: "functions",
  async load(settings, folder) {
    const loaded = loadTask(settings, folder);
    await checkTask(loaded.soil);
    await prepareParsers();
    return loaded;
  },
  propose: describeTask,
  compile: compileFunction,
  gates: GATES,
  rubric:
    "Judge whether the code does what its mechanism claims, and whether that explains the work it saves.",
});

/** A task whose incumbent fails judges no candidate. @throws Error that names the field */
async function checkTask(task: FunctionTask): Promise<void> {
  const { name, incumbent: source, visible, hidden, properties } = task;
  for (const [field, examples] of [
    ["visible", visible],
    ["hidden", hidden],
  ] as const) {
    for (const [index, example] of examples.entries()) {
      const { passed } = await scoreExamples(source, name, [example]);
      if (passed === 0) throw new Error(`${field}[${index}]: the incumbent does not give this result`);
    }
  }
  for (const [index, { source: property }] of properties.entries()) {
    const tried = await tryProperty({ source, name, property, cases: 20, seed: "load" });
    if (!tried.ok) throw new Error(`properties[${index}].source: ${tried.detail}`);
    if (tried.value !== null) throw new Error(`properties[${index}]: it does not hold for the incumbent`);
  }
  await makeInput(task, "load");
}
