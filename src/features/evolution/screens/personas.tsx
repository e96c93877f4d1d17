import type { VNode } from "preact";
import type { Catalog, CatalogRow, PersonaEntry } from "../../../contract/library.ts";
import { address, go, hrefTo } from "../../../web/address.ts";
import { useApi } from "../../../web/loaded.ts";
import { NewName } from "../../../web/parts/field.tsx";
import { Empty, Shown } from "../../../web/parts/states.tsx";
import { Table } from "../../../web/parts/table.tsx";
import { t, wordFor } from "../../../web/strings.ts";
import { words } from "../words/index.ts";
import { Breed } from "./persona-runs.tsx";
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
      <h1>{words.title}</h1>
      <p class="quiet">{words.intro}</p>
      <Shown of={personas}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={words.empty} next={words.emptyNext} />
          ) : (
            <>
              <Table
                label={words.title}
                heads={[words.name, t.workers.state, t.library.description]}
                rows={data.map((row) => [
                  <a href={hrefTo(["personas", row.name])}>{row.name}</a>,
                  row.from === "built-in" ? words.states.shipped : <State row={row} />,
                  <>
                    <span dir="auto">{row.description}</span>
                    {row.missing.length > 0 && (
                      <span class="quiet"> {words.partsMissing(namesOf(row.missing))}</span>
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
        <NewName label={words.create} begin={(name) => go(hrefTo(["personas", name], { view: "file" }))} />
      )}
    </>
  );
}

const namesOf = (parts: readonly string[]): string =>
  parts.map((part) => wordFor(words.parts, part)).join(", ");

/** Where one's own persona stands: what its file and its rankings say together. */
function State({ row: { name } }: { readonly row: CatalogRow }): VNode {
  const { value: now } = useApi<PersonaEntry>(`personas/${encodeURIComponent(name)}`).loaded;
  if (now.state !== "ready") return <span class="quiet">{now.state === "loading" ? "…" : t.unknown}</span>;
  const { status } = now.value;
  return <strong>{wordFor(words.states, status)}</strong>;
}
