import type { Dissent, ReportPart } from "../kernel/index.ts";
import { pluralize } from "../text/format.ts";
import type { PanelSection } from "../views/panel.ts";
import type { Result } from "../views/result.ts";
import { namesOf } from "./names.ts";
import { part, points, table, words } from "./part.ts";
import { describeAgreement, formatScore } from "./words.ts";

/** The method that measures what a member did as a reviewer; all others measure its own part in the answer. */
const BALLOT_METHOD = "shapley-standing";

/** What a panel's members and its chair left beside the answer, and how the answer came about. */
export function panelParts(section: PanelSection, { participants }: Result): ReportPart[] {
  const nameOf = namesOf(participants);
  const all = (ids: readonly string[]) => ids.map(nameOf).join(", ");
  const { footer, dissent, insights, vetoed, votes, mode, standing, contributions } = section;
  const { claimed, problem, measured } = contributions;
  const ballots = votes.map(({ answer, first, last }) => [answer, all(first), all(last)]);
  const claims = claimed.map(({ id, weight, reason }) => [nameOf(id), weight.toFixed(2), reason]);
  return [
    part("", words(footer ?? "")),
    part("Dissent", points(dissent)),
    part("Unique points", points(insights)),
    part("Rejected", points(vetoed.map(({ id, flaw }) => `${nameOf(id)}: ${flaw}`))),
    part("Mode", words(describeMode(section, nameOf))),
    // Nothing to tell where all agree.
    part("Votes", table(["Answer", "At first", "At last"], ballots.length > 1 ? ballots : [])),
    part(
      mode === "vote" ? "Vote" : "Peer ranking",
      rankingTable(section, nameOf),
      words(standing.length === 0 ? "" : `Rater agreement: ${describeAgreement(section)}`),
    ),
    part(
      "Contributions (self-reported by the chair)",
      table(["Member", "Weight", "Reason"], claims),
      words(problem === null ? "" : `${claimed.length === 0 ? "Not usable" : "Does not add up"}: ${problem}`),
    ),
    part("Contributions (measured)", ...measuredBlocks(measured, nameOf)),
  ];
}

/** `all 3 drafts: 391`, `2 of 3: 391, 1 of 3: 381`; of open questions, whose draft its peers prefer, and the dissent. */
export function panelAgreement({ votes, standing, dissent }: PanelSection, { participants }: Result): string {
  const voices = votes
    .map(({ answer, last }) => ({ answer, count: last.length }))
    .filter(({ count }) => count > 0);
  const all = voices.reduce((sum, { count }) => sum + count, 0);
  if (voices.length === 1)
    return `${all === 1 ? "1 draft" : all === 2 ? "Both drafts" : `All ${all} drafts`}: ${voices[0]?.answer ?? ""}`;
  if (voices.length > 1) {
    const sides = voices.map(({ answer, count }) => `${count} of ${all}: ${answer}`);
    return sides.join(", ");
  }
  const [best, second] = standing.filter(({ score }) => score !== null);
  const nameOf = namesOf(participants);
  return [
    best && second && best.tiedWith.length === 0 ? `Ranked first by peers: ${nameOf(best.id)}` : "",
    dissent.length === 0 ? "" : pluralize(dissent.length, "point") + " of dissent",
  ]
    .filter(Boolean)
    .join(", ");
}

/** The chair's dissent and what it rejected, and whose inputs the answer is from. */
export function panelDissent({ dissent, vetoed, footer }: PanelSection, { participants }: Result): Dissent {
  const nameOf = namesOf(participants);
  const points = [
    ...dissent.map((point) => `Dissent: ${point}`),
    ...vetoed.map(({ id, flaw }) => `Rejected: ${nameOf(id)}: ${flaw}`),
  ];
  return { points, from: footer };
}

type NameOf = (id: string) => string;

function describeMode({ mode, strategy, standing, tieBreak }: PanelSection, nameOf: NameOf): string {
  const broken = tieBreak?.chosen != null ? `tie broken by ${nameOf(tieBreak.by)}` : "";
  if (mode !== "vote") return strategy === null ? broken : `${mode ?? "synthesis"}, strategy ${strategy}`;
  if (tieBreak?.chosen != null) return `vote, won by ${nameOf(tieBreak.chosen)} (${broken})`;
  const [best, ...level] = standing.filter(({ place, score }) => place === 1 && score !== null);
  if (!best) return "vote, without a ranking";
  if (level.length === 0) return `vote, won by ${nameOf(best.id)}`;
  return `vote, tied: ${[best, ...level].map(({ id }) => nameOf(id)).join(", ")}`;
}

/** Without the columns in which nothing stands. */
function rankingTable({ standing }: PanelSection, nameOf: NameOf) {
  const rows = standing.map(({ id, place, score, low, high, tiedWith }) => [
    score === null ? "-" : String(place),
    nameOf(id),
    formatScore(score),
    low === null || high === null ? "" : `${formatScore(low)} to ${formatScore(high)}`,
    tiedWith.map(nameOf).join(", "),
  ]);
  const heads = ["Rank", "Member", "Score", "95 % interval", "Tied with"];
  const filled = heads.map((_, column) => rows.some((row) => row[column] !== ""));
  const kept = <T>(row: readonly T[]) => row.filter((_, column) => filled[column]);
  return table(kept(heads), rows.map(kept));
}

function measuredBlocks(measured: PanelSection["contributions"]["measured"], nameOf: NameOf) {
  const methods = [...new Set(measured.map(({ method }) => method))];
  const ids = [...new Set(measured.map(({ id }) => id))];
  const cell = (id: string, method: string) =>
    measured.find((one) => one.id === id && one.method === method)?.weight.toFixed(2) ?? "-";
  const heads = methods.map((method) => (method === BALLOT_METHOD ? `${method}*` : method));
  const rows = ids.map((id) => [nameOf(id), ...methods.map((method) => cell(id, method))]);
  const isBallots = methods.includes(BALLOT_METHOD);
  return [
    table(["Member", ...heads], rows),
    words(isBallots ? "* the value of a reviewer's ballot, not of its own draft" : ""),
  ];
}
