import fc from "fast-check";
import { expect, it } from "vitest";
import { isFault } from "../kernel/index.ts";
import { sized } from "../../test/support/long.ts";
import { scratch, type Scratch } from "../../test/support/scratch.ts";
import { settingNames } from "./settings.ts";
import { loadSettings } from "./sources.ts";

const PROJECT = "project/parley.yaml";
const load = (place: Scratch, flags: Record<string, unknown>) =>
  loadSettings({ ...place, flags, flagPrefix: "--" });

it("whatever a file or a flag gives is taken, or refused in one bounded line", () => {
  const names = fc.constantFrom(...settingNames, "models", "compatible", "families", "prices");
  const entry = fc.constantFrom("url", "key-env", "in", "out", "a/b", "constructor", "toString", "");
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.dictionary(entry, fc.jsonValue({ maxDepth: 1 })),
    fc.dictionary(
      fc.constantFrom("lab", "a/b", "hasOwnProperty"),
      fc.dictionary(entry, fc.jsonValue({ maxDepth: 1 })),
    ),
  );
  using place = scratch();
  fc.assert(
    fc.property(names, value, fc.boolean(), (name, given, inFile) => {
      place.write(PROJECT, inFile ? JSON.stringify({ [name]: given }) : "");
      try {
        JSON.stringify(load(place, inFile ? {} : { [name]: given }));
      } catch (error) {
        if (!isFault(error, "configuration")) throw error;
        expect(error.message).toMatch(/^[^\p{Cc}\u2028]{1,900}$/u);
      }
    }),
    { numRuns: sized(800) },
  );
});
