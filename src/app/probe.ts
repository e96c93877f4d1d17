/** How long a local server may take to say which models it has. */
const PROBE_TIMEOUT_MS = 700;

/** What a server says at this URL; undefined when it does not, in time. */
export async function probe(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined; // nobody listens there
  }
}

/** The texts at `name` of the rows at `list`; none where what was found has another form. */
export function readNames(found: unknown, list: string, name: string): string[] {
  if (typeof found !== "object" || found === null || !(list in found)) return [];
  const rows: unknown = Reflect.get(found, list);
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) => {
    const value: unknown = typeof row === "object" && row !== null ? Reflect.get(row, name) : undefined;
    return typeof value === "string" ? [value] : [];
  });
}
