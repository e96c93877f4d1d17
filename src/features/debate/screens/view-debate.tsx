import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { workOf, type Entry } from "../../../kernel/index.ts";
import { debateRecord, isDebate } from "../protocol/debate/view/debated.ts";
import type { DebateRecord, DebateRound } from "../protocol/debate/view/record.ts";
import type { ShownRun } from "../../../web/run.ts";
import { useWhole } from "../../../web/folds.ts";
import { formatCount, formatMoney } from "../../../web/formats.ts";
import { isolatedNamesOf } from "../../../web/parts/isolated-names.ts";
import { Figure, Markdown, Points } from "../../../web/parts/elements.tsx";
import { Empty } from "../../../web/parts/states.tsx";
import { Table } from "../../../web/parts/table.tsx";
import { Folded, useOpen } from "../../../web/parts/folded.tsx";
import { lineChart } from "../../../web/parts/line-chart.ts";
import { t } from "../../../web/strings.ts";
import { words } from "../words/index.ts";
import { Summary, tookOf } from "./debate-summary.tsx";

type NameOf = (id: string) => string;

/** A debate round by round: what the judge came to, then who proposed, criticized and refined what; the newest round is open. */
export function Rounds({ shown }: { readonly shown: ShownRun }): VNode {
  const { entries } = shown;
  const record = useComputed(() => (isDebate(entries.value) ? debateRecord(entries.value) : undefined));
  const debate = record.value;
  if (!debate || (debate.rounds.length === 0 && debate.clarifications.length === 0))
    return <Empty title={words.noRounds} next={words.noRoundsNext} />;
  const people = debate.judge ? [...debate.agents, debate.judge] : debate.agents;
  const nameOf = isolatedNamesOf(people);
  return (
    <>
      <WholeTexts shown={shown} round={undefined} />
      <Assessment debate={debate} nameOf={nameOf} />
      <RoundFigures debate={debate} />
      <Requirements debate={debate} />
      <Clarifications debate={debate} nameOf={nameOf} />
      {debate.rounds.map((round, index) => (
        <Round
          key={round.round}
          {...{ round, debate, nameOf, shown }}
          isNewest={index === debate.rounds.length - 1}
        />
      ))}
      {debate.judgeSummary && (
        <Summary summary={debate.judgeSummary} round={undefined} {...{ debate, nameOf, shown }} />
      )}
    </>
  );
}

type PartProps = { readonly debate: DebateRecord; readonly nameOf: NameOf };

/** What the judge says of its own solution. */
function Assessment({ debate: { synthesis }, nameOf }: PartProps): VNode | null {
  if (!synthesis) return null;
  const { confidence, capped } = synthesis;
  const lists = (
    ["unfulfilledMajorRequirements", "tradeoffs", "recommendations", "openQuestions"] as const
  ).filter((name) => synthesis[name].length > 0);
  return (
    <section>
      <h2>{words.assessment}</h2>
      <p>
        {words.confidence({
          name: nameOf(synthesis.by),
          value: confidence === null ? t.unknown : formatCount(confidence),
        })}
        {capped && (
          <span class="quiet" dir="auto">
            {" "}
            {words.capped({ said: formatCount(capped.said), why: capped.why })}
          </span>
        )}
      </p>
      {lists.map((name) => (
        <div key={name}>
          <h3>{words.lists[name]}</h3>
          <Points texts={synthesis[name]} level={4} />
        </div>
      ))}
    </section>
  );
}

const countOrUnknown = (figure: number | null): string => (figure === null ? t.unknown : formatCount(figure));

/** Confidence over the rounds, and what each round took. */
function RoundFigures({ debate: { rounds, outside } }: { readonly debate: DebateRecord }): VNode | null {
  if (rounds.length === 0) return null;
  const judged = rounds.filter(({ confidence }) => confidence !== null);
  const spent = ({ calls, tokens, usd }: DebateRecord["outside"]) => [
    countOrUnknown(calls),
    countOrUnknown(tokens),
    formatMoney(usd),
  ];
  return (
    <section>
      <h2>{words.figures}</h2>
      {judged.length > 1 && (
        <Figure
          tree={lineChart({
            title: words.confidenceChart,
            labels: rounds.map(({ round }) => String(round)),
            lines: [{ name: t.run.work.confidence, values: rounds.map(({ confidence }) => confidence) }],
            ticks: [0, 25, 50, 75, 100],
          })}
        />
      )}
      <Table
        label={words.figures}
        heads={[words.roundHead, t.run.work.confidence, t.run.callsHead, t.compare.tokens, t.run.cost]}
        figures={[1, 2, 3, 4]}
        rows={[
          ...rounds.map((one) => [
            words.round(formatCount(one.round)),
            one.confidence === null ? words.notAsked : formatCount(one.confidence),
            ...spent(one),
          ]),
          [words.outside, "", ...spent(outside)],
        ]}
      />
    </section>
  );
}

function Requirements({ debate: { requirements } }: { readonly debate: DebateRecord }): VNode | null {
  if (!requirements || requirements.major.length + requirements.minor.length === 0) return null;
  return (
    <details class="part">
      <summary>
        <h2>{t.run.work.requirements}</h2>
      </summary>
      {(["major", "minor"] as const).map(
        (kind) =>
          requirements[kind].length > 0 && (
            <div key={kind}>
              <h3>{kind === "major" ? words.major : words.minor}</h3>
              <Points texts={requirements[kind]} />
            </div>
          ),
      )}
    </details>
  );
}

/** What the agents asked before they began, and what was answered. */
function Clarifications({ debate: { clarifications }, nameOf }: PartProps): VNode | null {
  if (clarifications.length === 0) return null;
  return (
    <section>
      <h2>{words.clarifications}</h2>
      <dl class="asked">
        {clarifications.map(({ by, id, question, answer }) => (
          <div key={`${by} ${id}`}>
            <dt dir="auto">
              <strong>{nameOf(by)}</strong>: {question}
            </dt>
            <dd dir="auto">
              {answer === null ? (
                <span class="quiet">{t.run.noAnswerEnded}</span>
              ) : (
                <Markdown text={answer} level={4} />
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

type RoundProps = PartProps & {
  readonly round: DebateRound;
  readonly shown: ShownRun;
  readonly isNewest: boolean;
};

function Round({ round, debate, nameOf, shown, isNewest }: RoundProps): VNode {
  const { isOpen, chosen } = useOpen(isNewest);
  const agents = debate.agents.filter(({ id }) => saidIn(round).some(({ by }) => by === id));
  return (
    <details
      class="part round"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        if (open !== isOpen) chosen.value = open;
      }}
    >
      <summary>
        <h2>{words.round(formatCount(round.round))}</h2>{" "}
        {!round.closed && <span class="quiet">{words.notClosed}</span>}
      </summary>
      {isOpen && (
        <>
          <WholeTexts shown={shown} round={round.round} />
          <div class="columns">
            {agents.map((agent) => (
              <AgentColumn key={agent.id} {...{ agent, round, debate, nameOf, shown, isNewest }} />
            ))}
          </div>
          {round.confidence !== null && (
            <section class="after-round">
              <h3>{words.confidenceAfter(formatCount(round.confidence))}</h3>
              {round.confidenceReason !== null && <Markdown text={round.confidenceReason} level={4} />}
            </section>
          )}
        </>
      )}
    </details>
  );
}

const saidIn = ({ proposals, critiques, refinements, tools, summaries }: DebateRound) => [
  ...[...proposals, ...critiques, ...refinements, ...tools].map(({ by }) => ({ by })),
  ...summaries.map((one) => ({ by: one.for })),
];

type WholeProps = { readonly shown: ShownRun; readonly round: number | undefined };

/** The texts of a round, whole, once it is open; of no round, those before and after all of them. */
function WholeTexts({ shown, round }: WholeProps): null {
  useWhole(shown.run, seqsOf(shown.entries.value, round));
  return null;
}

/** The events of a round; of no round, those before and after all of them. */
const seqsOf = (entries: readonly Entry[], round: number | undefined): readonly number[] =>
  entries.filter((entry) => workOf(entry)?.round === round).map(({ seq }) => seq);

type ColumnProps = {
  readonly agent: DebateRecord["agents"][number];
  readonly round: DebateRound;
  readonly debate: DebateRecord;
  readonly shown: ShownRun;
  readonly nameOf: NameOf;
  readonly isNewest: boolean;
};

/** What one agent proposed, what others found wrong with it, and what it made of that. */
function AgentColumn({ agent, round, debate, nameOf, shown, isNewest }: ColumnProps): VNode {
  const { id, role, model } = agent;
  const own = <T extends { readonly by: string }>(all: readonly T[]) => all.filter(({ by }) => by === id);
  const refinements = own(round.refinements);
  return (
    <section class="column" aria-label={nameOf(id)}>
      <header>
        <h3 dir="auto">{nameOf(id)}</h3>
        <p class="quiet">{[role ?? "", model ?? t.unknown].filter(Boolean).join(" · ")}</p>
      </header>
      {round.summaries
        .filter((one) => one.for === id)
        .map((one, index) => (
          <Summary key={index} summary={one} round={round.round} {...{ debate, nameOf, shown }} />
        ))}
      {own(round.proposals).map((one, index) =>
        one.carried ? (
          <p key={index} class="quiet">
            {words.carried}
          </p>
        ) : (
          <Said
            key={index}
            said={one}
            heading={t.run.work.proposal}
            isOpen={isNewest && refinements.length === 0}
          />
        ),
      )}
      {own(round.tools).map((call, index) => (
        <ToolCall key={index} call={call} />
      ))}
      {round.critiques
        .filter(({ of }) => of === id)
        .map((one, index) => (
          <Said key={index} said={one} heading={words.critiqueBy(nameOf(one.by))} isOpen={false} />
        ))}
      {refinements.map((one, index) => (
        <Said key={index} said={one} heading={t.run.work.refinement} isOpen={isNewest} />
      ))}
    </section>
  );
}

type SaidProps = {
  readonly said: DebateRound["critiques"][number] | DebateRound["refinements"][number];
  readonly heading: string;
  readonly isOpen: boolean;
};

const Said = ({ said, heading, isOpen }: SaidProps): VNode => (
  <Folded heading={heading} facts={tookOf(said)} isOpen={isOpen}>
    {() => (
      <>
        {"coverage" in said && said.coverage === false && <p class="warning">{words.noCoverage}</p>}
        <Markdown text={said.text} level={4} scrolls />
      </>
    )}
  </Folded>
);

const ToolCall = ({ call }: { readonly call: DebateRound["tools"][number] }): VNode => (
  <Folded heading={words.tool(call.tool)}>
    {() => (
      <>
        <p class="quiet">{words.toolGiven}</p>
        <pre>
          <code>{call.arguments}</code>
        </pre>
        <p class="quiet">{call.result === null ? words.toolNothing : words.toolResult}</p>
        {call.result !== null && (
          <pre>
            <code>{call.result}</code>
          </pre>
        )}
      </>
    )}
  </Folded>
);
