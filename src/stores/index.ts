import type { OpenedStore } from "./store.ts";

export type { OpenedStore } from "./store.ts";

/**
 * The store that `target` names: `postgres://…` a server's, else a file of SQLite's, or `:memory:`.
 * Loads only the driver that it needs. `connections`: to a server, at most.
 * @throws Fault `store-unavailable`, `schema-newer`
 */
export async function openStore(
  target: string,
  { connections }: { readonly connections?: number | undefined } = {},
): Promise<OpenedStore> {
  if (/^postgres(ql)?:\/\//.test(target))
    return (await import("./postgres.ts")).openPostgres(target, {
      ...(connections === undefined ? {} : { connections }),
    });
  return (await import("./sqlite.ts")).openSqlite(target);
}
