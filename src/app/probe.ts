const PROBE_TIMEOUT_MS = 700;

/** Returns the strings at `name` of the rows at `list` in the JSON at this URL; undefined if the server does not answer in time. */
export async function probeNames(url: URL, list: string, name: string): Promise<string[] | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return response.ok ? readNames(await response.json(), list, name) : undefined;
  } catch {
    return undefined; // no server, or a timeout
  }
}

/** No names if the JSON has another shape. */
function readNames(found: unknown, list: string, name: string): string[] {
  if (typeof found !== "object" || found === null || !(list in found)) return [];
  const rows: unknown = Reflect.get(found, list);
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) => {
    const value: unknown = typeof row === "object" && row !== null ? Reflect.get(row, name) : undefined;
    return typeof value === "string" ? [value] : [];
  });
}
