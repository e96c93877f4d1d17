import { describe, expect, it } from "vitest";
import type { StoredEvent } from "../kernel/index.ts";
import { memoryStore } from "./memory-store.ts";
import type { StorePlace } from "./store-place.ts";
import { storeContract } from "./store-contract.ts";

storeContract(
  "the store in memory",
  () => {
    const rows: (StoredEvent | undefined)[] = [];
    const store = memoryStore(Date.now, rows);
    const alter: StorePlace["alter"] = (id, seq, change) => {
      const place = rows.findIndex((row) => row?.deliberation === id && row.seq === seq);
      const row = rows[place];
      rows[place] = row && change ? { ...row, ...change } : undefined;
      return Promise.resolve();
    };
    // Every opening is the same store: there is nothing outside of this process to open.
    const open = () => Promise.resolve(store);
    return Promise.resolve({ open, alter, [Symbol.asyncDispose]: () => Promise.resolve() });
  },
  {
    describe,
    expect,
    it,
    skip: [
      {
        because: "it lives in one process",
        tests: [
          "lets many processes make and open a new store at once, and one of them record a contested step",
          "loses nothing acknowledged when half of the writing processes are killed",
        ],
      },
      {
        because: "it has no lock to wait for",
        tests: ["waits for a held lock without holding the event loop"],
      },
      { because: "it has nothing at rest", tests: ["keeps data at rest as canonical JSON"] },
      { because: "closing it means nothing", tests: ["refuses to be used after it was closed"] },
    ],
  },
);
