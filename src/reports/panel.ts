import type { ReportPart } from "../kernel/index.ts";
import type { PanelSection } from "../views/panel.ts";
import type { Result } from "../views/result.ts";
import { namesOf } from "./names.ts";
import { describeAgreement, formatScore } from "./words.ts";

/** The method that measures what a member did as a reviewer; all others measure its own part in the answer. */
const BALLOT_METHOD = "shapley-standing";

/** What a panel's members and its chair left beside the answer, and how the answer came about. */
export function panelParts(section: PanelSection, { participants }: Result): ReportPart[] {
  const nameOf = namesOf(participants);
  const { footer, dissent, insights, vetoed } = section;
  const lists = (
    [
      ["Dissent", dissent],
      ["Unique points", insights],
      ["Rejected", vetoed.map(({ id, flaw }) => `${nameOf(id)}: ${flaw}`)],
    ] as const
  ).map(([heading, texts]): ReportPart => ({
    heading,
    blocks: texts.length > 0 ? [{ kind: "points", texts }] : [],
  }));
  return [
    { heading: "", blocks: footer === null ? [] : [{ kind: "words", text: footer }] },
    ...lists,
    ...modePart(section, nameOf),
    ...votesPart(section, nameOf),
    ...rankingPart(section, nameOf),
    ...contributionParts(section, nameOf),
  ];
}

type NameOf = (id: string) => string;

function modePart({ mode, strategy, standing }: PanelSection, nameOf: NameOf): ReportPart[] {
  const mark = (text: string): ReportPart[] => [{ heading: "Mode", blocks: [{ kind: "words", text }] }];
  if (mode !== "vote") return strategy === null ? [] : mark(`${mode ?? "synthesis"}, strategy ${strategy}`);
  const best = standing.find(({ place, score }) => place === 1 && score !== null);
  if (!best) return mark("vote, without a readable ranking");
  const tied = best.tiedWith.length > 0 ? " (tied; the first seat's draft is the answer)" : "";
  return mark(`vote, won by ${nameOf(best.id)}${tied}`);
}

/** How the members voted by their final answers; nothing to tell where all agree. */
function votesPart({ votes }: PanelSection, nameOf: NameOf): ReportPart[] {
  if (votes.length < 2) return [];
  const all = (ids: readonly string[]) => ids.map(nameOf).join(", ");
  const rows = votes.map(({ answer, first, last }) => [answer, all(first), all(last)]);
  return [{ heading: "Votes", blocks: [{ kind: "table", heads: ["Answer", "At first", "At last"], rows }] }];
}

function rankingPart(section: PanelSection, nameOf: NameOf): ReportPart[] {
  const { mode, standing } = section;
  if (standing.length === 0) return [];
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
  return [
    {
      heading: mode === "vote" ? "Vote" : "Peer ranking",
      blocks: [
        { kind: "table", heads: kept(heads), rows: rows.map(kept) },
        { kind: "words", text: `Rater agreement: ${describeAgreement(section)}` },
      ],
    },
  ];
}

function contributionParts({ contributions }: PanelSection, nameOf: NameOf): ReportPart[] {
  const { claimed, measured } = contributions;
  const methods = [...new Set(measured.map(({ method }) => method))];
  const ids = [...new Set(measured.map(({ id }) => id))];
  const cell = (id: string, method: string) =>
    measured.find((one) => one.id === id && one.method === method)?.weight.toFixed(2) ?? "-";
  const parts: (ReportPart | undefined)[] = [
    claimed.length > 0
      ? {
          heading: "Contributions (self-reported by the chair)",
          blocks: [
            {
              kind: "table",
              heads: ["Member", "Weight", "Reason"],
              rows: claimed.map(({ id, weight, reason }) => [nameOf(id), weight.toFixed(2), reason]),
            },
          ],
        }
      : undefined,
    measured.length > 0
      ? {
          heading: "Contributions (measured)",
          blocks: [
            {
              kind: "table",
              heads: [
                "Member",
                ...methods.map((method) => (method === BALLOT_METHOD ? `${method}*` : method)),
              ],
              rows: ids.map((id) => [nameOf(id), ...methods.map((method) => cell(id, method))]),
            },
            ...(methods.includes(BALLOT_METHOD)
              ? [{ kind: "words", text: "* the value of a reviewer's ballot, not of its own draft" } as const]
              : []),
          ],
        }
      : undefined,
  ];
  return parts.filter((part) => part !== undefined);
}
