import type { VNode } from "preact";
import type { ShownRun } from "../folds.ts";
import { t } from "../strings.ts";

export function Fork({ shown }: { readonly shown: ShownRun }): VNode {
  return (
    <p class="quiet">
      {t.run.views.fork} {shown.run.id}
    </p>
  );
}
