import type { ComponentChildren, VNode } from "preact";

type TableProps = {
  /** What the table is about, for whoever does not see it. */
  readonly label: string;
  readonly heads: readonly ComponentChildren[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Columns of figures, which stand at their end. */
  readonly figures?: readonly number[];
};

/** A table in a box that scrolls by itself, and can be reached by keyboard, where it is wider than the page. */
export const Table = ({ label, heads, rows, figures = [] }: TableProps): VNode => (
  <div class="table" role="group" aria-label={label} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {heads.map((head, column) =>
            head === "" ? (
              <td key={column} />
            ) : (
              <th key={column} scope="col" class={figures.includes(column) ? "figure-cell" : undefined}>
                {head}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...rest], row) => (
          <tr key={row}>
            <th scope="row">{first}</th>
            {rest.map((cell, column) => (
              <td key={column} class={figures.includes(column + 1) ? "figure-cell" : undefined}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

type FactsProps = { readonly rows: readonly (readonly [name: string, value: ComponentChildren])[] };

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
