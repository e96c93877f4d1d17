import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { t } from "../strings.ts";

/** What a new entry of the library is called. */
export function NewName({
  label,
  begin,
}: {
  readonly label: string;
  readonly begin: (name: string) => void;
}): VNode {
  const name = useSignal("");
  return (
    <form
      class="new-name"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.value !== "") begin(name.value);
      }}
    >
      <label class="field">
        <span>{t.library.createName}</span>
        <input
          type="text"
          required
          pattern="[a-z0-9][a-z0-9\-]*"
          maxLength={60}
          autocomplete="off"
          value={name.value}
          onInput={({ currentTarget }) => (name.value = currentTarget.value)}
        />
      </label>
      <button type="submit">{label}</button>
    </form>
  );
}
