import type { VNode } from "preact";
import type { ShownRun } from "../folds.ts";
import { t } from "../strings.ts";

export function Reviews({ shown }: { readonly shown: ShownRun }): VNode {
  return (
    <p class="quiet">
      {t.run.views.reviews} {shown.run.id}
    </p>
  );
}
