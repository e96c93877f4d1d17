import { callOf, isEvent, isVoice, workOf, type Call, type Entry } from "../kernel/index.ts";
import type { Result } from "../views/result.ts";
import { speakerOf } from "../views/spending.ts";
import { csvCell } from "./printable.ts";

/** What stands in a cell; nothing where it is unknown. */
export type CsvValue = string | number | boolean | null | undefined;
/** The columns of a table, with what stands in them. */
export type CsvColumns<R> = { readonly [name: string]: (row: R) => CsvValue };

/** Characters of a text that a cell keeps; the whole text is in the JSON. */
const MAX_TEXT_LENGTH = 2_000;

/** The names of the columns, with the line's end. */
export const csvHeader = (columns: CsvColumns<never>): string => `${Object.keys(columns).join(",")}\n`;

/** A line for each row, without a header: RFC 4180, unknown is empty, and no cell is a formula. */
export const csvLines = <R>(columns: CsvColumns<R>, rows: readonly R[]): string =>
  rows
    .map((row) => {
      const cells = Object.values(columns).map((read) => {
        const value = read(row);
        return typeof value === "string" ? csvCell(value, MAX_TEXT_LENGTH) : String(value ?? "");
      });
      return `${cells.join(",")}\n`;
    })
    .join("");

type RunRow = { readonly entries: readonly Entry[]; readonly result: Result };
type StepRow = { readonly entry: Entry; readonly result: Result };
type CallRow = StepRow & { readonly call: Call };

const RUNS: CsvColumns<RunRow> = {
  run: ({ result }) => result.id,
  protocol: ({ result }) => result.protocol.name,
  version: ({ result }) => result.protocol.version,
  opened_at: ({ entries: [opened] }) => opened?.at,
  status: ({ result }) => result.status,
  simulated: ({ result }) => result.simulated,
  question: ({ result }) => result.question,
  answer: ({ result }) => result.answer,
  final_answer: ({ result }) => result.finalAnswer,
  members: ({ result }) => result.participants.filter(isVoice).length,
  models: ({ result }) => [...new Set(result.participants.map(({ model }) => model))].join(" "),
  baseline: ({ result }) => result.control?.kind,
  baseline_answer: ({ result }) => result.control?.answer,
  baseline_agrees: ({ result }) => result.control?.agrees,
  baseline_overlap: ({ result }) => result.control?.overlap,
  score: ({ result }) => result.grade?.score,
  degraded: ({ result }) => result.degraded.length,
  calls: ({ result }) => result.calls,
  unknown_calls: ({ result }) => result.unknown,
  tokens_in: ({ result }) => result.tokens.in,
  tokens_out: ({ result }) => result.tokens.out,
  tokens_cached: ({ result }) => result.tokens.cached,
  usd: ({ result }) => result.cost.usd,
  cost_source: ({ result }) => result.cost.source,
  wall_ms: ({ result }) => result.wallMs,
  critical_path_ms: ({ result }) => result.criticalPathMs,
  previous: ({ result }) => result.previous,
  parent: ({ entries }) => entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data.parent?.id,
};

const STEPS = {
  run: ({ result }) => result.id,
  seq: ({ entry }) => entry.seq,
  at: ({ entry }) => entry.at,
  step: ({ entry: { origin } }) => ("step" in origin ? origin.step : null),
  origin: ({ entry }) => entry.origin.by,
  event: ({ entry }) => entry.type,
  work: ({ entry }) => workOf(entry)?.kind,
  round: ({ entry }) => workOf(entry)?.round,
  participant: ({ entry }) => (callOf(entry) ? speakerOf(entry) : workOf(entry)?.by),
  after: ({ entry: { origin } }) => ("after" in origin ? origin.after.join(" ") : null),
} satisfies CsvColumns<StepRow>;

const { origin: _origin, event: _event, after: _after, ...shared } = STEPS;
const CALLS: CsvColumns<CallRow> = {
  ...shared,
  reused: ({ entry }) => entry.origin.by === "adopted",
  seat: ({ entry, result }) => result.participants.find(({ id }) => id === speakerOf(entry))?.seat,
  model: ({ call }) => call.model,
  family: ({ call }) => call.family,
  ok: ({ call }) => call.ok,
  finish: ({ call }) => (call.ok ? call.finish : null),
  failure: ({ call }) => (call.ok ? null : call.failure.code),
  attempts: ({ call }) => call.attempts,
  latency_ms: ({ call }) => call.latencyMs,
  tokens_in: ({ call }) => call.tokens.in,
  tokens_out: ({ call }) => call.tokens.out,
  tokens_cached: ({ call }) => call.tokens.cached,
  tokens_reasoning: ({ call }) => call.tokens.reasoning,
  usd: ({ call }) => call.cost.usd,
  cost_source: ({ call }) => call.cost.source,
};

/** The tables of runs: a line a run, an event of a step, a call. Their columns are documented in `docs/guides/export.md`. */
export const CSV_TABLES = {
  runs: { columns: RUNS, lines: (run: RunRow) => csvLines(RUNS, [run]) },
  steps: {
    columns: STEPS,
    lines: ({ entries, result }: RunRow) =>
      csvLines(
        STEPS,
        entries.filter(({ origin }) => "step" in origin).map((entry) => ({ entry, result })),
      ),
  },
  calls: {
    columns: CALLS,
    lines: ({ entries, result }: RunRow) =>
      csvLines(
        CALLS,
        entries.flatMap((entry) => {
          const call = callOf(entry);
          return call ? [{ entry, result, call }] : [];
        }),
      ),
  },
};
export type CsvTable = keyof typeof CSV_TABLES;
