import { expect, it } from "vitest";
import { Digest, OrganizationId } from "../kernel/index.ts";
import { cacheTexts } from "./store.ts";

const digest = (letter: string): Digest => Digest.parse(letter.repeat(64));

const local = OrganizationId.parse("local");

/** A table that remembers what it was asked. */
function table() {
  const rows = new Map<string, string>();
  const asked: string[] = [];
  const get = (organization: OrganizationId, name: Digest) => {
    asked.push(`read ${name[0]}`);
    const text = rows.get(organization + name) ?? rows.get(name);
    return text === undefined ? Promise.reject(new Error("missing")) : Promise.resolve(text);
  };
  return { rows, asked, get };
}

it("reads a text once, until it is told to forget", async () => {
  const below = table();
  const texts = cacheTexts(below.get);
  below.rows.set(digest("a"), "alpha");
  expect([await texts.get(local, digest("a")), await texts.get(local, digest("a"))]).toEqual([
    "alpha",
    "alpha",
  ]);
  expect(below.asked).toEqual(["read a"]);
  below.rows.clear();
  texts.clear();
  await expect(texts.get(local, digest("a"))).rejects.toThrow("missing");
});

it("takes nothing for missing that may come", async () => {
  const below = table();
  const texts = cacheTexts(below.get);
  await expect(texts.get(local, digest("a"))).rejects.toThrow("missing");
  below.rows.set(digest("a"), "alpha");
  expect(await texts.get(local, digest("a"))).toBe("alpha");
});

it("keeps a bounded amount, the latest", async () => {
  const below = table();
  const texts = cacheTexts(below.get);
  const names = [..."abcdef"].map(digest);
  for (const name of names) below.rows.set(name, "x".repeat(1_000_000));
  below.rows.set(digest("0"), "x".repeat(2_000_000)); // too long to be worth it
  for (const name of [...names, digest("0")]) await texts.get(local, name);
  below.asked.length = 0;
  for (const name of [digest("f"), digest("a"), digest("0")]) await texts.get(local, name);
  expect(below.asked).toEqual(["read a", "read 0"]);
});

it("STORE-2: knows the texts of one organization from those of another", async () => {
  const below = table();
  const texts = cacheTexts(below.get);
  const acme = OrganizationId.parse("acme");
  below.rows.set(local + digest("a"), "ours").set(acme + digest("a"), "theirs");
  expect([await texts.get(local, digest("a")), await texts.get(acme, digest("a"))]).toEqual([
    "ours",
    "theirs",
  ]);
});
