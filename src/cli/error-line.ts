import { isFault, type FaultCode } from "../kernel/index.ts";

/** An error as one line for people: what happened and what to do. A bug shows its stack only with `PARLEY_DEBUG`. */
export function errorLine(error: unknown, env: Readonly<Record<string, string | undefined>>): string {
  const debug = (env["PARLEY_DEBUG"] ?? "") !== "";
  if (!(error instanceof Error)) return `parley: ${oneLine(String(error))}`;
  if (debug) return `parley: ${error.stack ?? error.message}`;
  if (isFault(error)) {
    const hint = HINTS[error.code];
    return `parley: ${oneLine(error.message)}${hint === undefined ? "" : `; ${hint}`}`;
  }
  return `parley: ${oneLine(error.message)} (this is a bug in Parley; PARLEY_DEBUG=1 shows where, nothing recorded is lost)`;
}

/** What to do about a fault that the layers below cannot say: they know no commands. */
const HINTS: { readonly [code in FaultCode]?: string } = {
  "deliberation-missing": "parley list shows those that exist",
  "deliberation-closed": "parley fork continues from a closed one",
};

const oneLine = (text: string): string =>
  text
    .replaceAll(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, 1_000);
