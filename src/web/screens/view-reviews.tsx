import type { VNode } from "preact";
import type { PanelSection } from "../../views/panel.ts";
import type { Result } from "../../views/result.ts";
import type { ShownRun } from "../run.ts";
import { useWhole, seqsOf } from "../folds.ts";
import { formatCount, formatRatio } from "../formats.ts";
import { Points } from "../parts/elements.tsx";
import { isolatedNamesOf } from "../parts/isolated-names.ts";
import { Interval } from "../parts/interval.tsx";
import { Empty } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { reviewMatrix, type ShownReview, type ReviewMatrix } from "../review-matrix.ts";
import { t } from "../strings.ts";

type NameOf = (id: string) => string;

/** Who ranked whom, what came of it, and what reviewers remarked. */
export function Reviews({ shown }: { readonly shown: ShownRun }): VNode | null {
  useWhole(
    shown.run,
    seqsOf(shown.entries.value, ({ type }) => type === "review-given"),
  );
  const result = shown.result.value;
  if (!result) return null;
  const matrix = reviewMatrix(shown.entries.value);
  const nameOf = isolatedNamesOf(result.participants);
  const section = panelIn(result);
  if (matrix.reviews.length === 0 && matrix.missing.length === 0 && !section?.standing.length)
    return <Empty title={t.run.reviewsEmpty} next={t.run.reviewsEmptyNext} />;
  return (
    <>
      {section && section.standing.length > 0 && <Standing section={section} nameOf={nameOf} />}
      {matrix.reviews.length > 0 && <Matrix matrix={matrix} nameOf={nameOf} />}
      <Missing matrix={matrix} nameOf={nameOf} />
      {section && section.votes.length > 0 && <Votes section={section} nameOf={nameOf} />}
      {matrix.reviews.length > 0 && <h2>{t.run.remarks}</h2>}
      {matrix.reviews.map((review) => (
        <Remarks key={review.step} review={review} nameOf={nameOf} />
      ))}
    </>
  );
}

/** The section of a protocol with a panel. */
export function panelIn({ section }: Pick<Result, "section">): PanelSection | undefined {
  const panel = section as PanelSection | null; // of protocols with a panel; checked by its own field
  return panel !== null && Array.isArray(panel.standing) && "contributions" in panel ? panel : undefined;
}

/** The peer ranking, with its uncertainty. */
function Standing({ section, nameOf }: { readonly section: PanelSection; readonly nameOf: NameOf }): VNode {
  const { standing, agreement, effectiveVotes, tieBreak } = section;
  const hasTies = standing.some(({ tiedWith }) => tiedWith.length > 0);
  const hasIntervals = standing.some(({ low }) => low !== null);
  const votes = effectiveVotes === null ? t.unknown : formatRatio(effectiveVotes, 1);
  return (
    <section>
      <h2>{t.run.standing}</h2>
      <Table
        label={t.run.standing}
        heads={[
          t.run.place,
          t.run.contributor,
          t.run.peerScore,
          <span class="hidden">{t.run.interval}</span>,
          t.run.interval,
          ...(hasTies ? [t.run.tied] : []),
        ]}
        figures={[2]}
        rows={standing.map(({ id, place, score, low, high, tiedWith }) => [
          score === null ? t.unknown : formatCount(place),
          <span dir="auto">{nameOf(id)}</span>,
          formatRatio(score),
          <Interval value={score} low={low} high={high} from={0} to={1} />,
          low === null || high === null ? (
            <span class="quiet">{t.run.noInterval}</span>
          ) : (
            `${formatRatio(low)} … ${formatRatio(high)}`
          ),
          ...(hasTies ? [tiedWith.map(nameOf).join(", ")] : []),
        ])}
      />
      <p class="quiet">
        {t.run.peerScoreHint}. {!hasIntervals && t.run.fewRankings}
      </p>
      <p>
        {t.run.agreement(formatRatio(agreement))} · {t.run.effectiveVotesShort(votes)}
      </p>
      <p class="quiet">{t.run.agreementHint}</p>
      {tieBreak && (
        <p>
          {tieBreak.chosen === null
            ? t.run.tieNotBroken(nameOf(tieBreak.by))
            : t.run.tieBroken({ by: nameOf(tieBreak.by), chosen: nameOf(tieBreak.chosen) })}
        </p>
      )}
    </section>
  );
}

type MatrixProps = { readonly matrix: ReviewMatrix; readonly nameOf: NameOf };

function Matrix({ matrix: { authors, reviews }, nameOf }: MatrixProps): VNode {
  return (
    <section>
      <h2>{t.run.matrix}</h2>
      <p class="quiet">{t.run.matrixHint}</p>
      <Table
        label={t.run.matrix}
        heads={[t.run.reviewer, ...authors.map((id) => <span dir="auto">{nameOf(id)}</span>)]}
        rows={reviews.map((review) => [
          <span dir="auto">{reviewerName(review, nameOf)}</span>,
          ...authors.map((author) => <Cell review={review} author={author} />),
        ])}
      />
    </section>
  );
}

function Cell({ review, author }: { readonly review: ShownReview; readonly author: string }): VNode {
  const cell = review.cells.get(author);
  if (!cell) return <span class="quiet">{author === review.by ? t.run.ownDraft : t.run.notShown}</span>;
  const { rank, position } = cell;
  return (
    <>
      {rank === null ? (
        <span class="quiet">{review.unreadable === null ? t.run.rankMissing : t.run.unreadable}</span>
      ) : (
        <span class={rank === 1 ? "first" : undefined}>{formatCount(rank)}</span>
      )}{" "}
      <span class="quiet">{t.run.positionShown(formatCount(position))}</span>
    </>
  );
}

const reviewerName = ({ by, round, isTieBreak }: ShownReview, nameOf: NameOf): string =>
  isTieBreak
    ? t.run.reviewerTieBreak(nameOf(by))
    : round === null
      ? nameOf(by)
      : t.run.reviewerRound({ name: nameOf(by), round: formatCount(round) });

/** What could not be read, and who did not review. */
function Missing({ matrix: { reviews, missing }, nameOf }: MatrixProps): VNode | null {
  const lines = [
    ...reviews.flatMap(({ by, unreadable }) =>
      unreadable === null ? [] : [t.run.rankingUnreadable({ name: nameOf(by), why: unreadable })],
    ),
    ...missing.map(({ id, why }) => t.run.reviewMissing({ name: nameOf(id), why })),
  ];
  if (lines.length === 0) return null;
  return <Points texts={lines} />;
}

function Votes({
  section: { votes },
  nameOf,
}: {
  readonly section: PanelSection;
  readonly nameOf: NameOf;
}): VNode {
  const names = (ids: readonly string[]) => (ids.length === 0 ? t.run.nobody : ids.map(nameOf).join(", "));
  return (
    <section>
      <h2>{t.run.votes}</h2>
      <Table
        label={t.run.votes}
        heads={[t.run.final, t.run.firstVotes, t.run.lastVotes]}
        rows={votes.map(({ answer, first, last }) => [
          <span dir="auto">{answer}</span>,
          names(first),
          names(last),
        ])}
      />
    </section>
  );
}

function Remarks({ review, nameOf }: { readonly review: ShownReview; readonly nameOf: NameOf }): VNode {
  const { remarks } = review;
  return (
    <details>
      <summary>
        <h3 dir="auto">{t.run.remarksBy(reviewerName(review, nameOf))}</h3>
      </summary>
      {remarks.length === 0 && <p class="quiet">{t.run.noRemarks}</p>}
      {remarks.map(({ of, strengths, weaknesses }) => (
        <section key={of} class="part">
          <h4 dir="auto">{nameOf(of)}</h4>
          <TitledPoints title={t.run.strengths} texts={strengths} />
          <TitledPoints title={t.run.weaknesses} texts={weaknesses} />
        </section>
      ))}
    </details>
  );
}

const TitledPoints = ({
  title,
  texts,
}: {
  readonly title: string;
  readonly texts: readonly string[];
}): VNode | null =>
  texts.length === 0 ? null : (
    <>
      <p class="quiet">{title}</p>
      <Points texts={texts} />
    </>
  );
