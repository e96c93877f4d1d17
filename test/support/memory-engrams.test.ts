import { memoryEngrams } from "./memory-engrams.ts";
import { engramStoreContract } from "./engram-store-contract.ts";

engramStoreContract(
  "the engrams in memory",
  () => {
    // Every opening is the same store: there is nothing outside of this process to open.
    const opened = { engrams: memoryEngrams(), [Symbol.asyncDispose]: () => Promise.resolve() };
    return Promise.resolve({
      open: () => Promise.resolve(opened),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  },
  {
    skip: [
      {
        because: "it lives in one process",
        tests: ["loses nothing acknowledged when two of four processes that remember are killed"],
      },
    ],
  },
);
