import type { Store } from "../kernel/index.ts";
import type { EngramStore } from "../memory/engram-store.ts";

/** A store, and the engrams in the same place. Closed together. */
export type OpenedStore = Store & { readonly engrams: EngramStore };
