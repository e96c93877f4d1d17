/**
 * Time series of several instruments, day by day: the value of an instrument i on day d stands at `d * instruments + i`. NaN is
 * a value that is missing.
 */
export type FactorPanel = {
  readonly days: number;
  readonly instruments: number;
  readonly fields: { readonly [field: string]: Float64Array };
};

/** @throws RangeError for a field of another size */
export function checkPanel({ days, instruments, fields }: FactorPanel): void {
  for (const [name, { length }] of Object.entries(fields))
    if (length !== days * instruments)
      throw new RangeError(`the field ${name} has ${length} values, not ${days} days of ${instruments}`);
}
