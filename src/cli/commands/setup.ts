import { checkup } from "../../app/checkup.ts";
import { modelTable } from "../../app/model-table.ts";
import { loadCritic } from "../../config/critic.ts";
import { loadMemory } from "../../config/memory.ts";
import { loadSettings } from "../../config/sources.ts";
import { oneLine } from "../../reports/printable.ts";
import { print, type Io, type Values } from "../command.ts";
import { EXIT } from "../exits.ts";
import type { JSON_FLAG } from "../options.ts";
import { withParley } from "../session.ts";

type Options = Values<typeof JSON_FLAG>;

export const models = (io: Io, options: Options): Promise<void> =>
  withParley(io, {}, async (context) => {
    const { models: rows, missing } = await modelTable(context);
    const priceOf = ({ price }: (typeof rows)[number]) =>
      price === null
        ? "price unknown"
        : price === "free"
          ? "free"
          : `$${price.in} in, $${price.out} out per million (${price.date})`;
    const lines = rows.map(
      (row) =>
        `${oneLine(row.ref)}\n    ${oneLine(`family ${row.family ?? "unknown"}, ${priceOf(row)}; ${row.how}`)}`,
    );
    const rest = missing.map(({ provider, next }) => `  ${provider}: ${next}`);
    await print(io, options, {
      value: { models: rows, missing },
      words: () => [...lines, "", "Not configured:", ...rest, ""].join("\n"),
    });
  });

/** Shows each setting's effective value and its source, those of `critic.yaml` and `memory.yaml` included. */
export async function config(io: Io, options: Options): Promise<void> {
  const place = { env: io.env, cwd: io.cwd };
  const sources = {
    ...loadSettings({ flags: {}, ...place }).sources,
    ...loadCritic(place).sources,
    ...loadMemory(place).sources,
  };
  const width = Math.max(...Object.keys(sources).map((key) => key.length));
  const lines = Object.entries(sources).map(
    ([key, { value, name }]) => `${key.padEnd(width)}  ${oneLine(settingText(value))}  (${oneLine(name)})\n`,
  );
  await print(io, options, { value: sources, words: () => lines.join("") });
}

function settingText(value: unknown): string {
  if (value === undefined || value === null) return "not set";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

const MAX_LINE = 2_000;

/** Prints one line a check; exit 1 where one failed. */
export async function doctor(io: Io, options: Options): Promise<number> {
  const checks = await checkup({ flags: {}, env: io.env, cwd: io.cwd });
  const lines = checks.map(
    ({ what, ok, found, next }) =>
      `${ok ? "ok  " : "FAIL"}  ${what}: ${oneLine(found, MAX_LINE)}${next === undefined ? "" : `\n      Try: ${oneLine(next, MAX_LINE)}`}\n`,
  );
  await print(io, options, { value: checks, words: () => lines.join("") });
  return checks.every(({ ok }) => ok) ? EXIT.answered : EXIT.refusedByCheck;
}
