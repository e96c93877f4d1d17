import type { VNode } from "preact";
import type { ShownRun } from "../../../web/run.ts";
import { seqsOf, useWhole } from "../../../web/folds.ts";
import { formatCount, formatMoney } from "../../../web/formats.ts";
import { isolatedNamesOf } from "../../../web/parts/isolated-names.ts";
import { Table } from "../../../web/parts/table.tsx";
import { nameOfStage } from "../../../web/screens/event-rows.ts";
import { t } from "../../../web/strings.ts";
import type { AskSection } from "../protocol/view.ts";
import { words } from "../words/index.ts";

const sectionIn = ({ result }: ShownRun): Partial<AskSection> => result.value?.section ?? {}; // of its own runs, once they are folded by its view

/** How far a run went, why, and what each step of it took. */
export function Ladder({ shown }: { readonly shown: ShownRun }): VNode | null {
  const { ladder = [] } = sectionIn(shown);
  useWhole(
    shown.run,
    seqsOf(shown.entries.value, ({ type }) => type === "rung-decided"),
  );
  if (!Array.isArray(ladder) || ladder.length === 0) return null;
  return (
    <section class="ladder">
      <h3>{words.ladder}</h3>
      <Table
        label={words.ladder}
        heads={[
          t.run.step,
          words.stepReason,
          t.run.callsHead,
          t.run.tokensIn,
          t.run.tokensOutHead,
          t.run.cost,
        ]}
        figures={[2, 3, 4, 5]}
        rows={ladder.map(({ rung, reason, calls, tokens, usd }) => [
          nameOfStage(rung),
          <span dir="auto">{reason ?? ""}</span>,
          formatCount(calls),
          formatCount(tokens.in),
          formatCount(tokens.out),
          formatMoney(usd),
        ])}
      />
    </section>
  );
}

type Comparing = NonNullable<AskSection["comparison"]>;

/** What the drafts agree on, contradict each other in, and say alone. */
export function Comparison({ shown }: { readonly shown: ShownRun }): VNode | null {
  useWhole(
    shown.run,
    seqsOf(shown.entries.value, ({ type }) => type === "comparison-given"),
  );
  const { comparison } = sectionIn(shown);
  if (!comparison || !shown.result.value) return null;
  const nameOf = isolatedNamesOf(shown.result.value.participants);
  const { agreements, contradictions, unique } = comparison;
  return (
    <section>
      <h2>{words.comparison}</h2>
      <Claims title={words.agreements} claims={agreements} nameOf={nameOf} />
      {contradictions.length > 0 && <h3>{words.contradictions}</h3>}
      {contradictions.map(({ topic, stances }) => (
        <div key={topic}>
          <p dir="auto">{topic}</p>
          <Claims claims={stances} nameOf={nameOf} />
        </div>
      ))}
      <Claims title={words.uniqueClaims} claims={unique} nameOf={nameOf} />
    </section>
  );
}

type ClaimsProps = {
  readonly title?: string;
  readonly claims: Comparing["agreements"];
  readonly nameOf: (id: string) => string;
};

const Claims = ({ title, claims, nameOf }: ClaimsProps): VNode | null =>
  claims.length === 0 ? null : (
    <>
      {title !== undefined && <h3>{title}</h3>}
      <ul class="points">
        {claims.map(({ claim, members }, index) => (
          <li key={index} dir="auto">
            {claim} <span class="quiet">{words.saidBy(members.map(nameOf).join(", "))}</span>
          </li>
        ))}
      </ul>
    </>
  );
