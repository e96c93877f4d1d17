import { expect, it } from "vitest";
import { Digest } from "../kernel/index.ts";
import { cachedTexts } from "./text-cache.ts";

const digest = (letter: string): Digest => Digest.parse(letter.repeat(64));

/** A table that counts how often it was asked, and can be made to fail. */
function table() {
  const rows = new Map<Digest, string>();
  const asked: string[] = [];
  let broken = false;
  return {
    rows,
    asked,
    breaks: (now: boolean) => (broken = now),
    putText: (name: Digest, text: string) => {
      asked.push(`put ${name[0]}`);
      if (broken) return Promise.reject(new Error("no disk"));
      rows.set(name, text);
      return Promise.resolve();
    },
    text: (name: Digest) => {
      asked.push(`read ${name[0]}`);
      const text = rows.get(name);
      return text === undefined ? Promise.reject(new Error("missing")) : Promise.resolve(text);
    },
  };
}

it("writes and reads a text once", async () => {
  const below = table();
  const texts = cachedTexts(below);
  await texts.putText(digest("a"), "alpha");
  await texts.putText(digest("a"), "alpha");
  expect([await texts.text(digest("a")), await texts.text(digest("a"))]).toEqual(["alpha", "alpha"]);
  below.rows.set(digest("b"), "beta");
  expect([await texts.text(digest("b")), await texts.text(digest("b"))]).toEqual(["beta", "beta"]);
  await texts.putText(digest("b"), "beta");
  expect(below.asked).toEqual(["put a", "read a", "read b"]);
});

it("gives out what another process stored first", async () => {
  const below = table();
  const texts = cachedTexts({ ...below, putText: () => Promise.resolve() });
  below.rows.set(digest("a"), "first");
  await texts.putText(digest("a"), "second");
  expect(await texts.text(digest("a"))).toBe("first");
});

it("takes nothing for stored that could not be stored, and nothing for missing that may come", async () => {
  const below = table();
  const texts = cachedTexts(below);
  below.breaks(true);
  await expect(texts.putText(digest("a"), "alpha")).rejects.toThrow("no disk");
  await expect(texts.text(digest("a"))).rejects.toThrow("missing");
  below.breaks(false);
  await texts.putText(digest("a"), "alpha");
  expect(await texts.text(digest("a"))).toBe("alpha");
  expect(below.rows.get(digest("a"))).toBe("alpha");
});

it("keeps a bounded amount, the latest", async () => {
  const below = table();
  const texts = cachedTexts(below);
  const names = [..."abcdef"].map(digest);
  for (const name of names) below.rows.set(name, "x".repeat(1_000_000));
  below.rows.set(digest("0"), "x".repeat(2_000_000)); // too long to be worth it
  for (const name of [...names, digest("0")]) await texts.text(name);
  below.asked.length = 0;
  for (const name of [digest("f"), digest("a"), digest("0")]) await texts.text(name);
  expect(below.asked).toEqual(["read a", "read 0"]);
});
