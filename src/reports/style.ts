/** Ways to set a text off on a terminal; without color they leave it as it is. */
export type Style = { readonly [name in keyof typeof CODES]: (text: string) => string };

/** Select Graphic Rendition (ECMA-48): on and off. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export function styleOf(color: boolean): Style {
  const style =
    ([on, off]: readonly [number, number]) =>
    (text: string) =>
      color && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  // It has the keys of `CODES` and no others.
  return Object.fromEntries(Object.entries(CODES).map(([name, codes]) => [name, style(codes)])) as Style;
}
