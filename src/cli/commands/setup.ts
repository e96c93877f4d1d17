import { checkup, configSources } from "../../app/checkup.ts";
import { oneLine } from "../../reports/printable.ts";
import { wrap } from "../../reports/text-width.ts";
import { print, type Io, type Values } from "../command.ts";
import { EXIT } from "../exits.ts";
import type { DOCTOR, JSON_FLAG } from "../options.ts";
import { interruptible } from "../session.ts";

/** Shows each setting's effective value and its source, those of `critic.yaml` and `memory.yaml` included. */
export async function config(io: Io, options: Values<typeof JSON_FLAG>): Promise<void> {
  const sources = configSources({ env: io.env, cwd: io.cwd });
  const width = Math.max(...Object.keys(sources).map((key) => key.length));
  const lines = Object.entries(sources).map(
    ([key, { value, name }]) => `${key.padEnd(width)}  ${oneLine(settingText(value))}  (${oneLine(name)})\n`,
  );
  await print(io, { json: options.json, value: sources }, () => lines.join(""));
}

function settingText(value: unknown): string {
  if (value === undefined || value === null) return "not set";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

const MAX_LINE = 2_000;
/** What stands under a check begins where its text does. */
const INDENT = " ".repeat(6);

/** Prints one line a check; exit 1 where one failed. */
const UPDATE_PRICES = "parley models update, which takes a newer list";

export async function doctor(io: Io, options: Values<typeof DOCTOR>): Promise<number> {
  const place = { flags: {}, env: io.env, cwd: io.cwd };
  const registry = io.protocols;
  const found = await (options.probe
    ? interruptible((probe) => checkup(place, { probe, registry }))
    : checkup(place, { registry }));
  const checks = found.map((check) => (check.what === "prices" ? { ...check, next: UPDATE_PRICES } : check));
  const { terminal, columns } = io.output.stdout;
  const indented = (text: string) => {
    const line = oneLine(text, MAX_LINE);
    return (terminal ? wrap(line, columns - INDENT.length) : [line]).join(`\n${INDENT}`);
  };
  const lines = checks.map(
    ({ what, ok, found, next }) =>
      `${(ok ? "ok" : "FAIL").padEnd(INDENT.length)}${indented(`${what}: ${found}`)}${next === undefined ? "" : `\n${INDENT}${indented(`Try: ${next}`)}`}\n`,
  );
  await print(io, { json: options.json, value: checks }, () => lines.join(""));
  return checks.every(({ ok }) => ok) ? EXIT.answered : EXIT.refusedByCheck;
}
