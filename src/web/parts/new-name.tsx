import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { t } from "../strings.ts";
import { TextField } from "./field.tsx";

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
      <TextField
        label={t.library.createName}
        value={name}
        maxLength={60}
        pattern="[a-z0-9][a-z0-9\-]*"
        required
      />
      <button type="submit">{label}</button>
    </form>
  );
}
