import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { MemoryFacts } from "../../views/memory-view.ts";
import { formatMoment } from "../formats.ts";
import { fetchJson } from "../http.ts";
import { useApi, useSaving } from "../loaded.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Field } from "../parts/field.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { t } from "../strings.ts";

/** What was pinned, a field to pin more, and a way to forget it. */
export function Facts(): VNode {
  const facts = useApi<MemoryFacts>("memory/facts");
  const forget = async (id: string) => {
    await fetchJson(`memory/facts/${encodeURIComponent(id)}`, { method: "DELETE" });
    facts.again();
  };
  return (
    <>
      <Pin again={facts.again} />
      <Shown of={facts}>
        {({ facts: all }) =>
          all.length === 0 ? (
            <Empty title={t.memory.noFacts} next={t.memory.noFactsNext} />
          ) : (
            <ul class="entries">
              {all.map(({ id, fact, at, by }) => (
                <li key={id}>
                  <p class="fact" dir="auto">
                    {fact}
                  </p>
                  <p class="quiet">
                    {by === null ? t.memory.byPerson : t.memory.by(by)} ·{" "}
                    <time dateTime={at}>{formatMoment(at)}</time>
                  </p>
                  <Confirm
                    label={t.memory.forget}
                    ask={t.memory.forgetFactAsk}
                    yes={t.memory.forgetYes}
                    isDanger
                    act={() => forget(id)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  );
}

function Pin({ again }: { readonly again: () => void }): VNode {
  const fact = useSignal("");
  const done = useSignal("");
  const { failed, send } = useSaving(async () => {
    if (fact.value.trim() === "") return;
    const { fresh } = await fetchJson<{ fresh: boolean }>("memory/facts", {
      method: "POST",
      body: { fact: fact.value.trim() },
    });
    done.value = fresh ? t.memory.pinned : t.memory.pinnedAlready;
    fact.value = "";
    again();
  });
  return (
    <form class="editor" onSubmit={(event) => void send(event)}>
      <Field label={t.memory.pin} hint={t.memory.pinHint}>
        <textarea
          rows={2}
          maxLength={10_000}
          dir="auto"
          value={fact.value}
          onInput={({ currentTarget }) => (fact.value = currentTarget.value)}
        />
      </Field>
      <p class="actions">
        <button type="submit" disabled={fact.value.trim() === ""}>
          {t.memory.pinButton}
        </button>
        <span role="status">{done.value}</span>
      </p>
      {failed.value && <Refusal error={failed.value} />}
    </form>
  );
}
