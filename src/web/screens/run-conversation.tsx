import type { VNode } from "preact";
import type { Listed } from "../../contract/runs.ts";
import { isEvent, timeOf } from "../../kernel/index.ts";
import { hrefTo } from "../address.ts";
import type { ShownRun } from "../run.ts";
import { withQuery } from "../http.ts";
import { useApi } from "../loaded.ts";
import { t } from "../strings.ts";

type Turn = { readonly id: string; readonly question: string };

/** The other turns of a run's conversation, oldest first. */
export type Turns = { readonly earlier: readonly Turn[]; readonly later: readonly Turn[] };

/** Looks up the turns before and after a run. */
export function useTurns({ run, entries }: ShownRun): Turns {
  const opened = entries.value.find((entry) => isEvent(entry, "deliberation-opened"));
  const path = withQuery("deliberations", { series: opened?.data.series?.id ?? run.id, limit: 200 });
  const page = useApi<Listed>(opened ? path : undefined).loaded.value;
  if (!opened || page.state !== "ready") return { earlier: [], later: [] };
  const others = page.value.data.filter(({ id }) => id !== run.id).toReversed();
  const isEarlier = ({ openedAt }: (typeof others)[number]) => Date.parse(openedAt) < timeOf(opened);
  return { earlier: others.filter(isEarlier), later: others.filter((turn) => !isEarlier(turn)) };
}

type TurnsProps = { readonly turns: Turns };

/** What was asked before, above the question. */
export const EarlierTurns = ({ turns: { earlier } }: TurnsProps): VNode | null =>
  earlier.length === 0 ? null : (
    <nav class="turns" aria-label={t.run.earlierTurns}>
      <p class="quiet">{t.run.earlierTurns}</p>
      <TurnList turns={earlier} />
    </nav>
  );

/** What was asked next, below the answer. */
export const LaterTurns = ({ turns: { later } }: TurnsProps): VNode | null =>
  later.length === 0 ? null : (
    <nav class="turns" aria-label={t.run.laterTurns}>
      <p class="quiet">{t.run.laterTurns}</p>
      <TurnList turns={later} />
    </nav>
  );

const TurnList = ({ turns }: { readonly turns: readonly Turn[] }): VNode => (
  <ol>
    {turns.map(({ id, question }) => (
      <li key={id}>
        <a class="run-link" href={hrefTo(["d", id])} dir="auto">
          {question}
        </a>
      </li>
    ))}
  </ol>
);
