import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { callOf, isEvent, isVoice, workOf, type Entry } from "../../kernel/index.ts";
import type { PanelSection } from "../../views/panel.ts";
import { spent } from "../../views/spending.ts";
import { useWhole, seqsOf, type ShownRun } from "../folds.ts";
import { formatMoney, formatPercent, formatRatio } from "../formats.ts";
import { fetchJson } from "../http.ts";
import { isolatedNamesOf } from "../parts/isolated-names.ts";
import { Refusal } from "../parts/refusal.tsx";
import { Empty } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import type { ContributionsReply } from "../replies.ts";
import { isServed } from "../served.ts";
import { t } from "../strings.ts";
import { panelIn } from "./view-reviews.tsx";

type NameOf = (id: string) => string;
const METHODS = ["leave-one-out", "shapley-vote", "shapley-standing", "text-overlap"] as const;
/** How often the chair is asked again with all drafts: what it changes by itself. */
const REPEATS = 2;

/** Who gave what to the answer: what the chair says, what was measured, and what stands beside the answer. */
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
  const claimed = section?.contributions.claimed ?? [];
  const problem = section?.contributions.problem ?? null;
  return (
    <>
      {claimed.length === 0 && problem === null && (
        <Empty title={t.run.contributionsEmpty} next={t.run.contributionsEmptyNext} />
      )}
      {section && <Claimed contributions={section.contributions} nameOf={nameOf} />}
      <h2>{t.run.measured}</h2>
      <p class="quiet">{t.run.measuredHint}</p>
      <Measurements
        weights={measured.value ? weightsIn(measured.value) : (section?.contributions.measured ?? [])}
        reply={measured.value}
        nameOf={nameOf}
      />
      {!isServed ? null : isClosed ? (
        <Measure shown={shown} measured={measured} />
      ) : (
        <p>{t.run.measureOpen}</p>
      )}
      {section && <Beside section={section} nameOf={nameOf} />}
    </>
  );
}

type ClaimedProps = { readonly contributions: PanelSection["contributions"]; readonly nameOf: NameOf };

/** What the chair says of itself. */
function Claimed({ contributions: { claimed, problem }, nameOf }: ClaimedProps): VNode | null {
  if (claimed.length === 0 && problem === null) return null;
  return (
    <section>
      <h2>{t.run.claimed}</h2>
      <p class="quiet">{t.run.claimedHint}</p>
      {problem !== null && (
        <p class="warning" role="note" dir="auto">
          {claimed.length === 0 ? t.run.claimedUnusable(problem) : t.run.claimedProblem(problem)}
        </p>
      )}
      {claimed.length > 0 && (
        <Table
          label={t.run.claimed}
          heads={[t.run.contributor, t.run.weight, t.run.reason]}
          figures={[1]}
          rows={claimed.map(({ id, weight, reason }) => [
            <span dir="auto">{nameOf(id)}</span>,
            formatRatio(weight),
            <span dir="auto">{reason}</span>,
          ])}
        />
      )}
    </section>
  );
}

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

type MeasurementsProps = {
  readonly weights: readonly Weight[];
  readonly reply: ContributionsReply | undefined;
  readonly nameOf: NameOf;
};

function Measurements({ weights, reply, nameOf }: MeasurementsProps): VNode {
  const ids = [...new Set(weights.map(({ id }) => id))];
  const cell = (id: string, method: string) => {
    const weight = weights.find((one) => one.id === id && one.method === method)?.weight;
    const isNoise =
      method === "leave-one-out" &&
      reply?.members.find((one) => one.id === id)?.leaveOneOut?.withinNoise === true;
    return weight === undefined ? (
      <span class="quiet">{t.run.notMeasured}</span>
    ) : (
      <>
        {formatRatio(weight)} {isNoise && <span class="quiet">{t.run.withinNoise}</span>}
      </>
    );
  };
  return (
    <>
      {ids.length === 0 ? (
        <p>{t.run.notMeasured}</p>
      ) : (
        <Table
          label={t.run.measured}
          heads={[t.run.contributor, ...METHODS.map((method) => t.run.methods[method])]}
          figures={[1, 2, 3, 4]}
          rows={ids.map((id) => [
            <span dir="auto">{nameOf(id)}</span>,
            ...METHODS.map((method) => cell(id, method)),
          ])}
        />
      )}
      {ids.length > 0 && (
        <dl class="facts">
          {METHODS.map((method) => (
            <div key={method}>
              <dt>{t.run.methods[method]}</dt>
              <dd class="quiet">{t.run.methodHints[method]}</dd>
            </div>
          ))}
        </dl>
      )}
      {reply && <Notes reply={reply} />}
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
      <p>{t.run.measureDone(t.calls(calls), formatMoney(calls === 0 ? 0 : cost.usd))}</p>
      <ul class="points">
        {METHODS.flatMap((method) => {
          const { why } = all[method];
          return why === null
            ? []
            : [
                <li key={method} dir="auto">
                  {t.run.methodWhy(t.run.methods[method] ?? method, why)}
                </li>,
              ];
        })}
        {leaveOneOut.noise !== null && <li>{t.run.noise(formatRatio(leaveOneOut.noise))}</li>}
        {overlap.unsupported !== null && <li>{t.run.unsupported(formatPercent(overlap.unsupported))}</li>}
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
  const asks = useSignal(false);
  const busy = useSignal(false);
  const failed = useSignal<Error | undefined>(undefined);
  const chairs = chairCalls(shown.run.entries);
  const measure = async (calls: boolean) => {
    busy.value = true;
    asks.value = false;
    failed.value = undefined;
    try {
      const path = `deliberations/${encodeURIComponent(shown.run.id)}/contributions`;
      const body = calls ? { calls, repeats: REPEATS } : { calls };
      measured.value = await fetchJson<ContributionsReply>(path, { method: "POST", body });
    } catch (error) {
      failed.value = error as Error; // fetchJson throws errors
    }
    busy.value = false;
  };
  return (
    <div>
      <p class="actions">
        <button type="button" disabled={busy.value} onClick={() => void measure(false)}>
          {busy.value ? t.run.measuring : t.run.measureFree}
        </button>
        {chairs !== undefined && !asks.value && (
          <button type="button" disabled={busy.value} onClick={() => (asks.value = true)}>
            {t.run.measureCalls}
          </button>
        )}
      </p>
      {chairs !== undefined && asks.value && (
        <div class="notice" role="alertdialog" aria-label={t.run.measureCalls}>
          <p>{t.run.measureAsk(t.calls(chairs.calls), formatMoney(chairs.usd))}</p>
          <button type="button" class="danger" onClick={() => void measure(true)}>
            {t.run.measureYes}
          </button>{" "}
          <button type="button" onClick={() => (asks.value = false)}>
            {t.cancel}
          </button>
        </div>
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

/** What stands beside the answer: dissent, points that only one made, and what was rejected. */
function Beside({
  section: { dissent, insights, vetoed },
  nameOf,
}: {
  readonly section: PanelSection;
  readonly nameOf: NameOf;
}): VNode {
  const groups = [
    [t.run.dissent, dissent],
    [t.run.insights, insights],
    [t.run.vetoed, vetoed.map(({ id, flaw }) => t.run.vetoedFlaw(nameOf(id), flaw))],
  ] as const;
  return (
    <>
      {groups.map(([title, texts]) => (
        <section key={title}>
          <h2>{title}</h2>
          {texts.length === 0 ? (
            <p class="quiet">{t.none}</p>
          ) : (
            <ul class="points">
              {texts.map((text, index) => (
                <li key={index} dir="auto">
                  {text}
                </li>
              ))}
            </ul>
          )}
        </section>
      ))}
    </>
  );
}
