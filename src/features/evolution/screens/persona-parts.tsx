import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { PersonaEntry } from "../../../contract/library.ts";
import { INSTRUCTION_PARTS, type InstructionPart } from "../../../text/instruction-parts.ts";
import { hrefWith } from "../../../web/address.ts";
import { useSaving } from "../../../web/loaded.ts";
import { Difference } from "../../../web/parts/difference.tsx";
import { Markdown } from "../../../web/parts/elements.tsx";
import { TextField } from "../../../web/parts/field.tsx";
import { Refusal } from "../../../web/parts/refusal.tsx";
import { SaveButtons } from "../../../web/parts/text-editor.tsx";
import { t } from "../../../web/strings.ts";
import { words } from "../words.ts";

type Parts = { readonly [part in InstructionPart]: string };
type EditorProps = { readonly persona: PersonaEntry; readonly save: (body: object) => Promise<void> };

const partsOf = (parts: Readonly<Record<string, string>>): Parts =>
  Object.fromEntries(INSTRUCTION_PARTS.map((part) => [part, parts[part] ?? ""])) as Parts; // each of them

/** The six parts of a persona's instructions; what changes is shown part by part before it is saved. */
export function PartsEditor({ persona, save }: EditorProps): VNode {
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
export const WhyField = ({ why }: { readonly why: Signal<string> }): VNode => (
  <TextField label={words.why} hint={words.whyHint} value={why} maxLength={500} />
);
