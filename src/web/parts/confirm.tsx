import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { VNode } from "preact";
import { useSaving } from "../loaded.ts";
import { t } from "../strings.ts";
import { TextField } from "./field.tsx";
import { Refusal } from "./states.tsx";

type ConfirmProps = {
  readonly label: string;
  /** What is asked before it happens. */
  readonly ask: string;
  readonly yes: string;
  readonly isDanger?: boolean;
  /** The label of a reason, where one is needed. */
  readonly why?: string;
  readonly act: (why: string) => Promise<void>;
};

/** A button that asks once, and then acts. A refusal stands below it. */
export function Confirm({ label, ask, yes, isDanger = false, why, act }: ConfirmProps): VNode {
  const asks = useSignal(false);
  const reason = useSignal("");
  const form = useRef<HTMLFormElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  const { isBusy, failed, send } = useSaving(async () => {
    await act(reason.value.trim());
    asks.value = false;
    reason.value = "";
  });
  const close = () => {
    asks.value = false;
    failed.value = undefined;
    queueMicrotask(() => opener.current?.focus());
  };
  // Before anything is painted: what is typed next is meant for it.
  useLayoutEffect(() => {
    if (asks.value) form.current?.querySelector<HTMLElement>("input, button")?.focus();
  }, [asks.value]);
  if (!asks.value)
    return (
      <button ref={opener} type="button" onClick={() => (asks.value = true)}>
        {label}
      </button>
    );
  return (
    <div class="confirm" role="alertdialog" aria-labelledby={id}>
      <form
        ref={form}
        onSubmit={(event) => void send(event)}
        onKeyDown={({ key }) => {
          if (key === "Escape") close();
        }}
      >
        <p id={id}>{ask}</p>
        {why !== undefined && <TextField label={why} value={reason} maxLength={500} required />}
        <button type="submit" class={isDanger ? "danger" : "primary"} disabled={isBusy.value}>
          {yes}
        </button>{" "}
        <button type="button" onClick={close}>
          {t.cancel}
        </button>
        {failed.value && <Refusal error={failed.value} />}
      </form>
    </div>
  );
}
