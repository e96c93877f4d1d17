import { expect, it } from "vitest";
import { Digest, OrganizationId } from "../kernel/index.ts";
import { cacheTexts } from "./text-cache.ts";

const digest = (letter: string): Digest => Digest.parse(letter.repeat(64));

const local = OrganizationId.parse("local");

/** A table that counts how often it was asked, and can be made to fail. */
function table() {
  const rows = new Map<Digest, string>();
  const asked: string[] = [];
  let broken = false;
  return {
    rows,
    asked,
    breaks: (now: boolean) => (broken = now),
    put: (_: OrganizationId, name: Digest, text: string) => {
      asked.push(`put ${name[0]}`);
      if (broken) return Promise.reject(new Error("no disk"));
      rows.set(name, text);
      return Promise.resolve();
    },
    get: (_: OrganizationId, name: Digest) => {
      asked.push(`read ${name[0]}`);
      const text = rows.get(name);
      return text === undefined ? Promise.reject(new Error("missing")) : Promise.resolve(text);
    },
  };
}

it("writes and reads a text once", async () => {
  const below = table();
  const texts = cacheTexts(below);
  await texts.put(local, digest("a"), "alpha");
  await texts.put(local, digest("a"), "alpha");
  expect([await texts.get(local, digest("a")), await texts.get(local, digest("a"))]).toEqual([
    "alpha",
    "alpha",
  ]);
  below.rows.set(digest("b"), "beta");
  expect([await texts.get(local, digest("b")), await texts.get(local, digest("b"))]).toEqual([
    "beta",
    "beta",
  ]);
  await texts.put(local, digest("b"), "beta");
  expect(below.asked).toEqual(["put a", "read a", "read b"]);
});

it("gives out what another process stored first", async () => {
  const below = table();
  const texts = cacheTexts({ ...below, put: () => Promise.resolve() });
  below.rows.set(digest("a"), "first");
  await texts.put(local, digest("a"), "second");
  expect(await texts.get(local, digest("a"))).toBe("first");
});

it("takes nothing for stored that could not be stored, and nothing for missing that may come", async () => {
  const below = table();
  const texts = cacheTexts(below);
  below.breaks(true);
  await expect(texts.put(local, digest("a"), "alpha")).rejects.toThrow("no disk");
  await expect(texts.get(local, digest("a"))).rejects.toThrow("missing");
  below.breaks(false);
  await texts.put(local, digest("a"), "alpha");
  expect(await texts.get(local, digest("a"))).toBe("alpha");
  expect(below.rows.get(digest("a"))).toBe("alpha");
});

it("keeps a bounded amount, the latest", async () => {
  const below = table();
  const texts = cacheTexts(below);
  const names = [..."abcdef"].map(digest);
  for (const name of names) below.rows.set(name, "x".repeat(1_000_000));
  below.rows.set(digest("0"), "x".repeat(2_000_000)); // too long to be worth it
  for (const name of [...names, digest("0")]) await texts.get(local, name);
  below.asked.length = 0;
  for (const name of [digest("f"), digest("a"), digest("0")]) await texts.get(local, name);
  expect(below.asked).toEqual(["read a", "read 0"]);
});

it("STORE-2: knows the texts of one organization from those of another", async () => {
  const rows = new Map<string, string>();
  const texts = cacheTexts({
    put: async (organization, name, text) =>
      void (await Promise.resolve(rows.set(organization + name, text))),
    get: async (organization, name) => (await Promise.resolve(rows.get(organization + name))) ?? "none",
  });
  const acme = OrganizationId.parse("acme");
  await texts.put(local, digest("a"), "ours");
  expect([await texts.get(local, digest("a")), await texts.get(acme, digest("a"))]).toEqual(["ours", "none"]);
  await texts.put(acme, digest("b"), "theirs");
  await texts.put(local, digest("b"), "ours, too");
  expect([await texts.get(acme, digest("b")), await texts.get(local, digest("b"))]).toEqual([
    "theirs",
    "ours, too",
  ]);
});
