import type { VNode } from "preact";
import type { LabeledVote, VoteMatrix, Leagues } from "../../../contract/knowledge.ts";
import { address, hrefTo, hrefWith } from "../../../web/address.ts";
import { formatAgo, formatCount, formatPercent, formatRatio } from "../../../web/formats.ts";
import { withQuery } from "../../../web/http.ts";
import { useApi, usePages } from "../../../web/loaded.ts";
import { KindChoice, PlayerChoice, SinceChoice } from "../../../web/parts/filter.tsx";
import { Empty, Failure, More, Shown } from "../../../web/parts/states.tsx";
import { Table } from "../../../web/parts/table.tsx";
import { t, wordFor } from "../../../web/strings.ts";
import { words } from "../words/index.ts";
import { Interval } from "../../../web/parts/interval.tsx";

/** Who ranked whom over all runs: how high on the mean, and each vote. */
export function Votes(): VNode {
  const { query } = address.value;
  const [by, kind, since, persona, model] = ["by", "kind", "since", "persona", "model"].map(
    (name) => query.get(name) ?? undefined,
  );
  const matrix = useApi<VoteMatrix>(withQuery("votes/matrix", { by, kind, since, persona, model }));
  return (
    <>
      <h1>{t.run.votes}</h1>
      <div class="filters">
        <PlayerChoice />
        <KindChoice />
        <SinceChoice />
        {(persona ?? model) !== undefined && (
          <a href={hrefWith({ persona: undefined, model: undefined })}>{words.votes.everybody}</a>
        )}
      </div>
      <Shown of={matrix}>
        {({ cells }) =>
          cells.length === 0 ? (
            <Empty title={words.votes.empty} next={words.votes.emptyNext} to={[]} />
          ) : (
            <Matrix cells={cells} by={by ?? "persona"} />
          )
        }
      </Shown>
      <History filter={{ kind, since, persona, model }} isShown={matrix.loaded.value.state !== "loading"} />
    </>
  );
}

function Matrix({ cells, by }: { readonly cells: VoteMatrix["cells"]; readonly by: string }): VNode {
  const candidates = [...new Set(cells.map(({ candidate }) => candidate))].sort();
  const voters = [...new Set(cells.map(({ voter }) => voter))].sort();
  const of = (voter: string, candidate: string) =>
    cells.find((cell) => cell.voter === voter && cell.candidate === candidate);
  return (
    <>
      <p class="quiet">{words.votes.matrixHint}</p>
      <Table
        label={t.run.matrix}
        heads={[
          words.votes.voter,
          ...candidates.map((name) => <a href={hrefWith({ [by]: name })}>{name}</a>),
        ]}
        rows={voters.map((voter) => [
          <a href={hrefWith({ [by]: voter })}>{voter}</a>,
          ...candidates.map((candidate) => {
            const cell = of(voter, candidate);
            if (!cell) return <span class="quiet">–</span>;
            return (
              <span class={`heat depth-${Math.ceil(cell.share * 5)}`}>
                {formatPercent(cell.share)} <span class="quiet">({formatCount(cell.votes)})</span>
              </span>
            );
          }),
        ])}
      />
    </>
  );
}

type Filter = { readonly [name in "kind" | "since" | "persona" | "model"]: string | undefined };

type HistoryProps = { readonly filter: Filter; readonly isShown: boolean };

/** Each vote. It is loaded beside what stands above it, and shown once that stands there. */
function History({ filter, isShown }: HistoryProps): VNode | null {
  const pages = usePages<LabeledVote>((after) => withQuery("votes", { ...filter, limit: 50, after }));
  const { rows, failed, more } = pages;
  if (!isShown) return null;
  if (rows.value === undefined) return failed.value ? <Failure error={failed.value} again={more} /> : null;
  if (rows.value.length === 0) return null;
  return (
    <section>
      <h2>{words.votes.history}</h2>
      <Table
        label={words.votes.history}
        heads={[
          words.votes.when,
          words.votes.voter,
          words.votes.candidate,
          t.run.place,
          words.votes.position,
          t.run.remarks,
        ]}
        rows={rows.value.map(
          ({ deliberation, at, voter, candidate, rank, of, position, strengths, weaknesses }) => [
            <a href={hrefTo(["d", deliberation], { view: "reviews" })}>{formatAgo(at)}</a>,
            <span>
              {voter.persona} <span class="quiet">{voter.model}</span>
            </span>,
            <span>
              {candidate.persona} <span class="quiet">{candidate.model}</span>
            </span>,
            rank === null ? t.run.unreadable : words.votes.rank({ rank: formatCount(rank), n: of }),
            formatCount(position),
            <ul class="points">
              {strengths.map((text, index) => (
                <li key={index} dir="auto">{`+ ${text}`}</li>
              ))}
              {weaknesses.map((text, index) => (
                <li key={`w${index}`} dir="auto">{`− ${text}`}</li>
              ))}
            </ul>,
          ],
        )}
      />
      {failed.value && <Failure error={failed.value} again={more} />}
      <More pages={pages} />
    </section>
  );
}

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
            <Empty title={words.votes.empty} next={words.league.emptyNext} to={[]} />
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
  const name = kind === "all" ? t.knowledge.allKinds : wordFor(t.knowledge.kinds, kind);
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
          t.run.votes,
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
