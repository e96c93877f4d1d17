import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  findFirstSettings,
  settingsFile,
  writeFirstSettings,
  type FirstSettings,
} from "../../app/first-settings.ts";
import { listClaims } from "../../app/trust.ts";
import { checkSetting, loadSettings } from "../../config/sources.ts";
import { displayPath } from "../../config/text-file.ts";
import { recordTrust } from "../../config/trust.ts";
import { refusal } from "../../kernel/index.ts";
import { oneLine, printable } from "../../reports/printable.ts";
import { quoteValue } from "../../text/words.ts";
import { splitList, type Io, type Values } from "../command.ts";
import { EXIT } from "../exits.ts";
import { askOnTerminal } from "../input.ts";
import type { INIT } from "../options.ts";

const MAX_COST_USD = 0.5;

type Answers = {
  readonly models: readonly string[];
  readonly maxCostUsd: number | undefined;
  readonly where: "project" | "user";
};

/** Writes a first file of settings from what it finds. It asks at most three questions, on a terminal only, and never overwrites. */
export async function init(io: Io, { yes, project }: Values<typeof INIT>): Promise<number> {
  const place = { env: io.env, cwd: io.cwd };
  const found = await findFirstSettings(place);
  for (const line of describe(found)) io.output.note(line);
  const usual: Answers = {
    models: found.models,
    maxCostUsd: found.isPriced ? MAX_COST_USD : undefined,
    where: project ? "project" : "user",
  };
  const isAsked = !yes && process.stdin.isTTY === true && io.output.stderr.terminal;
  const answers = isAsked ? await askAnswers(usual, project) : usual;
  if (!answers) return EXIT.interrupted;
  const path = settingsFile(place, answers.where);
  const text = writeFirstSettings({ ...answers, programs: found.programs });
  const before = readIfThere(path);
  if (before !== undefined) {
    io.output.note(
      `${displayPath(path)} exists and is left as it is${before === text ? "" : "; init would change these lines:"}`,
    );
    if (before !== text) await io.output.result(difference(before, text));
    return EXIT.usage;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: "wx" });
  // Whoever has just chosen what the file names trusts it.
  if (answers.where === "project")
    for (const claim of (await listClaims(place)).filter((one) => one.path === path))
      recordTrust(claim, place);
  loadSettings({ ...place, flags: {} });
  io.output.note(
    `Written: ${displayPath(path)}. Change what you like there; parley config shows what counts.`,
  );
  io.output.note(
    answers.models.length === 0
      ? found.programs[0]
        ? `No model is chosen. Try: parley "your question" --models ${found.programs[0].ref}`
        : "No model is connected yet. Try: parley keys set openai, or start Ollama"
      : 'Try: parley doctor --probe, then parley "your question"',
  );
  return EXIT.answered;
}

function describe({ places, models, programs }: FirstSettings): string[] {
  const refs = programs.map(({ ref }) => ref);
  const own = programs.map(({ title, ref }) => `${title} (${ref})`).join(", ");
  const words = `Installed, and asked only if you name them: ${own}. They answer on your subscription: parley doctor says who is logged in, and models: [${refs.join(", ")}] asks them.`;
  const installed = refs.length === 0 ? [] : [words];
  if (places.length === 0) return ["Found: no key, and no server of models on this machine", ...installed];
  return [
    `Found: ${oneLine(places.map(({ provider, how }) => `${provider} (${how})`).join(", "))}`,
    ...(models.length === 0 ? [] : [`Models: ${oneLine(models.join(", "))}`]),
    ...installed,
  ];
}

/** Three questions at most; Enter takes what stands in brackets. Undefined after Ctrl-C. */
const askAnswers = (usual: Answers, project: boolean): Promise<Answers | undefined> =>
  askOnTerminal({ why: "there is no terminal to ask on", next: "add --yes" }, async (ask) => {
    const shown = usual.models.length === 0 ? "none" : oneLine(usual.models.join(","));
    const models = splitList(await ask(`Models, with commas [${shown}]: `));
    if (models.length > 0) checkGiven("models", models);
    const limit =
      usual.maxCostUsd === undefined
        ? ""
        : (await ask(`Most that a run may cost, in USD [${usual.maxCostUsd}]: `)).trim();
    if (limit !== "") checkGiven("maxCostUsd", limit);
    const where = project
      ? "p"
      : (await ask("For all your folders, or for this project only? [all/project]: ")).trim();
    if (!/^(?:a|p|$)/i.test(where))
      throw refusal(`${quoteValue(where)} is neither all nor project`, "parley init, and one of the two");
    return {
      models: models.length > 0 ? models : usual.models,
      maxCostUsd: limit === "" ? usual.maxCostUsd : Number(limit),
      where: /^p/i.test(where) ? "project" : "user",
    };
  });

const checkGiven = (key: "models" | "maxCostUsd", raw: unknown): void => {
  const name = key === "models" ? "models" : "max-cost-usd";
  checkSetting(key, { raw, name, place: () => name, example: (text) => text });
};

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw refusal(`${displayPath(path)} cannot be read`, "correct its permissions");
  }
}

/** Settings that only one of two texts has; comments are left out. */
function difference(before: string, after: string): string {
  const settings = (text: string) =>
    text.split("\n").filter((line) => line.trim() !== "" && !/^\s*#/.test(line));
  const [old, fresh] = [settings(before), settings(after)];
  const lines = [
    ...old.filter((line) => !fresh.includes(line)).map((line) => `- ${printable(line)}`),
    ...fresh.filter((line) => !old.includes(line)).map((line) => `+ ${printable(line)}`),
  ];
  return lines.length === 0 ? "(comments only)\n" : `${lines.join("\n")}\n`;
}
