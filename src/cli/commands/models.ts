import type { ModelRow } from "../../contract/figures.ts";
import { checkModelRef } from "../../app/context.ts";
import { testModel, type ModelTest, modelTable } from "../../app/model-table.ts";
import { updateModelList, type ListChange, type ListUpdate } from "../../app/list-update.ts";
import { listTools } from "../../app/named-tools.ts";
import { refusal, THINKING_REPLY_TOKENS } from "../../kernel/index.ts";
import { align } from "../../reports/labelled-rows.ts";
import { oneLine } from "../../reports/printable.ts";
import { cutTo, wrap } from "../../reports/text-width.ts";
import { formatDuration, formatNumber, formatUsd } from "../../text/format.ts";
import { print, type Io, type Values } from "../command.ts";
import { EXIT, exitOfFailures } from "../exits.ts";
import type { JSON_FLAG, MODEL_LIST } from "../options.ts";
import { interruptible, withParley } from "../session.ts";

/** Lists the models; with `test REF` calls one of them, with `update` takes a list of what they cost and can do. */
export async function models(
  io: Io,
  options: Values<typeof MODEL_LIST>,
  [action, ...refs]: readonly string[],
): Promise<number> {
  const [ref] = refs;
  if (action === "update" && refs.length <= 1) return update(io, options, ref);
  if (options.dryRun === true) throw refusal("--dry-run is of parley models update", "leave it out");
  if (action === undefined) return listModels(io, options);
  if (action === "test" && ref !== undefined && refs.length === 1) return test(io, options, ref);
  throw refusal(
    action === "test" || action === "update"
      ? `parley models ${action} takes one ${action === "test" ? "model" : "file or URL"}`
      : `parley models has no "${oneLine(action, 40)}"`,
    action.includes("/")
      ? `parley models test ${oneLine(action, 100)}`
      : "parley models test openai/gpt-6.1-terra",
  );
}

/** Cells that all columns need. With fewer, FAMILY and OUTPUT are left out and CAN is in letters; below `MIN_TABLE` a model has two lines. */
const ALL_COLUMNS = 100;
const MIN_TABLE = 60;
/** The width in a pipe, where nobody's screen cuts a name. */
const PIPE_WIDTH = 160;

const listModels = (io: Io, options: Values<typeof JSON_FLAG>): Promise<number> =>
  withParley(io, {}, async (context) => {
    const value = await modelTable(context);
    const { terminal, columns } = io.output.stdout;
    await print(io, { json: options.json, value }, () => tableText(value, terminal ? columns : PIPE_WIDTH));
    return EXIT.answered;
  });

/** One line a model; what is not configured, and what the columns mean, below. Ends in a newline. */
export function tableText(
  { models: rows, missing }: Awaited<ReturnType<typeof modelTable>>,
  width: number,
): string {
  const isWide = width >= ALL_COLUMNS;
  const factsOf = (row: ModelRow): string[] =>
    isWide
      ? [lengthText(row.context), lengthText(row.output), canText(row, " "), row.family ?? "?"]
      : [lengthText(row.context), canText(row, "")];
  const heads = isWide ? ["CONTEXT", "OUTPUT", "CAN", "FAMILY"] : ["CONTEXT", "CAN"];
  const table = [
    ["MODEL", "IN", "OUT", ...heads, "REACHABLE"],
    ...rows.map((row) => [row.ref, ...priceTexts(row), ...factsOf(row), row.reachable]),
  ];
  const twoLines = ([ref = "", ...cells]: readonly string[]): string[] => [
    oneLine(ref, width),
    cutTo(`  ${cells.filter((cell) => cell !== "").join(" · ")}`, width),
  ];
  const dates = rows.flatMap(({ price }) =>
    price === null || typeof price === "string" ? [] : [price.date],
  );
  const [oldest, newest] = [0, -1].map((at) =>
    dates
      .filter((date) => date !== "declared")
      .sort()
      .at(at),
  );
  const listed = oldest === newest ? `on ${oldest}` : `from ${oldest} to ${newest}`;
  const notes = [
    `Prices are in US dollars per million tokens${oldest === undefined ? "" : `, as listed ${listed}`}; ? is unknown.`,
    ...(isWide ? [] : ["CAN: i pictures, p PDFs as they are, t tools, r thinking, s search of the web."]),
    "A key that is set has not been tested: parley models test REF calls one model.",
    ...(missing.length === 0
      ? []
      : [`Not configured: ${missing.map(({ provider, next }) => `${provider} (${next})`).join(", ")}`]),
  ];
  const lines = width >= MIN_TABLE ? align(table, width) : table.flatMap(twoLines);
  return `${[...lines, "", ...notes.flatMap((note) => wrap(note, width))].join("\n")}\n`;
}

function priceTexts({ price }: ModelRow): string[] {
  if (price === null) return ["?", "?"];
  if (price === "subscription") return ["subscription", ""];
  if (price === "free") return ["free", "free"];
  return [price.in, price.out].map((usd) => usd.toFixed(2));
}

/** 400k, 1M; `?` where it is not known. */
function lengthText(tokens: number | null): string {
  if (tokens === null) return "?";
  return tokens >= 1_000_000 ? `${Math.floor(tokens / 1_000_000)}M` : `${Math.floor(tokens / 1_000)}k`;
}

const ABILITIES = { pictures: "i", documents: "p", tools: "t", thinking: "r", search: "s" } as const;

/** What a model takes beside text and can do, in words or in letters; `?` where nothing is known of that. */
function canText({ can, cannot }: ModelRow, between: "" | " "): string {
  if (can.length === 0) return cannot.length === 0 ? "?" : "-";
  return can.map((name) => (between === "" ? ABILITIES[name] : name)).join(between);
}

const update = (io: Io, options: Values<typeof MODEL_LIST>, from: string | undefined): Promise<number> =>
  interruptible(async (signal) => {
    const isDry = options.dryRun === true;
    const value = await updateModelList(io, { from, isDry, now: Date.now(), signal });
    await print(io, { json: options.json, value }, ({ width }) => updateText(value, width));
    return EXIT.answered;
  });

const MAX_SHOWN = 30;

/** What a list changes: figures of models that were there one by one, what is new and what is gone by name. */
export function updateText(update: ListUpdate, width: number): string {
  const { source, date, from, path, models: all, added, changed, gone, skipped } = update;
  const figures = new Map<string, ListChange[]>();
  for (const change of changed) figures.set(change.model, [...(figures.get(change.model) ?? []), change]);
  const some = (label: string, names: readonly string[]): string[] => {
    if (names.length === 0) return [];
    const more = names.length > MAX_SHOWN ? `, and ${formatNumber(names.length - MAX_SHOWN)} more` : "";
    return [
      "",
      ...wrap(
        `${label}: ${names
          .slice(0, MAX_SHOWN)
          .map((name) => oneLine(name))
          .join(", ")}${more}`,
        width,
      ),
    ];
  };
  const rows = [...figures]
    .slice(0, MAX_SHOWN)
    .flatMap(([model, own]) => [
      oneLine(model, width),
      ...wrap(
        own.map(({ field, from: was, to }) => `${field} ${figure(was)} → ${figure(to)}`).join(", "),
        width - 2,
      ).map((line) => `  ${line}`),
    ]);
  const unshown = figures.size - MAX_SHOWN;
  const counts = `${formatNumber(added.length)} added, ${formatNumber(figures.size)} changed, ${formatNumber(gone.length)} gone`;
  const lines = [
    ...wrap(`${source} of ${date}: ${formatNumber(all)} models; ${counts}.`, width),
    ...(rows.length === 0 ? [] : ["", ...rows]),
    ...(unshown > 0 ? [`… and ${formatNumber(unshown)} more (--json has them all)`] : []),
    ...some("Added", added),
    ...some("Gone", gone),
    ...some(
      "Left out, because it cannot be right",
      skipped.map(({ model, why }) => `${model} (${why})`),
    ),
    "",
    ...wrap(
      path === null
        ? `Nothing was written (--dry-run). Read from ${oneLine(from, 300)}.`
        : `Kept in ${oneLine(path, 300)}; settings' prices count before it.`,
      width,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

const figure = (value: number | null): string =>
  value === null ? "?" : value >= 1_000 ? formatNumber(value) : String(value);

const TEST_TOKENS = 4_096; // enough for one that thinks and is not known to

const test = (io: Io, options: Values<typeof JSON_FLAG>, ref: string): Promise<number> =>
  withParley(io, {}, (context) =>
    interruptible(async (signal) => {
      const model = await checkModelRef(context, ref);
      const maxOutputTokens = context.models.facts?.(model).thinks ? THINKING_REPLY_TOKENS : TEST_TOKENS;
      const tested = await testModel(context.models, model, { signal, maxOutputTokens });
      await print(io, { json: options.json, value: tested }, ({ width }) => testText(tested, width));
      if (signal.aborted) return EXIT.interrupted;
      return tested.ok ? EXIT.answered : exitOfFailures([tested.failure]);
    }),
  );

const MAX_REPLY = 200;

function testText(tested: ModelTest, width: number): string {
  const { model, latencyMs, tokens, cost } = tested;
  const count = (number: number | null) => (number === null ? "unknown" : formatNumber(number));
  const facts = [
    `${count(tokens.in)} input + ${count(tokens.out)} output tokens`,
    cost.usd === null
      ? "cost unknown"
      : cost.source === "free" || cost.source === "subscription"
        ? cost.source
        : formatUsd(cost.usd),
  ].join(", ");
  // A call that failed before it was answered used nothing that is worth a word.
  const used = tested.ok || tokens.in !== null || tokens.out !== null ? ` (${facts})` : "";
  const head = `${oneLine(model)} ${tested.ok ? "answered" : "failed"} in ${formatDuration(latencyMs)}${used}`;
  const said = tested.ok ? oneLine(tested.reply, MAX_REPLY) : oneLine(tested.failure.message, 1_000);
  const body = said === "" ? "The reply is empty." : said;
  return `${[...wrap(head, width), ...wrap(body, width - 2).map((line) => `  ${line}`)].join("\n")}\n`;
}

/** Lists the tools of this process and of its servers; exit 1 where a server cannot be used. */
export const tools = (io: Io, options: Values<typeof JSON_FLAG>): Promise<number> =>
  withParley(io, {}, async (context) => {
    const value = await listTools(context);
    const own = value.servers.flatMap((server) => server.tools);
    const failed = value.servers.flatMap(({ problem }) => (problem === null ? [] : [`FAIL  ${problem}`]));
    const rows = [...value.builtIn, ...own].map((one) => [one.name, one.for, one.description]);
    const table = [["TOOL", "FOR", "WHAT IT DOES"], ...rows];
    await print(
      io,
      { json: options.json, value },
      ({ width }) => `${[...align(table, width), ...failed].join("\n")}\n`,
    );
    return failed.length === 0 ? EXIT.answered : EXIT.refusedByCheck;
  });
