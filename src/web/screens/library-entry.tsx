import type { ComponentChildren, VNode } from "preact";
import type { LibraryFrom, PackEntry, StrategyReply, PromptEntry } from "../../contract/library.ts";
import { go, hrefTo } from "../address.ts";
import { fetchJson, ApiProblem } from "../http.ts";
import { useApi } from "../loaded.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Difference } from "../parts/difference.tsx";
import { Shown } from "../parts/states.tsx";
import { Facts } from "../parts/table.tsx";
import { TextEditor } from "../parts/text-editor.tsx";
import { t, wordFor } from "../strings.ts";

type EntryProps = { readonly kind: "strategies" | "packs"; readonly name: string };

/** What a new file may begin with: keys only, which are no one's language. */
const DRAFTS = {
  strategies: (name: string) => `name: ${name}\ndescription: \ndirective: |\n  \n`,
  packs: (name: string) =>
    `id: ${name}\nname: ${name}\ndescription: \nmembers: [analyst, pragmatist, challenger]\nstrategy: balanced\n`,
};

/** A strategy or a pack: its file, and what it comes to. */
export function LibraryEntry({ kind, name }: EntryProps): VNode {
  const path = `${kind}/${encodeURIComponent(name)}`;
  const entry = useApi<StrategyReply | PackEntry>(path);
  const save = async (body: object) => {
    await fetchJson(path, { method: "POST", body });
    entry.again();
  };
  const { value: now } = entry.loaded;
  return (
    <>
      <EntryTitle kind={kind} name={name} />
      {now.state === "failed" && now.error instanceof ApiProblem && now.error.status === 404 ? (
        <>
          <p>{t.library.newEntry}</p>
          <TextEditor
            label={t.library.text}
            present=""
            draft={DRAFTS[kind](name)}
            save={(text) => save({ text })}
          />
        </>
      ) : (
        <Shown of={entry}>
          {(value) => (
            <>
              <EntryFacts entry={value} />
              <Comparison text={value.text} shipped={value.shipped} from={value.from} />
              {value.from === "project" ? (
                <ProjectText text={value.text} />
              ) : value.text === null ? (
                <p class="notice">{t.library.notText}</p>
              ) : (
                <TextEditor
                  label={t.library.text}
                  present={value.text}
                  save={(text) => save({ text, ...(value.digest === null ? {} : { digest: value.digest }) })}
                />
              )}
              {value.from === "user" && (
                <RemoveOwn path={path} again={value.shipped === null ? undefined : entry.again} />
              )}
            </>
          )}
        </Shown>
      )}
    </>
  );
}

const EntryTitle = ({ kind, name }: { kind: keyof typeof t.library.kinds; name: string }): VNode => (
  <>
    <p>
      <a href={hrefTo(["library"])}>{t.nav.library}</a>
    </p>
    <p class="kicker">{t.library.kinds[kind]}</p>
    <h1 dir="auto">{name}</h1>
  </>
);

/** Removes one's own text. `again`: shows what is in force then; without it there is nothing more to show. */
const RemoveOwn = ({
  path,
  again,
}: {
  readonly path: string;
  readonly again?: (() => void) | undefined;
}): VNode => (
  <div class="decide">
    <Confirm
      label={t.library.remove}
      ask={t.library.removeAsk}
      yes={t.library.removeYes}
      isDanger
      act={async () => {
        await fetchJson(path, { method: "DELETE" });
        if (again) again();
        else go(hrefTo(["library"]));
      }}
    />
  </div>
);

/** The text of a file that the project has: it is not changed here. */
export const ProjectText = ({ text }: { readonly text: string | null }): VNode => (
  <>
    <p class="notice">{t.library.projectNote}</p>
    {text !== null && (
      <pre>
        <code dir="auto">{text}</code>
      </pre>
    )}
  </>
);

/** Why a file cannot be used. */
export const FileProblem = ({ problem }: { readonly problem: string | null }): VNode | null =>
  problem === null ? null : (
    <p class="notice bad" role="note" dir="auto">
      <strong>{t.library.problem}</strong> {problem}
    </p>
  );

/** Whose files of the same name are not in force. */
export const Shadowed = ({ shadows }: { readonly shadows: readonly LibraryFrom[] }): VNode => (
  <>
    {shadows.map((one) => (
      <p key={one} class="quiet">
        {t.library.shadows(wordFor(t.library.froms, one))}
      </p>
    ))}
  </>
);

/** What one's own text changes of what is shipped. */
export function Comparison({
  text,
  shipped,
  from,
}: {
  readonly text: string | null;
  readonly shipped: string | null;
  readonly from: LibraryFrom;
}): VNode | null {
  if (from === "built-in") return <p class="quiet">{t.library.asShipped}</p>;
  if (text === null) return null;
  if (shipped === null) return <p class="quiet">{t.library.noShipped}</p>;
  return (
    <details class="part">
      <summary>
        <h2>{t.library.comparison}</h2>
      </summary>
      <Difference label={t.library.comparison} before={shipped} after={text} />
    </details>
  );
}

function EntryFacts({ entry }: { readonly entry: StrategyReply | PackEntry }): VNode {
  const { description, from, shadows, problem } = entry;
  const rows: (readonly [string, ComponentChildren])[] = [[t.library.from, wordFor(t.library.froms, from)]];
  if ("strategy" in entry && entry.strategy) {
    const { sees, needsGoal } = entry.strategy;
    rows.push([t.library.sees, sees.join(", ") || t.none]);
    rows.push([t.library.needsGoal, needsGoal ? t.library.yes : t.library.no]);
  }
  if ("pack" in entry && entry.pack) {
    rows.push([t.library.protocol, entry.pack.protocol]);
    for (const [name, value] of Object.entries(entry.pack.settings)) rows.push([name, settingText(value)]);
  }
  return (
    <>
      {description !== "" && <p dir="auto">{description}</p>}
      <FileProblem problem={problem} />
      <Facts rows={rows} />
      <Shadowed shadows={shadows} />
    </>
  );
}

/** A setting's value in a line. */
const settingText = (value: unknown): string =>
  Array.isArray(value) && value.every((one) => typeof one === "string")
    ? value.join(", ")
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

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
                [t.library.from, wordFor(t.library.froms, from)],
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
