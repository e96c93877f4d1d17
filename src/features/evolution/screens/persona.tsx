import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { PersonaChanged, PersonaEntry } from "../../../contract/library.ts";
import { address, hrefTo, hrefWith } from "../../../web/address.ts";
import { formatSetting } from "../../../web/formats.ts";
import { fetchJson, ApiProblem } from "../../../web/http.ts";
import { useApi } from "../../../web/loaded.ts";
import { Shown } from "../../../web/parts/states.tsx";
import { Tabs } from "../../../web/parts/tabs.tsx";
import { TextEditor } from "../../../web/parts/text-editor.tsx";
import { t } from "../../../web/strings.ts";
import { words } from "../words.ts";
import { Comparison, FileProblem, ProjectText, Shadowed } from "../../../web/screens/library-entry.tsx";
import { Lineage } from "./persona-lineage.tsx";
import { PartsEditor, WhyField } from "./persona-parts.tsx";
import { Trial } from "./persona-trial.tsx";

/** One persona: its instructions by part, its file, its lineage with trials, and what can be decided about it. */
export function Persona({ id }: { readonly id: string }): VNode {
  const path = `personas/${encodeURIComponent(id)}`;
  const persona = useApi<PersonaEntry>(path);
  const { value: now } = persona.loaded;
  const view = address.value.query.get("view") ?? "edit";
  const save = async (body: object) => {
    await fetchJson<PersonaChanged>(path, { method: "POST", body });
    persona.again();
  };
  const isMissing = now.state === "failed" && now.error instanceof ApiProblem && now.error.status === 404;
  return (
    <>
      <p>
        <a href={hrefTo(["personas"])}>{words.back}</a>
      </p>
      {isMissing ? (
        <>
          <h1 dir="auto">{id}</h1>
          <p>{t.library.newEntry}</p>
          <TextEditor label={words.file} present="" draft={draftOf(id)} save={(text) => save({ text })} />
        </>
      ) : (
        <Shown of={persona} title={id}>
          {(value) => (
            <>
              <Head persona={value} />
              <Tabs
                label={value.name}
                tabs={(["edit", "file", "lineage"] as const).map((name) => ({
                  name: words.views[name],
                  href: hrefWith({ view: name === "edit" ? undefined : name }),
                  isCurrent: view === name,
                }))}
              />
              <div class="view">
                {view === "lineage" ? (
                  <>
                    <Lineage persona={value} again={persona.again} />
                    {value.lineage && value.retired === null && <Trial persona={value} />}
                  </>
                ) : view === "file" ? (
                  <File persona={value} save={save} />
                ) : (
                  <PartsEditor persona={value} save={save} />
                )}
              </div>
            </>
          )}
        </Shown>
      )}
    </>
  );
}

/** What a new persona may begin with: keys only. */
const draftOf = (id: string): string =>
  `id: ${id}\nname: ${id}\ndescription: \ninstructions:\n${Object.keys(words.parts)
    .map((part) => `  ${part}: |\n    \n`)
    .join("")}`;

function Head({ persona }: { readonly persona: PersonaEntry }): VNode {
  const { id, name, description, status, from, problem, model, temperature, tools, shadows } = persona;
  return (
    <>
      <p class="kicker">{id}</p>
      <h1 dir="auto">{name}</h1>
      {description !== "" && <p dir="auto">{description}</p>}
      <FileProblem problem={problem} />
      <p class="quiet">
        <strong>{words.states[status] ?? status}</strong>
        {from === "project" && ` · ${t.library.froms["project"]}`}
        {model !== null && ` · ${words.model}: ${model}`}
        {temperature !== null && ` · ${words.temperature}: ${formatSetting(temperature)}`}
        {tools.length > 0 && ` · ${words.tools}: ${tools.join(", ")}`}
        {status !== "retired" && status !== "unusable" && (
          <>
            {" · "}
            <a href={hrefTo(["personas"], { breed: id })}>{words.breed}</a>
          </>
        )}
      </p>
      <Shadowed shadows={shadows} />
    </>
  );
}

type EditProps = { readonly persona: PersonaEntry; readonly save: (body: object) => Promise<void> };

function File({ persona: { from, text, digest, shipped }, save }: EditProps): VNode {
  const why = useSignal("");
  if (text === null) return <p class="notice">{t.library.notText}</p>;
  if (from === "project") return <ProjectText text={text} />;
  const body = (changed: string) => ({
    text: changed,
    ...(digest === null ? {} : { digest }),
    ...(why.value.trim() === "" ? {} : { why: why.value.trim() }),
  });
  return (
    <>
      <Comparison text={text} shipped={shipped} from={from} />
      {from === "built-in" && <p class="quiet">{words.copyNote}</p>}
      <TextEditor label={words.file} present={text} save={(changed) => save(body(changed))}>
        <WhyField why={why} />
      </TextEditor>
    </>
  );
}
