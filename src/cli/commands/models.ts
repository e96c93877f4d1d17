import type { ModelRow } from "../../contract/figures.ts";
import { checkModelRef } from "../../app/context.ts";
import { testModel, type ModelTest, modelTable } from "../../app/model-table.ts";
import { listTools } from "../../app/named-tools.ts";
import { refusal } from "../../kernel/index.ts";
import { align } from "../../reports/labelled-rows.ts";
import { oneLine } from "../../reports/printable.ts";
import { wrap } from "../../reports/text-width.ts";
import { formatDuration, formatNumber, formatUsd } from "../../text/format.ts";
import { print, type Io, type Values } from "../command.ts";
import { EXIT, exitOfFailures } from "../exits.ts";
import type { JSON_FLAG } from "../options.ts";
import { interruptible, withParley } from "../session.ts";

/** Lists the models, or with `test REF` calls one of them. */
export async function models(
  io: Io,
  options: Values<typeof JSON_FLAG>,
  [action, ...refs]: readonly string[],
): Promise<number> {
  if (action === undefined) return listModels(io, options);
  const [ref] = refs;
  if (action === "test" && ref !== undefined && refs.length === 1) return test(io, options, ref);
  throw refusal(
    action === "test"
      ? "parley models test takes one model"
      : `parley models has no "${oneLine(action, 40)}"`,
    action.includes("/")
      ? `parley models test ${oneLine(action, 100)}`
      : "parley models test openai/gpt-5-mini",
  );
}

/** Cells that all columns need; with fewer, CONTEXT and FAMILY are left out. */
const ALL_COLUMNS = 60;
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
  const table = [
    ["MODEL", "IN", "OUT", ...(isWide ? ["CONTEXT", "FAMILY"] : []), "REACHABLE"],
    ...rows.map((row) => {
      const more = isWide ? [contextText(row.context), row.family ?? "?"] : [];
      return [row.ref, ...priceTexts(row), ...more, row.reachable];
    }),
  ];
  const dates = rows.flatMap(({ price }) => (price === null || price === "free" ? [] : [price.date]));
  const listed = dates
    .filter((date) => date !== "declared")
    .sort()
    .at(-1);
  const notes = [
    `Prices are in US dollars per million tokens${listed === undefined ? "" : `, as listed on ${listed}`}; ? is unknown.`,
    "A key that is set has not been tested: parley models test REF calls one model.",
    ...(missing.length === 0
      ? []
      : [`Not configured: ${missing.map(({ provider, next }) => `${provider} (${next})`).join(", ")}`]),
  ];
  return `${[...align(table, width), "", ...notes.flatMap((note) => wrap(note, width))].join("\n")}\n`;
}

function priceTexts({ price }: ModelRow): string[] {
  if (price === null) return ["?", "?"];
  if (price === "free") return ["free", "free"];
  return [price.in, price.out].map((usd) => usd.toFixed(2));
}

/** 400k, 1M; `?` where it is not known. */
function contextText(tokens: number | null): string {
  if (tokens === null) return "?";
  return tokens >= 1_000_000 ? `${Math.floor(tokens / 1_000_000)}M` : `${Math.floor(tokens / 1_000)}k`;
}

/** Hidden reasoning counts too, so that a model that thinks gets to a reply. */
const TEST_TOKENS = 1_024;

const test = (io: Io, options: Values<typeof JSON_FLAG>, ref: string): Promise<number> =>
  withParley(io, {}, (context) =>
    interruptible(async (signal) => {
      const model = await checkModelRef(context, ref);
      const tested = await testModel(context.models, model, { signal, maxOutputTokens: TEST_TOKENS });
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
    cost.usd === null ? "cost unknown" : cost.source === "free" ? "free" : formatUsd(cost.usd),
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
