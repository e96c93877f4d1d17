import type { VNode } from "preact";
import type { Leagues } from "../../../contract/knowledge.ts";
import { address } from "../../../web/address.ts";
import { formatCount, formatPercent, formatRatio } from "../../../web/formats.ts";
import { withQuery } from "../../../web/http.ts";
import { useApi } from "../../../web/loaded.ts";
import { KindChoice, PlayerChoice, SinceChoice } from "../../../web/parts/filter.tsx";
import { Interval } from "../../../web/parts/interval.tsx";
import { Empty, Shown } from "../../../web/parts/states.tsx";
import { Table } from "../../../web/parts/table.tsx";
import { t } from "../../../web/strings.ts";
import { words } from "../words.ts";

/** How personas or models stand by their reviewers' votes, over all questions and by kind. */
export function League(): VNode {
  const { query } = address.value;
  const [by, kind, since] = ["by", "kind", "since"].map((name) => query.get(name) ?? undefined);
  const leagues = useApi<Leagues>(withQuery("league", { by, kind, since }));
  return (
    <>
      <h1>{words.league.title}</h1>
      <div class="filters">
        <PlayerChoice />
        <KindChoice />
        <SinceChoice />
      </div>
      <Shown of={leagues}>
        {({ leagues: all }) =>
          all.length === 0 ? (
            <Empty title={words.league.empty} next={words.league.emptyNext} to={[]} />
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
        {words.league.sessions(sessions)}
        {tooFew
          ? ` · ${words.league.tooFewSessions}`
          : p === null
            ? ""
            : ` · ${words.league.chance(formatRatio(p, 3))}`}
      </p>
      <Table
        label={name}
        heads={[
          words.league.player,
          words.league.votes,
          words.league.wins,
          words.league.averageRank,
          words.league.strength,
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
