import { loadCritic } from "../../config/critic.ts";
import { loadMemory } from "../../config/memory.ts";
import { loadSettings } from "../../config/sources.ts";
import { oneLine } from "../../reports/printable.ts";
import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";

/** `parley config`: each setting's effective value and its source, those of `critic.yaml` and `memory.yaml` included. */
export const run: CommandModule["run"] = async (io, _args, flags) => {
  const place = { env: io.env, cwd: io.cwd };
  const sources = {
    ...loadSettings({ flags: {}, ...place }).sources,
    ...loadCritic(place).sources,
    ...loadMemory(place).sources,
  };
  if (flags["json"]) {
    await io.output.result(`${JSON.stringify(sources, undefined, 2)}\n`);
    return EXIT.answered;
  }
  const rows = Object.entries(sources).map(([key, { value, name }]) => ({ key, value: shown(value), name }));
  const width = Math.max(...rows.map(({ key }) => key.length));
  await io.output.result(
    rows
      .map(({ key, value, name }) => `${key.padEnd(width)}  ${oneLine(value)}  (${oneLine(name)})\n`)
      .join(""),
  );
  return EXIT.answered;
};

const shown = (value: unknown): string => {
  if (value === undefined || value === null) return "not set";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
};
