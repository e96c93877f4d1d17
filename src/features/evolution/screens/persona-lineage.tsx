import type { VNode } from "preact";
import type { FamilyMember, PersonaEntry, PersonaFamily } from "../../../contract/library.ts";
import { hrefTo } from "../../../web/address.ts";
import { formatCount, formatMoment } from "../../../web/formats.ts";
import { useApi } from "../../../web/loaded.ts";
import { Shown } from "../../../web/parts/states.tsx";
import { Table } from "../../../web/parts/table.tsx";
import { words } from "../words.ts";
import { Decisions } from "./persona-decide.tsx";
import { TrialRecord } from "./persona-trial-record.tsx";

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
        {status !== "own" && (words.states[status] ?? status)}
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
          heads={[words.how, words.why, words.by, words.when, words.version, words.record]}
          rows={versions.map(({ how, why, by, at, version, run }) => [
            words.howNames[how] ?? how,
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
