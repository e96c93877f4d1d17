/** @typedef {import("./harness.mjs").Row} Row */

/** @param {Row} row Whether it is as good as it should be; undefined where nothing is asked. */
const reached = ({ value, target, least }) =>
  target === undefined ? undefined : least ? value >= target : value <= target;

/** @param {number} value Three digits that count, and all before the point. */
const figure = (value) =>
  Math.abs(value) >= 1_000 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);

/** Figures of the second build stand beside those of the same name of the first. @template {{ rows: Row[] }} M @param {M} measured @returns {M} */
export function besides(measured) {
  const rest = (/** @type {string} */ name, /** @type {string} */ build) =>
    name.startsWith(build) ? name.slice(build.length) : undefined;
  const others = new Map(measured.rows.map(({ name, value }) => [rest(name, "against"), value]));
  const rows = measured.rows.flatMap((row) => {
    if (rest(row.name, "against") !== undefined) return [];
    const own = rest(row.name, "parley");
    const against = own === undefined ? undefined : others.get(own);
    return [against === undefined ? row : { ...row, against }];
  });
  return { ...measured, rows };
}

/** What stands over the lines where two builds are compared. */
export const headOf = () =>
  `  ${"".padEnd(48)} ${"this".padStart(8)} ${"".padEnd(9)} ${"against".padStart(8)}    ratio`;

/** @param {Row} row */
export function lineOf(row) {
  const met = reached(row);
  const wanted = row.target === undefined ? "" : `${row.least ? ">=" : "<="} ${row.target} ${row.unit}`;
  const verdict = met === undefined ? "" : met ? "yes" : "NO";
  const name = row.name.padEnd(48);
  const other = row.against;
  const beside =
    other === undefined
      ? ""
      : ` ${figure(other).padStart(8)} ${(row.value / other).toFixed(3).padStart(8)}  `;
  return `  ${name} ${figure(row.value).padStart(8)} ${row.unit.padEnd(9)}${beside} ${wanted.padEnd(16)} ${verdict}`.trimEnd();
}

/**
 * What a run came to. A figure that is no number counts as broken: it was not measured.
 *
 * @param {readonly { name: string, rows: readonly Row[], failed?: string }[]} report
 */
export function verdictOf(report) {
  const rows = report.flatMap((one) => one.rows);
  const met = rows.filter((row) => reached(row) === true).length;
  const asked = rows.filter((row) => row.target !== undefined).length;
  const broken =
    report.filter(({ failed }) => failed !== undefined).length +
    rows.filter(({ value }) => !Number.isFinite(value)).length;
  const line = `${met} of ${asked} targets reached${broken > 0 ? `, ${broken} MEASUREMENTS FAILED` : ""}`;
  return { line, broken, missed: asked - met };
}
