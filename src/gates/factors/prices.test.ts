import { expect, it } from "vitest";
import { readPrices } from "./prices.ts";

const none = Number.NaN;

it("reads lines in any order; what is not there is missing", () => {
  const text = `\uFEFFdate,instrument,close,volume
2024-01-03,B,4,40
2024-01-02, A ,1,

"2024-01-02","B",2e0,20\r
2024-01-03,"C, Inc.",5.5,50
`;
  expect(readPrices(text, "prices.csv")).toEqual({
    days: 2,
    instruments: 3,
    fields: {
      close: Float64Array.of(1, 2, none, none, 4, 5.5),
      volume: Float64Array.of(none, 20, none, none, 40, 50),
    },
  });
});

const head = "date,instrument,open,close\n";

it.each([
  ["", "prices.csv has no prices; expected a header such as date,instrument,close and a line a day"],
  [head, "prices.csv has no prices; expected a header such as date,instrument,close and a line a day"],
  ["day,name,close\n", 'prices.csv, line 1: the first two columns must be date,instrument (got "day,name")'],
  ["date,instrument,open\n", "prices.csv, line 1: a column close is missing"],
  ["date,instrument,close,close\n", "prices.csv, line 1, column close: another column has the same name"],
  [
    "date,instrument,close,my field\n",
    'prices.csv, line 1, column 4: a field\'s name has letters, digits and _ alone (got "my field")',
  ],
  [`${head}2024-01-02,A,1\n`, "prices.csv, line 2: expected 4 cells (got 3)"],
  [
    `${head}2024-01-02,A,1,1\n2.1.2024,A,1,1\n`,
    'prices.csv, line 3, column date: must be a day such as 2024-05-31 (got "2.1.2024")',
  ],
  [`${head}2024-01-02,,1,1\n`, "prices.csv, line 2, column instrument: must not be empty"],
  [
    `${head}2024-01-02,A,1,1\n\n2024-01-02,B,x,1\n`,
    'prices.csv, line 4, column open: must be a number, or empty where it is missing (got "x")',
  ],
  [
    `${head}2024-01-02,A,0x10,1\n`,
    'prices.csv, line 2, column open: must be a number, or empty where it is missing (got "0x10")',
  ],
  [
    `${head}2024-01-02,A,1e999,1\n`,
    'prices.csv, line 2, column open: must be a number, or empty where it is missing (got "1e999")',
  ],
  [`${head}2024-01-02,A,1,0\n`, 'prices.csv, line 2, column close: must be above 0 (got "0")'],
  [
    `${head}2024-01-02,A,1,1\n2024-01-02,A,1,2\n`,
    "prices.csv, line 3, column instrument: the same day of the same instrument is on line 2",
  ],
])("%j is refused, with its place", (text, problem) => {
  expect(() => readPrices(text, "prices.csv")).toThrow(problem);
});

it("says where a quotation mark is wrong", () => {
  expect(() => readPrices(`${head}2024-01-02,"A"B,1,1\n`, "prices.csv")).toThrow(/^prices\.csv: .*line 2/);
});
