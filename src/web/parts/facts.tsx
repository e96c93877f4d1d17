import type { ComponentChildren, VNode } from "preact";

type FactsProps = {
  readonly rows: readonly (readonly [name: string, value: ComponentChildren])[];
};

/** Facts, each beside its name. */
export const Facts = ({ rows }: FactsProps): VNode => (
  <dl class="facts">
    {rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd dir="auto">{value}</dd>
      </div>
    ))}
  </dl>
);
