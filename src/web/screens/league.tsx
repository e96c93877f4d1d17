import type { VNode } from "preact";
import type { Leagues } from "../../contract/knowledge.ts";
import { address } from "../address.ts";
import { formatCount, formatPercent, formatRatio } from "../formats.ts";
import { withQuery } from "../http.ts";
import { useApi } from "../loaded.ts";
import { KindChoice, PlayerChoice, SinceChoice } from "../parts/filter.tsx";
import { Interval } from "../parts/interval.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { t } from "../strings.ts";

/** How personas or models stand by their reviewers' votes, over all questions and by kind. */
export function League(): VNode {
  const { query } = address.value;
  const [by, kind, since] = ["by", "kind", "since"].map((name) => query.get(name) ?? undefined);
  const leagues = useApi<Leagues>(withQuery("league", { by, kind, since }));
  return (
    <>
      <h1>{t.nav.league}</h1>
      <div class="filters">
        <PlayerChoice />
        <KindChoice />
        <SinceChoice />
      </div>
      <Shown of={leagues}>
        {({ leagues: all }) =>
          all.length === 0 ? (
            <Empty title={t.league.empty} next={t.league.emptyNext} to={[]} />
          ) : (
            all.map((one) => <KindTable key={one.kind} league={one} />)
          )
        }
      </Shown>
    </>
  );
}

type OneLeague = Leagues["leagues"][number];

function KindTable({ league }: { readonly league: OneLeague }): VNode {
  const { kind, rows, sessions, tooFew, p } = league;
  const ends = rows
    .flatMap(({ low, high, strength }) => [low, high, strength])
    .filter((value) => value !== null);
  const [from, to] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const name =
    kind === "all"
      ? t.knowledge.allKinds
      : (t.knowledge.kinds[kind as keyof typeof t.knowledge.kinds] ?? kind);
  return (
    <section>
      <h2>{name}</h2>
      <p class="quiet">
        {t.league.sessions(sessions)}
        {tooFew
          ? ` · ${t.league.tooFewSessions}`
          : p === null
            ? ""
            : ` · ${t.league.chance(formatRatio(p, 3))}`}
      </p>
      <Table
        label={name}
        heads={[
          t.league.player,
          t.league.votes,
          t.league.wins,
          t.league.averageRank,
          t.league.strength,
          t.run.interval,
        ]}
        figures={[1, 2, 3, 4]}
        rows={rows.map(({ player, votes, winRate, averageRank, strength, low, high, tooFew: few }) => [
          player,
          formatCount(votes),
          formatPercent(winRate),
          formatRatio(averageRank, 1),
          few || strength === null ? (
            <span class="quiet">{t.knowledge.tooFew}</span>
          ) : (
            `${formatRatio(strength)} (${formatRatio(low)} … ${formatRatio(high)})`
          ),
          few ? "" : <Interval value={strength} low={low} high={high} from={from} to={to} middle={0} />,
        ])}
      />
    </section>
  );
}
