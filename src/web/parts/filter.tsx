import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { address, go, hrefWith } from "../address.ts";
import { t } from "../strings.ts";
import { Field, TextField } from "./field.tsx";

const SEARCH_AFTER_MS = 250;

type SearchProps = {
  readonly label: string;
  readonly hint: string;
  /** What of the address goes when other words are searched. */
  readonly without?: { readonly [name: string]: undefined };
};

/** Words that stand in the address, as `q`, soon after they are typed. */
export function AddressSearch({ label, hint, without = {} }: SearchProps): VNode {
  const words = useSignal(address.value.query.get("q") ?? "");
  useEffect(() => {
    if (words.value === (address.value.query.get("q") ?? "")) return;
    const change = () => go(hrefWith({ q: words.value, ...without }), { replace: true });
    const timer = setTimeout(change, SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [words.value]);
  return <TextField label={label} size="wide" type="search" placeholder={hint} value={words} />;
}

type ChoiceProps = {
  /** The name in the address. */
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  /** What no choice is called; without it, the first option is the default. */
  readonly none?: string;
};

/** A choice that stands in the address. */
export function AddressChoice({ name, label, options, none }: ChoiceProps): VNode {
  const value = address.value.query.get(name) ?? (none === undefined ? (options[0]?.[0] ?? "") : "");
  return (
    <Field label={label}>
      <select
        value={value}
        onChange={({ currentTarget }) => go(hrefWith({ [name]: currentTarget.value }), { replace: true })}
      >
        {none !== undefined && <option value="">{none}</option>}
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Whether rows are personas or models. */
export const PlayerChoice = (): VNode => (
  <AddressChoice
    name="by"
    label={t.knowledge.by}
    options={[
      ["persona", t.knowledge.persona],
      ["model", t.knowledge.model],
    ]}
  />
);

/** The kinds of question that are told apart, as recorded votes have them. */
export const KindChoice = (): VNode => (
  <AddressChoice
    name="kind"
    label={t.knowledge.kind}
    none={t.knowledge.allKinds}
    options={KINDS.map((kind) => [kind, t.knowledge.kinds[kind]])}
  />
);
const KINDS = ["comparison", "procedure", "explanation", "fact", "other"] as const;

/** Since when runs count. */
export const SinceChoice = (): VNode => (
  <AddressChoice
    name="since"
    label={t.knowledge.since}
    none={t.knowledge.always}
    options={SPANS.map((span) => [span, t.knowledge.spans[span]])}
  />
);
const SPANS = ["24h", "7d", "30d", "365d"] as const;
