import type { Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { ModelList, ModelRow } from "../../contract/figures.ts";
import { toggled } from "../lists.ts";
import { useApi } from "../loaded.ts";
import { Check } from "../parts/field.tsx";
import { Shown } from "../parts/states.tsx";
import { t } from "../strings.ts";

/** The models that can be reached, by family: voices of one family tend to err alike. */
export function ModelPicker({ chosen }: { readonly chosen: Signal<readonly string[]> }): VNode {
  const models = useApi<ModelList>("models");
  return (
    <fieldset class="models">
      <legend>
        {t.ask.models}{" "}
        <span class="quiet">{chosen.value.length === 0 ? t.ask.modelsHint : chosen.value.join(", ")}</span>
      </legend>
      <Shown of={models}>
        {(reply) => (
          <>
            {familiesOf(reply.models, chosen.value).map(([family, rows]) => (
              <div key={family} class="family">
                <p class="quiet">{family === "" ? t.ask.familyUnknown : t.ask.family(family)}</p>
                {rows.map(({ ref }) => (
                  <Check
                    key={ref}
                    label={ref}
                    isChecked={chosen.value.includes(ref)}
                    change={() => (chosen.value = toggled(chosen.value, ref))}
                  />
                ))}
              </div>
            ))}
            {reply.models.length === 0 && <p>{t.ask.noModels}</p>}
            {reply.missing.length > 0 && (
              <details>
                <summary>{t.ask.missing(reply.missing.length)}</summary>
                <ul>
                  {reply.missing.map(({ provider, next }) => (
                    <li key={provider}>
                      {provider}: {next}
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </>
        )}
      </Shown>
    </fieldset>
  );
}

/** Rows by family; what was chosen and is not listed, as from a link, stands with those of unknown family. */
function familiesOf(
  rows: readonly ModelRow[],
  chosen: readonly string[],
): (readonly [string, readonly { ref: string }[]])[] {
  const families = new Map<string, { ref: string }[]>();
  const put = (family: string, ref: string) =>
    families.set(family, [...(families.get(family) ?? []), { ref }]);
  for (const { family, ref } of rows) put(family ?? "", ref);
  for (const ref of chosen) if (!rows.some((row) => row.ref === ref)) put("", ref);
  return [...families].sort(
    ([one], [other]) => Number(one === "") - Number(other === "") || one.localeCompare(other),
  );
}
