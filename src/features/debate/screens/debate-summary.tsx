import type { VNode } from "preact";
import { workOf, type Entry } from "../../../kernel/index.ts";
import type { DebateRecord, DebateRound } from "../protocol/debate/view/record.ts";
import type { ShownRun } from "../../../web/run.ts";
import { useWhole } from "../../../web/folds.ts";
import { formatCount, formatMoney, formatTime } from "../../../web/formats.ts";
import { Folded } from "../../../web/parts/folded.tsx";
import { Markdown } from "../../../web/parts/elements.tsx";
import { t } from "../../../web/strings.ts";
import { words } from "../words/index.ts";

type Timed = Pick<DebateRound["critiques"][number], "tokens" | "usd" | "latencyMs">;

export const tookOf = ({ tokens, usd, latencyMs }: Timed): string =>
  [
    tokens === null ? "" : t.tokens(tokens),
    latencyMs === null ? "" : formatTime(latencyMs),
    usd === 0 ? "" : formatMoney(usd),
  ]
    .filter(Boolean)
    .join(" · ");

type SummaryProps = {
  readonly summary: DebateRound["summaries"][number];
  /** The round before which it was made; undefined for the judge's, of the whole debate. */
  readonly round: number | undefined;
  readonly debate: DebateRecord;
  readonly nameOf: (id: string) => string;
  readonly shown: ShownRun;
};

/** What an agent, or the judge, read instead of everything that was said before; and beside it, what that was. */
export const Summary = (props: SummaryProps): VNode => (
  <Folded
    heading={props.round === undefined ? words.judgeSummary : words.summary}
    facts={words.shortened({
      before: formatCount(props.summary.charactersBefore),
      after: formatCount(props.summary.charactersAfter),
      method: props.summary.method,
    })}
  >
    {() => <BeforeAndAfter {...props} />}
  </Folded>
);

function BeforeAndAfter({ summary, round, debate, nameOf, shown }: SummaryProps): VNode {
  const before = textsBefore(debate, { of: round === undefined ? undefined : summary.for, round });
  useWhole(shown.run, seqsBefore(shown.entries.value, round));
  return (
    <>
      <p class="quiet">{tookOf(summary)}</p>
      <section>
        <h4>{words.summaryAfter(formatCount(summary.charactersAfter))}</h4>
        <Markdown text={summary.text} level={5} scrolls />
      </section>
      <section>
        <h4>{words.summaryBefore(formatCount(summary.charactersBefore))}</h4>
        {before.map(({ kind, by, round: nth, text }, index) => (
          <Folded key={index} heading={words.before[kind](nameOf(by))} facts={words.round(formatCount(nth))}>
            {() => <Markdown text={text} level={5} scrolls />}
          </Folded>
        ))}
      </section>
    </>
  );
}

/** The events of the rounds before one; all of them where there is none. */
const seqsBefore = (entries: readonly Entry[], round = Infinity): readonly number[] =>
  entries.filter((entry) => (workOf(entry)?.round ?? Infinity) < round).map(({ seq }) => seq);

/** A text that a summary stands for. */
type EarlierText = {
  readonly kind: "proposal" | "critique" | "refinement";
  readonly by: string;
  readonly round: number;
  readonly text: string;
};

type Summarized = { readonly of: string | undefined; readonly round: number | undefined };

/**
 * What a summary was made of: of an agent its own proposals, the critiques that it got and its refinements in the rounds before
 * `round`; without `of`, everybody's. A proposal that is an earlier refinement counts once.
 */
function textsBefore(
  { rounds }: Pick<DebateRecord, "rounds">,
  { of, round: until = Infinity }: Summarized,
): readonly EarlierText[] {
  const isMeant = (id: string): boolean => of === undefined || of === id;
  return rounds
    .filter(({ round }) => round < until)
    .flatMap(({ round, proposals, critiques, refinements }) => [
      ...proposals
        .filter(({ by, carried }) => isMeant(by) && !carried)
        .map(({ by, text }) => ({ kind: "proposal" as const, by, round, text })),
      ...critiques
        .filter((one) => isMeant(one.of))
        .map(({ by, text }) => ({ kind: "critique" as const, by, round, text })),
      ...refinements
        .filter(({ by }) => isMeant(by))
        .map(({ by, text }) => ({ kind: "refinement" as const, by, round, text })),
    ]);
}
