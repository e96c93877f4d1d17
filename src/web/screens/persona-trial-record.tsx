import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { FamilyMember } from "../../contract/library.ts";
import type { TrialSection } from "../../protocols/trial/view.ts";
import {
  leastPairs,
  signBounds,
  signRatios,
  TRIAL_TEST,
  type SignTest,
} from "../../stats/sequential-sign-test.ts";
import type { Result } from "../../views/result.ts";
import { hrefTo } from "../address.ts";
import { formatCount, formatMoment, formatRatio } from "../formats.ts";
import { useApi } from "../loaded.ts";
import { Figure } from "../parts/elements.tsx";
import { Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { t } from "../strings.ts";
import { pathFigure } from "../trial-path.ts";

type RecordProps = { readonly trial: FamilyMember["trials"][number]; readonly isOpen: boolean };

/** One trial: its verdict, and, when it is opened, how each of its tests came to a decision. */
export function TrialRecord({ trial, isOpen }: RecordProps): VNode {
  const { run, at, against, verdict } = trial;
  const open = useSignal(isOpen);
  return (
    <details
      class="part"
      open={open.value}
      onToggle={({ currentTarget }) => (open.value = currentTarget.open)}
    >
      <summary>
        <h3>{t.personas.trialOf(against, formatMoment(at))}</h3> <span dir="auto">{verdict}</span>
      </summary>
      {open.value && <Tests trial={trial} />}
      <p>
        <a href={hrefTo(["d", run])}>{t.personas.record}</a>
      </p>
    </details>
  );
}

function Tests({ trial: { run, tests } }: Pick<RecordProps, "trial">): VNode {
  const result = useApi<Result>(`deliberations/${encodeURIComponent(run)}`);
  return (
    <Shown of={result}>
      {({ section, simulated }) => {
        const { alpha } = section as TrialSection; // of a trial's run
        const test: SignTest = { ...TRIAL_TEST, alpha };
        const { lower, upper } = signBounds(test);
        return (
          <>
            {simulated && <p class="quiet">{t.shell.simulated}</p>}
            {tests.map(({ against, path }) => (
              <Figure
                key={against}
                tree={pathFigure(path, test, {
                  title: t.personas.pathTitle(t.personas.against[against] ?? against),
                  axis: `${t.personas.pathTitle(t.personas.against[against] ?? against)}: ${t.personas.pathAxis}`,
                  pairs: t.personas.pathPairs,
                  upper: t.personas.upper,
                  lower: t.personas.lower,
                  number: (value) => formatRatio(value, Number.isInteger(value) ? 0 : 2),
                })}
              />
            ))}
            <Table
              label={t.personas.trials}
              figures={[1, 2, 3]}
              heads={[
                t.personas.rival,
                t.personas.tally,
                t.personas.evidence,
                t.personas.bounds,
                t.personas.decision,
              ]}
              rows={tests.map(({ against, wins, losses, ties, decision, path }) => [
                t.personas.against[against] ?? against,
                [wins, losses, ties].map(formatCount).join("–"),
                formatRatio(signRatios(path, test).at(-1) ?? null),
                t.personas.boundsOf(formatRatio(lower), formatRatio(upper)),
                <>
                  {t.personas.decisions[decision] ?? decision}
                  {wins + losses < leastPairs(test) && (
                    <span class="quiet"> {t.personas.fewPairs(wins + losses)}</span>
                  )}
                </>,
              ])}
            />
          </>
        );
      }}
    </Shown>
  );
}
