import type { VNode } from "preact";
import type { FamilyMember, PersonaEntry, PersonaFamily, PersonaChanged } from "../../../contract/library.ts";
import { hrefTo } from "../../../web/address.ts";
import { formatCount, formatMoment, formatRatio } from "../../../web/formats.ts";
import { useApi } from "../../../web/loaded.ts";
import { Shown } from "../../../web/parts/states.tsx";
import { Table } from "../../../web/parts/table.tsx";
import { words } from "../words/index.ts";
import { useSignal } from "@preact/signals";
import { fetchJson } from "../../../web/http.ts";
import { Confirm } from "../../../web/parts/confirm.tsx";
import type { TrialSection } from "../protocol/trial/view.ts";
import {
  leastPairs,
  signBounds,
  signRatios,
  TRIAL_TEST,
  type SignTest,
} from "../../../stats/sequential-sign-test.ts";
import type { Result } from "../../../views/result.ts";
import { Figure } from "../../../web/parts/elements.tsx";
import { t, wordFor } from "../../../web/strings.ts";
import { pathFigure } from "./trial.ts";

type LineageProps = { readonly persona: PersonaEntry; readonly again: () => void };

/** Whom a persona comes from and who comes from it, its trials, and what was decided and can be. */
export function Lineage({ persona: own, again }: LineageProps): VNode {
  const { id } = own;
  const family = useApi<PersonaFamily>(`personas/${encodeURIComponent(id)}/lineage`);
  const reload = () => {
    again();
    family.again();
  };
  return (
    <Shown of={family}>
      {({ persona, ancestors, descendants }) => (
        <>
          <h2>{words.comesFrom}</h2>
          {persona.parents.length === 0 ? (
            <p class="quiet">{words.comesFromNobody}</p>
          ) : (
            <Ancestors ids={persona.parents} known={ancestors} seen={[id]} />
          )}
          <h2>{words.bredFrom}</h2>
          {descendants.length === 0 ? (
            <p class="quiet">{words.bredFromNone}</p>
          ) : (
            <Descendants of={id} known={descendants} seen={[id]} />
          )}
          <h2>{words.trials}</h2>
          {persona.trials.length === 0 && (
            <p class="quiet">{persona.parents.length > 0 ? words.noTrials : words.noTrialNeeded}</p>
          )}
          {persona.trials.map((trial) => (
            <TrialRecord key={trial.run} trial={trial} isOpen={trial === persona.trials.at(-1)} />
          ))}
          {persona.live && (
            <p>
              {words.live}:{" "}
              {[persona.live.wins, persona.live.losses, persona.live.ties].map(formatCount).join("–")}{" "}
              <span class="quiet">({words.tally})</span>
            </p>
          )}
          <Versions persona={persona} />
          <Decisions persona={own} again={reload} />
        </>
      )}
    </Shown>
  );
}

type TreeProps = { readonly known: readonly FamilyMember[]; readonly seen: readonly string[] };

/** Parents, each with its own; one that comes from itself is shown once. */
function Ancestors({ ids, known, seen }: TreeProps & { readonly ids: readonly string[] }): VNode {
  return (
    <ul class="tree">
      {ids.map((id) => {
        const member = known.find((one) => one.id === id);
        const more = seen.includes(id) ? [] : (member?.parents ?? []);
        return (
          <li key={id}>
            <Member id={id} member={member} />
            {more.length > 0 && <Ancestors ids={more} known={known} seen={[...seen, id]} />}
          </li>
        );
      })}
    </ul>
  );
}

function Descendants({ of, known, seen }: TreeProps & { readonly of: string }): VNode | null {
  const children = known.filter(({ id, parents }) => parents.includes(of) && !seen.includes(id));
  if (children.length === 0) return null;
  return (
    <ul class="tree">
      {children.map((child) => (
        <li key={child.id}>
          <Member id={child.id} member={child} />
          <Descendants of={child.id} known={known} seen={[...seen, child.id]} />
        </li>
      ))}
    </ul>
  );
}

const Member = ({
  id,
  member,
}: {
  readonly id: string;
  readonly member: FamilyMember | undefined;
}): VNode => {
  const status = member?.status ?? "missing";
  const last = member?.trials.at(-1);
  return (
    <>
      {status === "missing" ? (
        <span dir="auto">{id}</span>
      ) : (
        <a href={hrefTo(["personas", id], { view: "lineage" })} dir="auto">
          {member?.name ?? id}
        </a>
      )}{" "}
      <span class="quiet">
        {status !== "own" && wordFor(words.states, status)}
        {last && (
          <>
            {" · "}
            <span dir="auto">{last.verdict}</span>
          </>
        )}
      </span>
    </>
  );
};

function Versions({ persona: { versions } }: { readonly persona: FamilyMember }): VNode {
  return (
    <>
      <h2>{words.versions}</h2>
      {versions.length === 0 ? (
        <p class="quiet">{words.noVersions}</p>
      ) : (
        <Table
          label={words.versions}
          heads={[words.how, words.why, t.events.by, words.when, words.version, t.run.title]}
          rows={versions.map(({ how, why, by, at, version, run }) => [
            wordFor(words.howNames, how),
            <span class="words" dir="auto">
              {why}
            </span>,
            <span dir="auto">{by}</span>,
            <time dateTime={at}>{formatMoment(at)}</time>,
            <code>{version.slice(0, 8)}</code>,
            <a href={hrefTo(["d", run])}>{run}</a>,
          ])}
        />
      )}
    </>
  );
}

type DecideProps = { readonly persona: PersonaEntry; readonly again: () => void };

/** What a person may decide about a persona of one's own; each needs a reason, and is recorded. */
function Decisions({ persona: { id, from, status, lineage }, again }: DecideProps): VNode | null {
  const run = useSignal<string | null>(null);
  if (from !== "user") return null;
  const decide = (decision: "accepted" | "retired" | "rolled-back") => async (why: string) => {
    const changed = await fetchJson<PersonaChanged>(`personas/${encodeURIComponent(id)}/decision`, {
      method: "POST",
      body: { decision, why },
    });
    run.value = changed.run;
    again();
  };
  const why = words.whyNeeded;
  const isBred = lineage !== null; // only what was bred is accepted
  return (
    <>
      <div class="decide">
        {isBred && status !== "accepted" && (
          <Confirm
            {...{ label: words.accept, ask: words.acceptAsk, yes: words.accept, why }}
            act={decide("accepted")}
          />
        )}
        {status !== "retired" && (
          <Confirm
            {...{ label: words.retire, yes: words.retire, why }}
            ask={isBred ? words.retireAsk : words.retireOwnAsk}
            isDanger
            act={decide("retired")}
          />
        )}
        <Confirm
          {...{ label: words.rollBack, ask: words.rollBackAsk, yes: words.rollBack, why }}
          isDanger
          act={decide("rolled-back")}
        />
      </div>
      <p role="status">
        {run.value !== null && (
          <>
            {t.waiting.sent} <a href={hrefTo(["d", run.value])}>{words.decisionRun}</a>
          </>
        )}
      </p>
    </>
  );
}

type RecordProps = { readonly trial: FamilyMember["trials"][number]; readonly isOpen: boolean };

/** One trial: its verdict, and, when it is opened, how each of its tests came to a decision. */
function TrialRecord({ trial, isOpen }: RecordProps): VNode {
  const { run, at, against, verdict } = trial;
  const open = useSignal(isOpen);
  return (
    <details
      class="part"
      open={open.value}
      onToggle={({ currentTarget }) => (open.value = currentTarget.open)}
    >
      <summary>
        <h3>{words.trialOf({ against, when: formatMoment(at) })}</h3> <span dir="auto">{verdict}</span>
      </summary>
      {open.value && <Tests trial={trial} />}
      <p>
        <a href={hrefTo(["d", run])}>{t.run.title}</a>
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
                  title: words.pathTitle(wordFor(words.against, against)),
                  axis: `${words.pathTitle(wordFor(words.against, against))}: ${words.pathAxis}`,
                  pairs: words.pathPairs,
                  upper: words.decisions.better,
                  lower: words.decisions["no-better"],
                  number: (value) => formatRatio(value, Number.isInteger(value) ? 0 : 2),
                })}
              />
            ))}
            <Table
              label={words.trials}
              figures={[1, 2, 3]}
              heads={[words.rival, words.tally, words.evidence, words.bounds, words.decision]}
              rows={tests.map(({ against, wins, losses, ties, decision, path }) => [
                wordFor(words.against, against),
                [wins, losses, ties].map(formatCount).join("–"),
                formatRatio(signRatios(path, test).at(-1) ?? null),
                words.boundsOf({ lower: formatRatio(lower), upper: formatRatio(upper) }),
                <>
                  {wordFor(words.decisions, decision)}
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
