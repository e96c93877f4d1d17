import type { OrganizationStore, Store } from "../../src/kernel/index.ts";

/** A store whose organizations' parts do some things in another way. */
export function alterStore(
  store: Store,
  alter: (part: OrganizationStore) => Partial<OrganizationStore>,
): Store {
  return {
    ...store,
    for(organization) {
      const part = store.for(organization);
      return { ...part, ...alter(part) };
    },
  };
}
