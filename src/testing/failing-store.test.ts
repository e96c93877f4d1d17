import { expect, it } from "vitest";
import { failingStore } from "./failing-store.ts";
import { memoryStore } from "./memory-store.ts";
import { LOCAL, byClient, byOpening, deliberation, note, opening } from "./store-samples.ts";

it("fails the writes it is told to fail, with the reason given, until it is healed", async () => {
  const id = deliberation("d1");
  const { store, fail, heal } = failingStore(memoryStore());
  await store.for(LOCAL).append(id, [opening("?")], byOpening);
  fail("the disk is full");
  await expect(store.for(LOCAL).append(id, [note(1)], byClient("a"))).rejects.toThrow(
    "the store at memory cannot be used: the disk is full",
  );
  expect(await store.for(LOCAL).read(id)).toHaveLength(1);
  fail("the disk is gone", ["read"]);
  await expect(store.for(LOCAL).read(id)).rejects.toThrow("the disk is gone");
  heal();
  expect(await store.for(LOCAL).append(id, [note(1)], byClient("a"))).toMatchObject({
    ok: true,
    fresh: true,
  });
});
