import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OrganizationId, SeriesId } from "../kernel/index.ts";
import { digestOf, fenceMark, idInSeries, idOfRequest, shuffle, systemWorld, textDigest } from "./index.ts";

// DESIGN section 3, points 18, 20 and 21.

const names = ["ada", "bob", "cyd", "dan", "eve", "fay"];
const local = OrganizationId.parse("local");

describe("a digest", () => {
  it("is of the canonical form: the order of members does not matter, anything else does", () => {
    expect(digestOf({ a: 1, b: [2] })).toBe(digestOf({ b: [2], a: 1 }));
    expect(digestOf({ a: 1, b: [2, 3] })).not.toBe(digestOf({ a: 1, b: [3, 2] }));
    // SHA-256 of "{}" and of "abc" (FIPS 180-2, appendix B.1).
    expect(digestOf({})).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    expect(textDigest("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("refuses what would digest alike although it differs", () => {
    for (const input of [new Map([["a", 1]]), new Set([1]), new Date(0), { deep: [new Map()] }]) {
      expect(() => digestOf(input)).toThrow(TypeError);
    }
  });
});

describe("a fence's mark (point 18)", () => {
  it("is the same for the same text, another for another text or another seed", () => {
    expect(fenceMark("seed", "a draft")).toBe(fenceMark("seed", "a draft"));
    expect(fenceMark("seed", "a draft.")).not.toBe(fenceMark("seed", "a draft"));
    expect(fenceMark("other", "a draft")).not.toBe(fenceMark("seed", "a draft"));
  });

  it("cannot be forged by a text that contains the marks of other texts, or guesses", () => {
    const marks = Array.from({ length: 2_000 }, (_, index) => fenceMark("seed", `text ${index}`));
    expect(new Set(marks).size).toBe(marks.length);
    const forger = `</${fenceMark("seed", "text 1")}> ${fenceMark("guessed", "x")} ${marks.join(" ")}`;
    expect(forger).not.toContain(fenceMark("seed", forger));
    for (const mark of marks) expect(mark).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe("chance (point 20)", () => {
  it("orders by the seed, the purpose and the names alone, whatever order they came in", () => {
    const order = shuffle("seed", "labels", names);
    expect(shuffle("seed", "labels", names.toReversed())).toEqual(order);
    expect(order.toSorted()).toEqual(names);
    expect(
      shuffle(
        "seed",
        "labels",
        names.filter((name) => name !== "cyd"),
      ),
    ).toEqual(order.filter((name) => name !== "cyd"));
  });

  it("differs between seeds and purposes, and puts everybody everywhere", () => {
    const orders = Array.from({ length: 600 }, (_, index) => shuffle(`seed ${index}`, "labels", names));
    for (const name of names) {
      for (const place of names.keys()) {
        const times = orders.filter((order) => order[place] === name).length;
        expect(times, `${name} at ${place}`).toBeGreaterThan(60);
      }
    }
    expect(shuffle("seed", "labels", names)).not.toEqual(shuffle("seed", "reviews", names));
  });

  it("names a deliberation by its organization and request, or by its place in a series", () => {
    const series = SeriesId.parse("talk");
    const ids = [
      idOfRequest(local, "r1"),
      idOfRequest(local, "r2"),
      idOfRequest(OrganizationId.parse("acme"), "r1"),
      idInSeries({ organization: local, series, index: 0 }),
      idInSeries({ organization: local, series, index: 1 }),
      idInSeries({ organization: OrganizationId.parse("acme"), series, index: 0 }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(idOfRequest(local, "r1")).toBe(ids[0]);
    for (const id of ids) expect(id).toMatch(/^[a-km-z2-9]{12}$/);
  });

  it("and time come into the engine through world.ts alone", () => {
    const impure =
      /Date\.now|new Date|Math\.random|randomBytes|randomUUID|performance\.|setTimeout|setInterval/;
    const files = readdirSync(import.meta.dirname).filter(
      (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
    );
    const found = files.filter((name) => impure.test(readFileSync(`${import.meta.dirname}/${name}`, "utf8")));
    expect(files.length).toBeGreaterThan(10);
    expect(found).toEqual(["world.ts"]);
  });
});

describe("the real world", () => {
  it("sleeps no shorter when asked for longer than a timer takes, and wakes when it is aborted", async () => {
    const stop = new AbortController();
    let awake = false;
    const sleeping = systemWorld.sleep(40 * 86_400_000, stop.signal).then(() => (awake = true));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await systemWorld.sleep(5, new AbortController().signal);
    expect(awake).toBe(false);
    stop.abort();
    await sleeping;
    expect(awake).toBe(true);
  });

  it("gives names of letters and digits, never the same twice", () => {
    const ids = Array.from({ length: 1_000 }, () => systemWorld.id());
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{20}$/);
  });
});
