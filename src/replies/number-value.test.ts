import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readNumber } from "./answer.ts";

const value = (text: string): string | null => {
  const number = readNumber(text);
  return number === null ? null : `${number.numerator}/${number.denominator}`;
};

describe("readNumber", () => {
  it.each([
    ["391", "391/1"],
    ["1,000", "1000/1"],
    ["70 000", "70000/1"],
    ["1e3", "1000/1"],
    ["3 × 10^8 m/s", "300000000/1"],
    ["0.50", "1/2"],
    ["2/4", "1/2"],
    [".5", "1/2"],
    ["5.", "5/1"],
    ["−3.5 °C", "-7/2"],
    ["-$5", "-5/1"],
    ["$70,000", "70000/1"],
    ["12.50 EUR", "25/2"],
    ["$5M", "5000000/1"],
    ["1.5k", "1500/1"],
    ["2 million", "2000000/1"],
    ["5 m", "5/1"],
    ["300 K", "300/1"],
    ["50%", "50/1"],
    ["about 18 eggs", "18/1"],
    ["18 dollars per day", "18/1"],
    ["9 m^2", "9/1"],
    ["twelve", "12/1"],
    ["three bolts", "3/1"],
    ["minus 7", "-7/1"],
    ["negative five", "-5/1"],
    ["5kg", "5/1"],
    ["20 degrees C", "20/1"],
    ["5-year", "5/1"],
    ["9.81 m/s^2", "981/100"],
    ["18 dollars a day", "18/1"],
    ["12 person-hours", "12/1"],
    ["4 sq ft", "4/1"],
    ["12345678901234567891", "12345678901234567891/1"],
  ])("reads %s as %s", (text, expected) => expect(value(text)).toBe(expected));

  it.each([
    "",
    "B",
    "Apollo 11",
    "1984 by George Orwell",
    "3 or 4",
    "10:30",
    "2024-05-01",
    "1,00",
    "1/0",
    "3-fold: cost",
    "one should wait",
    "Seven Samurai",
    "1e99999",
    "9".repeat(500),
    "18 dollars are what she makes a day",
    ..."2x-3|5x|5 x|2π|2 pi|3i|2e|5^2|10^5|5!|1-2|10-3|10 BC|10 AD|10 bce|3 am|3 pm|3 PM|5 n|--5|+-5|$--5".split(
      "|",
    ),
    ..."5m|5 ab|2xy|2 dozen|five hundred|3 squared|2 thirds|5 degrees below zero|20% decrease|0.333...|2 sin x|5 ± 1".split(
      "|",
    ),
  ])("reads no number in %j", (text) => expect(value(text)).toBeNull());

  it("writes the number without grouping, currency and unit", () => {
    expect(readNumber("$70,000 per year")?.written).toBe("70000");
    expect(readNumber("−1/2")?.written).toBe("-1/2");
    expect(readNumber("2 million")?.written).toBe("2e6");
  });
  it("reads back what it writes, and every safe integer however grouped", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (integer) => {
        const read = readNumber(integer.toLocaleString("en-US"));
        expect(read).toMatchObject({ numerator: BigInt(integer), denominator: 1n });
        expect(readNumber(read?.written ?? "")).toEqual(read);
      }),
    );
  });
});
