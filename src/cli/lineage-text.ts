import type { LineageNode } from "../app/personas/lineage.ts";
import { oneLine } from "../reports/printable.ts";
import { wrapped } from "../reports/text-width.ts";

const STATUSES = {
  own: "",
  "on-trial": "on trial",
  changed: "edited since it was accepted, on trial",
  accepted: "accepted",
  "taken-back": "taken back by its rankings",
  retired: "retired",
  missing: "no file any more",
};

const day = (at: string): string => at.slice(0, 10);

const versionLine = ({ at, how, version, by, why, run }: LineageNode["versions"][number]) => ({
  at,
  line: `${day(at)} ${how} ${version.slice(0, 8)} by ${oneLine(by, 80)}: ${oneLine(why, 300)} (${run})`,
});

const trialLine = ({ at, against, version, verdict, run }: LineageNode["trials"][number]) => ({
  at,
  line: `${day(at)} trial ${version.slice(0, 8)} against ${against}: ${verdict} (${run})`,
});

/** A persona with what is on record of it, and its parents below it. */
export function lineageLines(node: LineageNode, indent: string, width: number): string[] {
  const { id, name, status, version, versions, trials, parents, live } = node;
  const said = STATUSES[status];
  const inner = `${indent}│  `;
  const fit = (text: string) =>
    wrapped(text, Math.max(20, width - inner.length)).map(
      (line, index) => `${inner}${index === 0 ? "" : "  "}${line}`,
    );
  const ranked =
    live === null || live.wins + live.losses + live.ties === 0
      ? []
      : fit(`ranked since: above ${live.wins}, below ${live.losses}, level ${live.ties}`);
  return [
    `${indent}${oneLine(name)} (${id})${said === "" ? "" : `, ${said}`}${version === null ? "" : `  ${version.slice(0, 8)}`}`,
    ...[...versions.map(versionLine), ...trials.map(trialLine)]
      .toSorted((one, other) => (one.at < other.at ? -1 : 1))
      .flatMap(({ line }) => fit(line)),
    ...ranked,
    ...parents.flatMap((parent) => lineageLines(parent, `${indent}   `, width)),
  ];
}
