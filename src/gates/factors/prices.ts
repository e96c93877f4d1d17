import { CsvError, parse } from "csv-parse/sync";
import type { FactorPanel } from "./panel.ts";

/** How many values a panel may have in all: 256 MB of them. */
const MAX_VALUES = 32 * 2 ** 20;

const MAX_FIELDS = 50;

const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const FIELD = /^[A-Za-z_]\w*$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Reads prices in long form: a header `date,instrument,close,…`, then a line for each instrument of each day, in any order. An
 * empty cell is a missing value, and so is a line that is not there. Days and instruments are put in order.
 * @throws Error for the first thing that is wrong; `file` is its name in the message
 */
export function readPrices(text: string, file: string): FactorPanel {
  const rows = createRows(file);
  try {
    parse(text, {
      bom: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      on_record: (cells: string[], { lines }) => {
        rows.add(cells, lines);
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError) throw new Error(`${file}: ${error.message}`, { cause: error });
    throw error;
  }
  return rows.finish();
}

/** The lines of a file, as they come. */
function createRows(file: string) {
  let fields: readonly string[] | undefined;
  const dates = new Numbering();
  const instruments = new Numbering();
  const lines: number[] = [];
  const places: number[] = [];
  const values: number[] = [];

  function add(cells: readonly string[], line: number): void {
    if (fields === undefined) {
      fields = readHeader(cells, { file, line });
      return;
    }
    const [date = "", instrument = "", ...rest] = cells;
    if (cells.length !== fields.length + 2)
      throw new Error(`${file}, line ${line}: expected ${fields.length + 2} cells (got ${cells.length})`);
    if (!DATE.test(date))
      throw problem({ file, line }, "date", `must be a day such as 2024-05-31 (got ${quote(date)})`);
    if (instrument === "") throw problem({ file, line }, "instrument", "must not be empty");
    lines.push(line);
    places.push(dates.numberOf(date), instruments.numberOf(instrument));
    for (const [at, name] of fields.entries()) values.push(readValue(rest[at] ?? "", name, { file, line }));
  }

  function finish(): FactorPanel {
    if (fields === undefined || lines.length === 0)
      throw new Error(
        `${file} has no prices; expected a header such as date,instrument,close and a line a day`,
      );
    const width = instruments.size;
    const cells = dates.size * width;
    if (cells * fields.length > MAX_VALUES)
      throw new Error(
        `${file} has ${dates.size} days of ${width} instruments and ${fields.length} fields; at most ${MAX_VALUES} values fit`,
      );
    const dayOf = dates.ranks();
    const oneOf = instruments.ranks();
    const series = fields.map(() => new Float64Array(cells).fill(Number.NaN));
    const lineOf = new Int32Array(cells);
    for (const [row, line] of lines.entries()) {
      const [date = 0, instrument = 0] = [places[2 * row], places[2 * row + 1]];
      const at = (dayOf[date] as number) * width + (oneOf[instrument] as number);
      if (lineOf[at] !== 0)
        throw problem(
          { file, line },
          "instrument",
          `the same day of the same instrument is on line ${lineOf[at]}`,
        );
      lineOf[at] = line;
      for (const [nth, one] of series.entries()) one[at] = values[row * series.length + nth] as number;
    }
    const named = fields.map((name, nth) => [name, series[nth] as Float64Array] as const);
    return { days: dates.size, instruments: width, fields: Object.fromEntries(named) };
  }

  return { add, finish };
}

type CellPlace = { readonly file: string; readonly line: number };

function problem({ file, line }: CellPlace, column: string, why: string): Error {
  return new Error(`${file}, line ${line}, column ${column}: ${why}`);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

function readHeader(cells: readonly string[], place: CellPlace): readonly string[] {
  const [date, instrument, ...fields] = cells;
  if (date !== "date" || instrument !== "instrument")
    throw new Error(
      `${place.file}, line ${place.line}: the first two columns must be date,instrument (got ${quote(cells.slice(0, 2).join(","))})`,
    );
  for (const [at, name] of fields.entries()) {
    if (!FIELD.test(name))
      throw problem(
        place,
        String(at + 3),
        `a field's name has letters, digits and _ alone (got ${quote(name)})`,
      );
    if (fields.indexOf(name) !== at) throw problem(place, name, "another column has the same name");
  }
  if (!fields.includes("close"))
    throw new Error(`${place.file}, line ${place.line}: a column close is missing`);
  if (fields.length > MAX_FIELDS)
    throw new Error(`${place.file}, line ${place.line}: at most ${MAX_FIELDS} fields (got ${fields.length})`);
  return fields;
}

function readValue(cell: string, name: string, place: CellPlace): number {
  if (cell === "") return Number.NaN;
  const value = NUMBER.test(cell) ? Number(cell) : Number.NaN;
  if (!Number.isFinite(value))
    throw problem(place, name, `must be a number, or empty where it is missing (got ${quote(cell)})`);
  if (name === "close" && value <= 0) throw problem(place, name, `must be above 0 (got ${quote(cell)})`);
  return value;
}

/** Numbers texts in the order in which they come. */
class Numbering {
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#numbers.size;
  }

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.size);
    return this.size - 1;
  }

  /** For each number, the place of its text among all in the order of their code units. */
  ranks(): Int32Array {
    const ranks = new Int32Array(this.size);
    const texts = [...this.#numbers.keys()].sort();
    for (const [place, text] of texts.entries()) ranks[this.numberOf(text)] = place;
    return ranks;
  }
}
