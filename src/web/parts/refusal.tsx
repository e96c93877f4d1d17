import type { VNode } from "preact";
import { ApiProblem } from "../http.ts";
import { t } from "../strings.ts";

/** Why a change was not made, and what to do. What is shown beside it stays as it is. */
export function Refusal({ error }: { readonly error: Error }): VNode {
  const mayNot = error instanceof ApiProblem && error.status === 403;
  return (
    <div class={mayNot ? "notice" : "notice bad"} role="alert">
      <p>
        <strong>{mayNot ? t.shell.mayNot : t.shell.notSaved}</strong> <span dir="auto">{error.message}</span>
      </p>
      {error instanceof ApiProblem && error.next !== undefined && <p dir="auto">{t.tryThis(error.next)}</p>}
    </div>
  );
}
