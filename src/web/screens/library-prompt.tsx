import type { VNode } from "preact";
import type { PromptEntry } from "../../contract/library.ts";
import { fetchJson } from "../http.ts";
import { useApi } from "../loaded.ts";
import { Facts } from "../parts/table.tsx";
import { Shown } from "../parts/states.tsx";
import { TextEditor } from "../parts/text-editor.tsx";
import { t } from "../strings.ts";
import { Comparison, EntryTitle, FileProblem, ProjectText, RemoveOwn } from "./library-entry.tsx";

/** A prompt: its slots, its text, and what one's own changes of the shipped one. */
export function Prompt({ name }: { readonly name: string }): VNode {
  const path = `prompts/${encodeURIComponent(name)}`;
  const prompt = useApi<PromptEntry>(path);
  const save = async (text: string, digest: string) => {
    await fetchJson(path, { method: "POST", body: { text, digest } });
    prompt.again();
  };
  return (
    <>
      <EntryTitle kind="prompts" name={name} />
      <Shown of={prompt}>
        {({ from, protocols, slots, problem, text, shipped, digest }) => (
          <>
            <FileProblem problem={problem} />
            <Facts
              rows={[
                [t.library.from, t.library.froms[from] ?? from],
                [t.library.usedBy, protocols.join(", ")],
                [t.library.slots, <Slots slots={slots} />],
              ]}
            />
            <Comparison text={text} shipped={shipped} from={from} />
            {from === "project" ? (
              <ProjectText text={text} />
            ) : (
              <TextEditor label={t.library.text} present={text} save={(fresh) => save(fresh, digest)} />
            )}
            {from === "user" && <RemoveOwn path={path} again={prompt.again} />}
          </>
        )}
      </Shown>
    </>
  );
}

const Slots = ({ slots }: Pick<PromptEntry, "slots">): VNode => (
  <ul class="plain-list">
    {slots.map((slot) => (
      <li key={slot.name}>
        <code>{`{{${slot.name}}}`}</code>{" "}
        <span class="quiet">{slot.required ? t.library.required : t.library.optional}</span>
      </li>
    ))}
  </ul>
);
