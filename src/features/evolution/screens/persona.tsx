import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { PersonaChanged, PersonaEntry } from "../../../contract/library.ts";
import { address, hrefTo, hrefWith } from "../../../web/address.ts";
import { formatSetting } from "../../../web/formats.ts";
import { fetchJson, ApiProblem } from "../../../web/http.ts";
import { useApi, useSaving } from "../../../web/loaded.ts";
import { Refusal, Shown } from "../../../web/parts/states.tsx";
import { Tabs } from "../../../web/parts/tabs.tsx";
import { TextEditor, SaveButtons } from "../../../web/parts/text-editor.tsx";
import { t, wordFor } from "../../../web/strings.ts";
import { words } from "../words/index.ts";
import { Comparison, FileProblem, ProjectText, Shadowed } from "../../../web/screens/library-entry.tsx";
import { Lineage } from "./persona-lineage.tsx";
import { Trial } from "./persona-runs.tsx";
import { useEffect, useRef } from "preact/hooks";
import { INSTRUCTION_PARTS, type InstructionPart } from "../../../text/instruction-parts.ts";
import { Difference } from "../../../web/parts/difference.tsx";
import { Markdown } from "../../../web/parts/elements.tsx";
import { TextField } from "../../../web/parts/field.tsx";

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
        <strong>{wordFor(words.states, status)}</strong>
        {from === "project" && ` · ${t.library.froms.project}`}
        {model !== null && ` · ${t.run.model}: ${model}`}
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

type Parts = { readonly [part in InstructionPart]: string };
type EditorProps = { readonly persona: PersonaEntry; readonly save: (body: object) => Promise<void> };

const partsOf = (parts: Readonly<Record<string, string>>): Parts =>
  Object.fromEntries(INSTRUCTION_PARTS.map((part) => [part, parts[part] ?? ""])) as Parts; // each of them

/** The six parts of a persona's instructions; what changes is shown part by part before it is saved. */
function PartsEditor({ persona, save }: EditorProps): VNode {
  const { from, parts, instructions } = persona;
  if (parts === null || from === "project")
    return (
      <>
        <p class="notice">
          {from === "project" ? (
            t.library.projectNote
          ) : (
            <a href={hrefWith({ view: "file" })}>{words.onePart}</a>
          )}
        </p>
        {instructions !== null && <Markdown text={instructions} level={2} />}
      </>
    );
  return <Editor persona={persona} present={partsOf(parts)} save={save} />;
}

function Editor({
  persona: { from, digest },
  present,
  save,
}: EditorProps & { readonly present: Parts }): VNode {
  const written = useSignal(present);
  const why = useSignal("");
  const changed = INSTRUCTION_PARTS.filter((part) => written.value[part] !== present[part]);
  const settled = useRef({ before: present, sent: present });
  const { isBusy, isSaved, failed, send } = useSaving(async () => {
    settled.current.sent = written.value;
    const parts = Object.fromEntries(
      INSTRUCTION_PARTS.flatMap((part) =>
        written.value[part].trim() === "" ? [] : [[part, written.value[part]]],
      ),
    );
    await save({
      parts,
      ...(digest === null ? {} : { digest }),
      ...(why.value.trim() === "" ? {} : { why: why.value.trim() }),
    });
    why.value = "";
  });
  useEffect(() => {
    const { before, sent } = settled.current;
    // What was written on while a change was being saved stays.
    const isSettled = (part: InstructionPart) => [before[part], sent[part]].includes(written.value[part]);
    written.value = partsOf(
      Object.fromEntries(
        INSTRUCTION_PARTS.map((part) => [part, isSettled(part) ? present[part] : written.value[part]]),
      ),
    );
    settled.current.before = present;
  }, [digest]);
  return (
    <form class="editor" onSubmit={(event) => void send(event)}>
      {from === "built-in" && <p class="quiet">{words.copyNote}</p>}
      {INSTRUCTION_PARTS.map((part) => (
        <div key={part}>
          <label class="field">
            <span>
              <strong>{words.parts[part]}</strong>{" "}
              {changed.includes(part) && <em class="quiet">{words.changedPart}</em>}
            </span>
            <textarea
              rows={Math.min(14, Math.max(3, Math.ceil(written.value[part].length / 90) + 1))}
              maxLength={20_000}
              dir="auto"
              value={written.value[part]}
              onInput={({ currentTarget }) =>
                (written.value = { ...written.value, [part]: currentTarget.value })
              }
            />
          </label>
          {changed.includes(part) && (
            <Difference
              label={words.change(words.parts[part])}
              before={present[part]}
              after={written.value[part]}
            />
          )}
        </div>
      ))}
      {changed.length > 0 && <WhyField why={why} />}
      <SaveButtons
        isBusy={isBusy.value}
        isChanged={changed.length > 0}
        isSaved={isSaved.value && changed.length === 0}
        discard={() => (written.value = present)}
      />
      {failed.value && <Refusal error={failed.value} />}
    </form>
  );
}

/** Why an edit is made, in the reader's words. */
const WhyField = ({ why }: { readonly why: Signal<string> }): VNode => (
  <TextField label={words.why} hint={words.whyHint} value={why} maxLength={500} />
);
