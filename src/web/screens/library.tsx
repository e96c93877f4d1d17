import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { Catalog, PromptList } from "../../contract/library.ts";
import { address, go, hrefTo } from "../address.ts";
import { useApi } from "../loaded.ts";
import { NewName, TextField } from "../parts/field.tsx";
import { Empty, Loading, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { t, wordFor } from "../strings.ts";
import { LibraryEntry, Prompt } from "./library-entry.tsx";

const KINDS = ["strategies", "packs", "prompts"] as const;

/** Strategies, packs and prompts: all of them, or one at `/library/KIND/NAME`. */
export function Library(): VNode {
  const [, kind, name] = address.value.path;
  if (kind === "prompts" && name !== undefined) return <Prompt key={name} name={name} />;
  if ((kind === "strategies" || kind === "packs") && name !== undefined)
    return <LibraryEntry key={`${kind}/${name}`} kind={kind} name={name} />;
  return <All />;
}

/** All lists at once, so that none pushes those below it. */
function All(): VNode {
  const strategies = useApi<Catalog>("strategies");
  const packs = useApi<Catalog>("packs");
  const prompts = useApi<PromptList>("prompts");
  const isLoading = [strategies, packs, prompts].some(({ loaded }) => loaded.value.state === "loading");
  return (
    <>
      <h1>{t.nav.library}</h1>
      {isLoading ? (
        <Loading />
      ) : (
        KINDS.map((one) => (
          <section key={one} aria-labelledby={`kind-${one}`}>
            <h2 id={`kind-${one}`}>{t.library.kinds[one]}</h2>
            <p class="quiet">{t.library.about[one]}</p>
            {one === "prompts" ? (
              <Prompts of={prompts} />
            ) : (
              <Entries kind={one} of={one === "packs" ? packs : strategies} />
            )}
          </section>
        ))
      )}
    </>
  );
}

type Listed<T> = ReturnType<typeof useApi<T>>;
type EntriesProps = { readonly kind: "strategies" | "packs"; readonly of: Listed<Catalog> };

function Entries({ kind, of }: EntriesProps): VNode {
  return (
    <>
      <Shown of={of}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.library.empty} next={t.library.emptyNext} />
          ) : (
            <Table
              label={t.library.kinds[kind]}
              heads={[t.library.name, t.library.from, t.library.description]}
              rows={data.map(({ name, from, description }) => [
                <a href={hrefTo(["library", kind, name])}>{name}</a>,
                wordFor(t.library.froms, from),
                <span dir="auto">{description}</span>,
              ])}
            />
          )
        }
      </Shown>
      <NewName label={t.library.create} begin={(name) => go(hrefTo(["library", kind, name]))} />
    </>
  );
}

function Prompts({ of }: { readonly of: Listed<PromptList> }): VNode {
  const words = useSignal("");
  return (
    <Shown of={of}>
      {({ data }) => (
        <>
          <TextField label={t.library.filter} size="narrow" type="search" value={words} />
          <Table
            label={t.library.kinds.prompts}
            heads={[t.library.name, t.library.from, t.library.usedBy]}
            rows={data
              .filter(({ name }) => name.includes(words.value.trim().toLowerCase()))
              .map(({ name, from, protocols, problem }) => [
                <a href={hrefTo(["library", "prompts", name])}>{name}</a>,
                <>
                  {wordFor(t.library.froms, from)}
                  {problem !== null && <strong class="mark avoid"> {t.library.broken}</strong>}
                </>,
                protocols.join(", "),
              ])}
          />
        </>
      )}
    </Shown>
  );
}
