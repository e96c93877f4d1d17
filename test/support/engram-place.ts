import type { EngramStore } from "../../src/memory/engram-store.ts";
import type { OpenInChild } from "../../src/testing/store-place.ts";

/** Where engrams live. Each test gets a place that is empty; disposing of it removes all that it held. */
export interface EngramPlace extends AsyncDisposable {
  /** Opens the place; every call is an opening of its own, closed by its caller. */
  open(): Promise<{ readonly engrams: EngramStore } & AsyncDisposable>;
  readonly child?: OpenInChild;
  /** Throws when the database finds itself damaged. */
  integrity?(): Promise<void>;
}

/** One promise of the contract. */
export type EngramCase = {
  readonly title: string;
  readonly timeoutMs?: number;
  readonly run: (place: EngramPlace) => Promise<void>;
};

/** A case with two openings of one place: what one writes, the other finds. */
export const betweenTwo = (
  title: string,
  body: (here: EngramStore, there: EngramStore) => Promise<void>,
): EngramCase => ({
  title,
  run: async (place) => {
    await using here = await place.open();
    await using there = await place.open();
    await body(here.engrams, there.engrams);
  },
});
