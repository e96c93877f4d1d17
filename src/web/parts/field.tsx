import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { t } from "../strings.ts";

type FieldProps = {
  readonly label: string;
  readonly hint?: string | undefined;
  /** How wide it is. */
  readonly size?: "narrow" | "wide" | undefined;
  readonly children: ComponentChildren;
};

/** A control under its label. */
export const Field = ({ label, hint, size, children }: FieldProps): VNode => (
  <label class={size === undefined ? "field" : `field ${size}`}>
    <span>
      {label} {hint !== undefined && <span class="quiet">{hint}</span>}
    </span>
    {children}
  </label>
);

type ValueProps = Omit<FieldProps, "children"> & { readonly value: Signal<string> };

type TextProps = ValueProps & {
  readonly type?: "text" | "search";
  readonly placeholder?: string;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly required?: boolean;
};

/** A line of text that a signal holds. */
export const TextField = ({ label, hint, size, value, ...more }: TextProps): VNode => (
  <Field label={label} hint={hint} size={size}>
    <input
      {...{ type: "text", dir: "auto", autocomplete: "off", list: undefined, ...more }}
      value={value.value}
      onInput={({ currentTarget }) => (value.value = currentTarget.value)}
    />
  </Field>
);

type NumberProps = ValueProps & { readonly min: number; readonly max?: number; readonly step?: "any" };

/** A number that a signal holds, as it is typed. */
export const NumberField = ({ label, hint, size, value, ...limits }: NumberProps): VNode => (
  <Field label={label} hint={hint} size={size}>
    <input
      type="number"
      {...limits}
      value={value.value}
      onInput={({ currentTarget }) => (value.value = currentTarget.value)}
    />
  </Field>
);

type CheckProps = {
  readonly label: string;
  readonly title?: string;
  readonly isChecked: boolean;
  readonly change: (isChecked: boolean) => void;
};

/** One of several boxes beside each other. */
export const Check = ({ label, title, isChecked, change }: CheckProps): VNode => (
  <label class="model-choice" title={title}>
    <input
      type="checkbox"
      checked={isChecked}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />
    <span>{label}</span>
  </label>
);

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
