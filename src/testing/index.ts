export { failingStore, type FailingStore } from "./failing-store.ts";
export { storeContract, type StoreSkip } from "./store-contract.ts";
export type { OpenInChild, StorePlace } from "./store-place.ts";
