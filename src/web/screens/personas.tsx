import type { VNode } from "preact";
import type { Catalog, CatalogRow, PersonaEntry } from "../../contract/library.ts";
import { address, go, hrefTo } from "../address.ts";
import { useApi } from "../loaded.ts";
import { NewName } from "../parts/new-name.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { t } from "../strings.ts";
import { Breed } from "./persona-breed.tsx";
import { Persona } from "./persona.tsx";

/** All personas with where they stand, or one at `/personas/ID`; parents of a child at `?breed=ID,ID`. */
export function Personas(): VNode {
  const [, id] = address.value.path;
  return id === undefined ? <All /> : <Persona key={id} id={id} />;
}

function All(): VNode {
  const personas = useApi<Catalog>("personas");
  return (
    <>
      <h1>{t.personas.title}</h1>
      <p class="quiet">{t.personas.intro}</p>
      <Shown of={personas}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.personas.empty} next={t.personas.emptyNext} />
          ) : (
            <>
              <Table
                label={t.personas.title}
                heads={[t.personas.name, t.personas.state, t.personas.description]}
                rows={data.map((row) => [
                  <a href={hrefTo(["personas", row.name])}>{row.name}</a>,
                  row.from === "built-in" ? t.personas.states["shipped"] : <State row={row} />,
                  <>
                    <span dir="auto">{row.description}</span>
                    {row.missing.length > 0 && (
                      <span class="quiet"> {t.personas.partsMissing(namesOf(row.missing))}</span>
                    )}
                  </>,
                ])}
              />
              <Breed personas={data} />
            </>
          )
        }
      </Shown>
      {personas.loaded.value.state !== "loading" && (
        <NewName
          label={t.personas.create}
          begin={(name) => go(hrefTo(["personas", name], { view: "file" }))}
        />
      )}
    </>
  );
}

const namesOf = (parts: readonly string[]): string =>
  parts.map((part) => (t.personas.parts as Readonly<Record<string, string>>)[part] ?? part).join(", ");

/** Where one's own persona stands: what its file and its rankings say together. */
function State({ row: { name } }: { readonly row: CatalogRow }): VNode {
  const { value: now } = useApi<PersonaEntry>(`personas/${encodeURIComponent(name)}`).loaded;
  if (now.state !== "ready") return <span class="quiet">{now.state === "loading" ? "…" : t.unknown}</span>;
  const { status } = now.value;
  return <strong>{t.personas.states[status] ?? status}</strong>;
}
