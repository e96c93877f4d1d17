import type { VNode } from "preact";
import { fetchJson } from "../http.ts";
import { useApi } from "../loaded.ts";
import { Shown } from "../parts/states.tsx";
import { TextEditor } from "../parts/text-editor.tsx";
import type { PromptReply } from "../replies.ts";
import { t } from "../strings.ts";
import { Comparison, EntryTitle, RemoveOwn } from "./library-entry.tsx";

/** A prompt: its slots, its text, and what one's own changes of the shipped one. */
export function Prompt({ name }: { readonly name: string }): VNode {
  const path = `prompts/${encodeURIComponent(name)}`;
  const prompt = useApi<PromptReply>(path);
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
            {problem !== null && (
              <p class="notice bad" role="note" dir="auto">
                <strong>{t.library.problem}</strong> {problem}
              </p>
            )}
            <dl class="facts">
              <div>
                <dt>{t.library.from}</dt>
                <dd>{t.library.froms[from] ?? from}</dd>
              </div>
              <div>
                <dt>{t.library.usedBy}</dt>
                <dd>{protocols.join(", ")}</dd>
              </div>
              <div>
                <dt>{t.library.slots}</dt>
                <dd>
                  <ul class="plain-list">
                    {slots.map((slot) => (
                      <li key={slot.name}>
                        <code>{`{{${slot.name}}}`}</code>{" "}
                        <span class="quiet">{slot.required ? t.library.required : t.library.optional}</span>
                      </li>
                    ))}
                  </ul>
                </dd>
              </div>
            </dl>
            <Comparison text={text} shipped={shipped} from={from} />
            {from === "project" ? (
              <>
                <p class="notice">{t.library.projectNote}</p>
                <pre>
                  <code dir="auto">{text}</code>
                </pre>
              </>
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
