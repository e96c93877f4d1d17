import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { CatalogRow } from "../../../contract/library.ts";
import { address, go, hrefWith } from "../../../web/address.ts";
import { toggled } from "../../../web/lists.ts";
import { Check, TextField } from "../../../web/parts/field.tsx";
import { LimitFields, StartRun, useRunLimits } from "./paid-run.tsx";
import { words } from "../words.ts";

/** One call writes a child, and repairs of its reply may follow. */
const USUAL_CALLS = 6;

/** Two or three parents, a name, who writes the child, and what that may cost. The parents stand in the address. */
export function Breed({ personas }: { readonly personas: readonly CatalogRow[] }): VNode {
  const given = address.value.query.get("breed");
  const parents = (given ?? "").split(",").filter((id) => personas.some(({ name }) => name === id));
  const name = useSignal("");
  const limits = useRunLimits(USUAL_CALLS);
  const isReady = parents.length === 2 || parents.length === 3;
  return (
    <details class="part" open={given !== null}>
      <summary>
        <h2>{words.breedTitle}</h2>
      </summary>
      <p class="quiet">{words.breedHint}</p>
      <fieldset>
        <legend>{words.parents}</legend>
        {personas.map((one) => (
          <Check
            key={one.name}
            label={one.name}
            isChecked={parents.includes(one.name)}
            change={() => go(hrefWith({ breed: toggled(parents, one.name).join(",") }), { replace: true })}
          />
        ))}
      </fieldset>
      <TextField
        label={words.childName}
        hint={words.childNameHint}
        size="narrow"
        value={name}
        maxLength={80}
      />
      <LimitFields limits={limits} />
      <div class="decide">
        {isReady ? (
          <StartRun
            label={words.breed}
            path="personas/breed"
            body={() => ({ parents, ...(name.value.trim() === "" ? {} : { name: name.value.trim() }) })}
            limits={limits}
          />
        ) : (
          <p role="status">{words.parentsWrong}</p>
        )}
      </div>
    </details>
  );
}
