/** An answer under the label that it is shown with. */
export type Shown = { readonly label: string; readonly text: string };
