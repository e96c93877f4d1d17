import { memoryStore } from "./memory-store.ts";
import { storeContract } from "./store-contract.ts";

storeContract(
  "the store in memory",
  () => {
    const store = memoryStore();
    // Every opening is the same store: there is nothing outside of this process to open.
    const place = { open: () => Promise.resolve(store), [Symbol.asyncDispose]: () => Promise.resolve() };
    return Promise.resolve(place);
  },
  {
    skip: [
      {
        because: "it lives in one process",
        tests: [
          "lets twenty processes make and open a new store at once, and one of them record a contested step",
          "loses nothing acknowledged when half of sixteen writing processes are killed",
        ],
      },
      {
        because: "it has no lock to wait for",
        tests: ["waits for a held lock without holding the event loop for more than 20 ms"],
      },
      {
        because: "it has nothing at rest",
        tests: [
          "keeps data at rest as canonical JSON",
          "keeps an event of a type that it does not know",
          "refuses to read an event of a newer schema",
        ],
      },
      { because: "closing it means nothing", tests: ["refuses to be used after it was closed"] },
    ],
  },
);
