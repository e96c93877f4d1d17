import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { PersonaChanged, PersonaEntry } from "../../../contract/library.ts";
import { hrefTo } from "../../../web/address.ts";
import { fetchJson } from "../../../web/http.ts";
import { Confirm } from "../../../web/parts/confirm.tsx";
import { words } from "../words.ts";

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
  const why = words.whyNeeded;
  const isBred = lineage !== null; // only what was bred is accepted
  return (
    <>
      <div class="decide">
        {isBred && status !== "accepted" && (
          <Confirm
            {...{ label: words.accept, ask: words.acceptAsk, yes: words.accept, why }}
            act={decide("accepted")}
          />
        )}
        {status !== "retired" && (
          <Confirm
            {...{ label: words.retire, yes: words.retire, why }}
            ask={isBred ? words.retireAsk : words.retireOwnAsk}
            isDanger
            act={decide("retired")}
          />
        )}
        <Confirm
          {...{ label: words.rollBack, ask: words.rollBackAsk, yes: words.rollBack, why }}
          isDanger
          act={decide("rolled-back")}
        />
      </div>
      <p role="status">
        {run.value !== null && (
          <>
            {words.decided} <a href={hrefTo(["d", run.value])}>{words.decisionRun}</a>
          </>
        )}
      </p>
    </>
  );
}
