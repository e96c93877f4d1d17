import { defineDomain, type Compiled } from "../domain.ts";
import { GATES } from "./gates.ts";
import { type FunctionTask, MAX_SOURCE } from "./tasks.ts";
import { loadTask } from "./task.ts";
import { makeInput, scoreExamples, tryProperty } from "./trials.ts";
import { fencedBlocks } from "../../text/fences.ts";
import { openRealm, type Realm } from "../script.ts";

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
  ] as const)
    for (const [index, example] of examples.entries()) {
      const { passed } = await scoreExamples(source, name, [example]);
      if (passed === 0) throw new Error(`${field}[${index}]: the incumbent does not give this result`);
    }
  for (const [index, { source: property }] of properties.entries()) {
    const tried = await tryProperty({ source, name, property, cases: 20, seed: "load" });
    if (!tried.ok) throw new Error(`properties[${index}].source: ${tried.detail}`);
    if (tried.value !== null) throw new Error(`properties[${index}]: it does not hold for the incumbent`);
  }
  await makeInput(task, "load");
}

/** What a model is told: the task, what a candidate looks like, and the function that is to be bettered. */
export function describeTask(task: FunctionTask): string {
  const { name, statement, visible, incumbent, ratio } = task;
  const examples = visible.map(
    ({ args, result }) =>
      `${name}(${args.map((arg) => JSON.stringify(arg)).join(", ")}) → ${JSON.stringify(result)}`,
  );
  return [
    `A candidate is one JavaScript function, ${signature(task)}. ${statement}`,
    ["Examples:", ...examples].join("\n"),
    [
      "Rules:",
      `- Answer with one \`\`\`js block that declares ${name} at its top level. Helper functions may stand beside it.`,
      "- The function gets its arguments and returns its result; both are JSON. It must not change what is outside of it.",
      "- There is no input or output, no import, no export, no timer, no Date and no global but the language's.",
      "- Calls that are nested more than about 800 deep fail.",
      `- The code has at most ${MAX_SOURCE} characters.`,
      "- It is checked with hidden tests and on random inputs; it must not list answers.",
      `- It must do the same as the function below with at most 1/${ratio} of the work. What the interpreter's built-in ` +
        "functions do counts as work too.",
    ].join("\n"),
    `The function that is to be bettered:\n\n\`\`\`js\n${incumbent.trim()}\n\`\`\``,
  ].join("\n\n");
}

/** As the incumbent declares it, where that is simple to see. */
function signature({ name, incumbent, visible }: FunctionTask): string {
  const start = `function ${name}(`;
  const at = incumbent.indexOf(start);
  const end = incumbent.indexOf(")", at);
  if (at >= 0 && end > at) return `\`${incumbent.slice(at, end + 1)}\``;
  return `\`${name}\`, with ${visible[0]?.args.length ?? 0} arguments`;
}

/**
 * Parsing is all that is done with a candidate here: nothing of it runs before the first gate. The stack is so small that
 * the interpreter sees its end before the thread's; should a text end a parser all the same, there is another.
 */
const PARSER_LIMITS = {
  ...{ timeMs: Infinity, maxWork: Infinity, stackBytes: 24 * 1024 },
  ...{ memoryBytes: 64_000_000, maxOutput: 1_000 },
};
const SPARE_PARSERS = 2;
const parsers: Realm[] = [];
let opening: Promise<void> | undefined;

/** Opens what `compileFunction` needs; it may be called again. */
export function prepareParsers(): Promise<void> {
  opening ??= (async () => {
    while (parsers.length < SPARE_PARSERS) parsers.push(await openRealm(PARSER_LIMITS));
  })().finally(() => (opening = undefined));
  return opening;
}

/** The candidate in a model's answer: its first block of JavaScript, or else all of it. */
export function compileFunction(text: string, { name }: FunctionTask): Compiled {
  const source = findSource(text).trim();
  if (source === "") return { ok: false, why: "there is no code" };
  if (source.length > MAX_SOURCE)
    return { ok: false, why: `the code has ${source.length} characters; at most ${MAX_SOURCE} are allowed` };
  const problem = parse(source);
  if (problem !== null) return { ok: false, why: `the code cannot be parsed: ${problem}` };
  // A second declaration is refused exactly where there is a first one. The line break ends a comment.
  if (parse(`${source}\n;let ${name};`) === null)
    return { ok: false, why: `the code declares no function ${name} at its top level` };
  return { ok: true, text: source };
}

function findSource(text: string): string {
  const blocks = fencedBlocks(text);
  const isCode = ["js", "javascript", "mjs"];
  const block =
    blocks.find(({ language }) => isCode.includes(language)) ??
    blocks.find(({ language }) => language === "");
  return block === undefined ? text : text.slice(block.contentStart, block.contentEnd);
}

/** Why a source cannot be parsed; null where it can. */
function parse(source: string): string | null {
  const [parser] = parsers;
  const parsed = parser?.parse(source);
  if (parsed && parser?.isOpen) return parsed.ok ? null : parsed.detail;
  parsers.shift();
  void prepareParsers();
  return parser === undefined ? "the parser is not ready; try again" : "it is nested too deeply";
}
