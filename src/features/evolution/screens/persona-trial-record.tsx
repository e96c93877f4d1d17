import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { FamilyMember } from "../../../contract/library.ts";
import type { TrialSection } from "../protocol/trial/view.ts";
import {
  leastPairs,
  signBounds,
  signRatios,
  TRIAL_TEST,
  type SignTest,
} from "../../../stats/sequential-sign-test.ts";
import type { Result } from "../../../views/result.ts";
import { hrefTo } from "../../../web/address.ts";
import { formatCount, formatMoment, formatRatio } from "../../../web/formats.ts";
import { useApi } from "../../../web/loaded.ts";
import { Figure } from "../../../web/parts/elements.tsx";
import { Shown } from "../../../web/parts/states.tsx";
import { Table } from "../../../web/parts/table.tsx";
import { t } from "../../../web/strings.ts";
import { words } from "../words.ts";
import { pathFigure } from "./trial-path.ts";

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
        <h3>{words.trialOf(against, formatMoment(at))}</h3> <span dir="auto">{verdict}</span>
      </summary>
      {open.value && <Tests trial={trial} />}
      <p>
        <a href={hrefTo(["d", run])}>{words.record}</a>
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
                  title: words.pathTitle(words.against[against] ?? against),
                  axis: `${words.pathTitle(words.against[against] ?? against)}: ${words.pathAxis}`,
                  pairs: words.pathPairs,
                  upper: words.upper,
                  lower: words.lower,
                  number: (value) => formatRatio(value, Number.isInteger(value) ? 0 : 2),
                })}
              />
            ))}
            <Table
              label={words.trials}
              figures={[1, 2, 3]}
              heads={[words.rival, words.tally, words.evidence, words.bounds, words.decision]}
              rows={tests.map(({ against, wins, losses, ties, decision, path }) => [
                words.against[against] ?? against,
                [wins, losses, ties].map(formatCount).join("–"),
                formatRatio(signRatios(path, test).at(-1) ?? null),
                words.boundsOf(formatRatio(lower), formatRatio(upper)),
                <>
                  {words.decisions[decision] ?? decision}
                  {wins + losses < leastPairs(test) && (
                    <span class="quiet"> {words.fewPairs(wins + losses)}</span>
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
