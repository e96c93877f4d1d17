import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { PersonaChanged, PersonaEntry } from "../../contract/library.ts";
import { hrefTo } from "../address.ts";
import { fetchJson } from "../http.ts";
import { Confirm } from "../parts/confirm.tsx";
import { t } from "../strings.ts";

type DecideProps = { readonly persona: PersonaEntry; readonly again: () => void };

/** What a person may decide about a persona of one's own; each needs a reason, and is recorded. */
export function Decisions({ persona: { id, from, status, lineage }, again }: DecideProps): VNode | null {
  const run = useSignal<string | null>(null);
  if (from !== "user") return null;
  const decide = (decision: "accepted" | "retired" | "rolled-back") => async (why: string) => {
    const changed = await fetchJson<PersonaChanged>(`personas/${encodeURIComponent(id)}/decision`, {
      method: "POST",
      body: { decision, why },
    });
    run.value = changed.run;
    again();
  };
  const why = t.personas.whyNeeded;
  const isBred = lineage !== null; // only what was bred is accepted
  return (
    <>
      <div class="decide">
        {isBred && status !== "accepted" && (
          <Confirm
            {...{ label: t.personas.accept, ask: t.personas.acceptAsk, yes: t.personas.accept, why }}
            act={decide("accepted")}
          />
        )}
        {status !== "retired" && (
          <Confirm
            {...{ label: t.personas.retire, yes: t.personas.retire, why }}
            ask={isBred ? t.personas.retireAsk : t.personas.retireOwnAsk}
            isDanger
            act={decide("retired")}
          />
        )}
        <Confirm
          {...{ label: t.personas.rollBack, ask: t.personas.rollBackAsk, yes: t.personas.rollBack, why }}
          isDanger
          act={decide("rolled-back")}
        />
      </div>
      <p role="status">
        {run.value !== null && (
          <>
            {t.personas.decided} <a href={hrefTo(["d", run.value])}>{t.personas.decisionRun}</a>
          </>
        )}
      </p>
    </>
  );
}
