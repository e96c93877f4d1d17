import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { Contributions as ContributionsReply } from "../contract.ts";
import { callOf, isEvent, isVoice, workOf, type Entry } from "../../../kernel/index.ts";
import type { PanelSection } from "../../../views/panel.ts";
import { spent } from "../../../views/spending.ts";
import type { ShownRun } from "../../../web/run.ts";
import { useWhole, seqsOf } from "../../../web/folds.ts";
import { formatCount, formatMoney, formatPercent, formatRatio } from "../../../web/formats.ts";
import { fetchJson } from "../../../web/http.ts";
import { isolatedNamesOf } from "../../../web/parts/isolated-names.ts";
import { Confirm } from "../../../web/parts/confirm.tsx";
import { Empty, Refusal } from "../../../web/parts/states.tsx";
import { Table } from "../../../web/parts/table.tsx";
import { isServed } from "../../../web/served.ts";
import { t, wordFor } from "../../../web/strings.ts";
import { words } from "../words/index.ts";
import { panelIn } from "../../../web/screens/view-reviews.tsx";

type NameOf = (id: string) => string;
const METHODS = ["leave-one-out", "shapley-vote", "shapley-standing", "text-overlap"] as const;
/** How often the chair is asked again with all drafts: what it changes by itself. */
const REPEATS = 2;

/** Who gave what to the answer: what the chair says, and beside it what was measured. */
export function Contributions({ shown }: { readonly shown: ShownRun }): VNode | null {
  const measured = useSignal<ContributionsReply | undefined>(undefined);
  useWhole(
    shown.run,
    seqsOf(shown.entries.value, ({ type }) => type === "synthesis-given"),
  );
  const result = shown.result.value;
  if (!result) return null;
  const nameOf = isolatedNamesOf(result.participants);
  const section = panelIn(result);
  const isClosed = shown.run.entries.some(({ type }) => type === "deliberation-closed");
  const { claimed = [], problem = null, measured: recorded = [] } = section?.contributions ?? {};
  const weights = measured.value ? weightsIn(measured.value) : recorded;
  return (
    <>
      {problem !== null && (
        <p class="warning" role="note" dir="auto">
          {claimed.length === 0 ? words.claimedUnusable(problem) : words.claimedProblem(problem)}
        </p>
      )}
      {claimed.length === 0 && weights.length === 0 ? (
        problem === null && <Empty title={words.empty} next={words.emptyNext} />
      ) : (
        <Shares claimed={claimed} weights={weights} reply={measured.value} nameOf={nameOf} />
      )}
      {measured.value && <Notes reply={measured.value} />}
      {!isServed ? null : isClosed ? (
        <Measure shown={shown} measured={measured} />
      ) : (
        <p>{words.measureOpen}</p>
      )}
    </>
  );
}

type Claim = PanelSection["contributions"]["claimed"][number];
type Weight = PanelSection["contributions"]["measured"][number];

/** The weights of a measurement, as the journal has them. */
const weightsIn = ({ members }: ContributionsReply): readonly Weight[] =>
  members.flatMap(({ id, leaveOneOut, vote, standing, overlap }) => {
    const weights = {
      "leave-one-out": leaveOneOut?.weight ?? null,
      ...{ "shapley-vote": vote, "shapley-standing": standing, "text-overlap": overlap },
    };
    return METHODS.flatMap((method) => {
      const weight = weights[method];
      return weight === null ? [] : [{ id, weight, method }];
    });
  });

type SharesProps = {
  readonly claimed: readonly Claim[];
  readonly weights: readonly Weight[];
  readonly reply: ContributionsReply | undefined;
  readonly nameOf: NameOf;
};

/** What the chair says of each member, and beside it what was measured. */
function Shares({ claimed, weights, reply, nameOf }: SharesProps): VNode {
  const methods = METHODS.filter((method) => weights.some((one) => one.method === method));
  const ids = [...new Set([...claimed, ...weights].map(({ id }) => id))];
  const weighed = (id: string, method: string) => {
    const weight = weights.find((one) => one.id === id && one.method === method)?.weight;
    const isNoise =
      method === "leave-one-out" &&
      reply?.members.find((one) => one.id === id)?.leaveOneOut?.withinNoise === true;
    if (weight === undefined) return <span class="quiet">{words.notMeasured}</span>;
    return (
      <>
        {formatRatio(weight)} {isNoise && <span class="quiet">{words.withinNoise}</span>}
      </>
    );
  };
  const claimOf = (id: string) => claimed.find((one) => one.id === id);
  return (
    <>
      <p class="quiet">
        {words.claimedHint} {methods.length > 0 && words.measuredHint}
      </p>
      <Table
        label={words.title}
        heads={[
          ...[t.run.contributor, words.claimed],
          ...(methods.length === 0 ? [words.measured] : methods.map((method) => words.methods[method])),
          words.reason,
        ]}
        figures={[1, ...(methods.length === 0 ? [2] : methods.map((_, index) => index + 2))]}
        rows={ids.map((id) => [
          <span dir="auto">{nameOf(id)}</span>,
          claimOf(id) ? formatRatio(claimOf(id)?.weight ?? null) : <span class="quiet">{t.none}</span>,
          ...(methods.length === 0
            ? [<span class="quiet">{words.notMeasured}</span>]
            : methods.map((method) => weighed(id, method))),
          <span dir="auto">{claimOf(id)?.reason ?? ""}</span>,
        ])}
      />
      {methods.length > 0 && (
        <dl class="facts">
          {methods.map((method) => (
            <div key={method}>
              <dt>{words.methods[method]}</dt>
              <dd class="quiet">{words.methodHints[method]}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** Why methods measured nothing, and how far to trust those that did. */
function Notes({ reply }: { readonly reply: ContributionsReply }): VNode {
  const { leaveOneOut, vote, standing, overlap, calls, cost } = reply;
  const all = {
    "leave-one-out": leaveOneOut,
    ...{ "shapley-vote": vote, "shapley-standing": standing, "text-overlap": overlap },
  };
  return (
    <div role="status">
      <p>{words.measureDone({ calls: t.calls(calls), usd: formatMoney(calls === 0 ? 0 : cost.usd) })}</p>
      <ul class="points">
        {METHODS.flatMap((method) => {
          const { why } = all[method];
          return why === null
            ? []
            : [
                <li key={method} dir="auto">
                  {words.methodWhy({ method: wordFor(words.methods, method), why })}
                </li>,
              ];
        })}
        {leaveOneOut.noise !== null && leaveOneOut.chance !== null && (
          <li>
            {words[leaveOneOut.chance > 0.05 ? "noiseWide" : "noise"]({
              value: formatRatio(leaveOneOut.noise),
              draws: formatCount(Math.round(1 / leaveOneOut.chance)),
            })}
          </li>
        )}
        {overlap.unsupported !== null && <li>{words.unsupported(formatPercent(overlap.unsupported))}</li>}
      </ul>
    </div>
  );
}

type MeasureProps = {
  readonly shown: ShownRun;
  readonly measured: { value: ContributionsReply | undefined };
};

/** Measures what costs nothing at once, and what costs calls after saying how many. */
function Measure({ shown, measured }: MeasureProps): VNode {
  const busy = useSignal(false);
  const failed = useSignal<Error | undefined>(undefined);
  const chairs = chairCalls(shown.run.entries);
  const measure = async (calls: boolean) => {
    busy.value = true;
    try {
      const path = `deliberations/${encodeURIComponent(shown.run.id)}/contributions`;
      const body = calls ? { calls, repeats: REPEATS } : { calls };
      measured.value = await fetchJson<ContributionsReply>(path, { method: "POST", body });
    } finally {
      busy.value = false;
    }
  };
  const measureFree = () => {
    failed.value = undefined;
    measure(false).catch((error: unknown) => (failed.value = error as Error)); // fetchJson throws errors
  };
  return (
    <div>
      <p class="actions">
        <button type="button" disabled={busy.value} onClick={measureFree}>
          {busy.value ? words.measuring : words.measureFree}
        </button>
      </p>
      {chairs !== undefined && (
        <Confirm
          label={words.measureCalls}
          ask={words.measureAsk({ calls: t.calls(chairs.calls), usd: formatMoney(chairs.usd) })}
          yes={words.measureYes}
          isDanger
          act={() => measure(true)}
        />
      )}
      {failed.value && <Refusal error={failed.value} />}
    </div>
  );
}

/** About how many calls of the chair it takes to leave each member out once; undefined where no chair wrote the answer. */
function chairCalls(
  entries: readonly Entry[],
): { readonly calls: number; readonly usd: number | null } | undefined {
  const own = entries.flatMap((entry) => {
    const call = entry.origin.by === "reactor" ? undefined : callOf(entry);
    return call && isEvent(entry, "synthesis-given") && workOf(entry)?.kind === "synthesis" ? [call] : [];
  });
  const last = own.at(-1);
  if (!last) return undefined;
  const drafted = new Set(
    entries.flatMap((entry) => (isEvent(entry, "answer-given") ? [entry.data.by as string] : [])),
  );
  const opening = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  const members = opening?.participants.filter((one) => isVoice(one) && drafted.has(one.id)).length ?? 0;
  const calls = members + REPEATS;
  const { usd } = spent([last]).cost;
  return { calls, usd: usd === null ? null : usd * calls };
}
