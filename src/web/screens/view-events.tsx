import type { VNode } from "preact";
import type { ShownRun } from "../folds.ts";
import { t } from "../strings.ts";

export function Events({ shown }: { readonly shown: ShownRun }): VNode {
  return (
    <p class="quiet">
      {t.run.views.events} {shown.run.id}
    </p>
  );
}
