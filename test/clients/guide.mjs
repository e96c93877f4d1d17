import { format, resolveConfig } from "prettier";

/** @typedef {{ name: string, version: string, checks: readonly { ok: boolean }[], expected: readonly { reason: string }[] }} Seen */

const BEGIN = "<!-- seen: written by npm run clients -- --write -->";
const END = "<!-- /seen -->";
const HEAD = "| client | version | checks passed | failed by design |\n| --- | --- | --- | --- |";

/** @param {Seen} seen */
const rowOf = ({ name, version, checks, expected }) =>
  `| \`${name}\` | ${version} | ${checks.filter(({ ok }) => ok).length} of ${checks.length + expected.length} | ${expected.length} |`;

/** A line for each reason. @param {Seen} seen */
const reasonsOf = ({ name, expected }) =>
  [...new Set(expected.map(({ reason }) => reason))].map(
    (reason) => `- \`${name}\`, ${expected.filter((one) => one.reason === reason).length}: ${reason}`,
  );

/**
 * The guide with what was seen in the place of what it told of these clients; what it tells of others stays.
 *
 * @param {string} path @param {string} text @param {{ seen: readonly Seen[], names: readonly string[] }} run `names`: the order of rows
 */
export async function guideWith(path, text, { seen, names }) {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${path} has no ${BEGIN} … ${END}`);
  const told = text.slice(begin + BEGIN.length, end);
  const pick = (/** @type {string} */ mark, /** @type {(one: Seen) => string[]} */ make) =>
    names.flatMap((name) => {
      const found = seen.find((one) => one.name === name);
      return found ? make(found) : told.split("\n").filter((line) => line.startsWith(`${mark} \`${name}\``));
    });
  const table = [HEAD, ...pick("|", (one) => [rowOf(one)])].join("\n");
  const block = [BEGIN, table, pick("-", reasonsOf).join("\n"), END]
    .filter((part) => part !== "")
    .join("\n\n");
  const whole = text.slice(0, begin) + block + text.slice(end + END.length);
  return format(whole, { ...(await resolveConfig(path)), filepath: path });
}
