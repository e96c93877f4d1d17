import type { VNode } from "preact";
import { workOf, type Entry } from "../../kernel/index.ts";
import type { DebateRecord, DebateRound } from "../../protocols/debate/view/record.ts";
import { useWhole, type ShownRun } from "../folds.ts";
import { formatCount, formatMoney, formatTime } from "../formats.ts";
import { Folded } from "../parts/folded.tsx";
import { Markdown } from "../parts/elements.tsx";
import { t } from "../strings.ts";
import { textsBefore } from "./debate-before.ts";

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
    heading={props.round === undefined ? t.record.judgeSummary : t.record.summary}
    facts={t.record.shortened(
      formatCount(props.summary.charactersBefore),
      formatCount(props.summary.charactersAfter),
      props.summary.method,
    )}
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
        <h4>{t.record.summaryAfter(formatCount(summary.charactersAfter))}</h4>
        <Markdown text={summary.text} level={5} scrolls />
      </section>
      <section>
        <h4>{t.record.summaryBefore(formatCount(summary.charactersBefore))}</h4>
        {before.map(({ kind, by, round: nth, text }, index) => (
          <Folded
            key={index}
            heading={t.record.before[kind](nameOf(by))}
            facts={t.record.round(formatCount(nth))}
          >
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
