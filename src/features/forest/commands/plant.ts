import { resolve } from "node:path";
import { domainPath, ForestFile } from "../app/file.ts";
import { EXAMPLE_GROUNDING, Grounding, plantForest, readGrounding, soilOf } from "../app/plant.ts";
import { listClaims } from "../../../app/trust.ts";
import { explainIssue } from "../../../config/explain.ts";
import { displayPath, refuse } from "../../../config/text-file.ts";
import { recordTrust } from "../../../config/trust.ts";
import { openGatePool } from "../../../gates/pool.ts";
import type { Io, Values } from "../../../cli/command.ts";
import { EXIT } from "../../../cli/exits.ts";
import { askOnTerminal } from "../../../cli/input.ts";
import type { INIT } from "./index.ts";

/** Plants a forest from the answers to eight questions: asked on the terminal, or in a file. Nothing is overwritten. */
export async function init(
  io: Io,
  { file, domain, yes }: Values<typeof INIT>,
  path: string,
): Promise<number> {
  const folder = resolve(io.cwd, path);
  const isAsked = file === undefined && !yes && process.stdin.isTTY === true && io.output.stderr.terminal;
  if (file === undefined && !yes && !isAsked)
    throw refuse("there is no terminal to ask on", "add --yes for an example, or --file answers.yaml");
  const given = file === undefined ? undefined : readGrounding(resolve(io.cwd, file));
  const example = domain === "functions" ? FUNCTIONS_EXAMPLE : EXAMPLE_GROUNDING;
  const answers =
    given ??
    (isAsked ? await askGrounding(domain) : { ...example, ...(domain === undefined ? {} : { domain }) });
  if (!answers) return EXIT.interrupted;
  const read = Grounding.safeParse(answers);
  if (!read.success) {
    const { path: at, say, next } = explainIssue(Grounding, read.error);
    throw refuse(say(at.join(".")), next ?? "answer the questions again");
  }
  await checkSoil(folder, read.data);
  const planted = plantForest(folder, read.data);
  // Whoever has just chosen what the file names trusts it.
  const place = { env: io.env, cwd: folder };
  for (const claim of await listClaims(place, [planted.file], io.features)) recordTrust(claim, place);
  io.output.note(`Planted: ${displayPath(planted.file)}, ${displayPath(planted.archive)}`);
  io.output.note(`Try: parley forest cycle${path === "." ? "" : ` ${path}`}`);
  return EXIT.answered;
}

/** Reads the soil once, so that a forest is not planted over one that its first cycle cannot read. @throws Fault `configuration` */
async function checkSoil(folder: string, grounding: Grounding): Promise<void> {
  const pool = openGatePool({ threads: 1 });
  try {
    const file = ForestFile.parse({ domain: grounding.domain, soil: soilOf(grounding) });
    const place = { domain: domainPath({ file, folder }), folder, soil: file.soil };
    await pool.describe(place, new AbortController().signal).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw refuse(`nothing is planted: ${why}`, "correct the data, or name other data");
    });
  } finally {
    await pool.close();
  }
}

const FUNCTIONS_EXAMPLE = {
  research_goal: "Find a faster function that still passes every test",
  boost: ["One pass: each value is looked at once", "Fewer comparisons: what is known is not computed again"],
};

const splitLines = (answer: string): string[] =>
  answer
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one !== "");

const WORRIES: readonly string[] = ["missing", "overfitting", "scattering", "drilling", "none"];

/** The eight questions. Enter takes what stands in brackets; undefined after Ctrl-C. */
const askGrounding = (domain: string | undefined): Promise<Record<string, unknown> | undefined> =>
  askOnTerminal({ why: "there is no terminal to ask on", next: "add --yes" }, async (ask) => {
    const or = async (question: string, usual: string): Promise<string> =>
      (await ask(`${question}${usual === "" ? "" : ` [${usual}]`}: `)).trim() || usual;
    const research_goal = await or("1. What do you want to find?", EXAMPLE_GROUNDING.research_goal);
    const kind =
      domain ?? (await or("2. In which field? factors, functions, or a folder of your own", "factors"));
    const data = await or(
      kind === "functions"
        ? "3. Which task? A file in this folder, or one that ships"
        : "3. Which data? A CSV in this folder, or Enter for made-up prices",
      kind === "functions" ? "longest-run" : "",
    );
    const constraints = await or("4. Constraints of cost, time or policy? (with ; between them)", "");
    let worry = "";
    while (!WORRIES.includes(worry))
      worry = await or(`5. Which mistake worries you most? ${WORRIES.join(", ")}`, "none");
    const boost = await or("6. Directions to begin with, `name: why`? (with ; between them)", "");
    const avoid = await or("7. Directions to avoid? (with ; between them)", "");
    const approval = await or(
      "8. When shall you be asked first?",
      "before money is spent or an account is used",
    );
    const soil = data === "" ? undefined : kind === "functions" ? { task: data } : { file: data };
    return {
      ...{ research_goal, domain: kind, worry, approval },
      ...(soil === undefined ? {} : { soil }),
      ...{ constraints: splitLines(constraints), boost: splitLines(boost), avoid: splitLines(avoid) },
    };
  });
