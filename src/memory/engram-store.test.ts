import { expect, it } from "vitest";
import { OrganizationId } from "../kernel/index.ts";
import { ada, atAngle, engram, engramId, grade } from "../testing/engram-samples.ts";
import { memoryEngrams } from "../../test/support/memory-engrams.ts";
import { engramsFor } from "./engram-store.ts";

const model = "sim/vectors";
const id = engramId("a");
const by = { by: "ada", at: "2026-02-01T00:00:00.000Z" };

it("STORE-1: gives and takes the engrams of one organization, and refuses all others'", async () => {
  const all = memoryEngrams();
  const load = () => Promise.resolve(all);
  const ours = engramsFor(ada.organization, load);
  const theirs = engramsFor(OrganizationId.parse("zeta"), load);
  expect(await ours.put(engram("a"), id)).toBe(true);
  const refused = [
    theirs.put(engram("b"), engramId("b")),
    theirs.annotate({ ...ada, id }, grade("g")),
    theirs.get(ada, [id]),
    theirs.list(ada, { limit: 9 }),
    theirs.nearest(ada, { model, vector: atAngle(0), limit: 9 }),
    theirs.matching(ada, { words: ["a"], limit: 9 }),
    theirs.vectors(ada, { model, ids: [id] }),
    theirs.unembedded(ada, { model, limit: 9 }),
    theirs.embed(ada, { model, vectors: new Map([[id, atAngle(0)]]) }),
    theirs.forget(ada, { id, ...by }),
  ];
  expect(refused).toHaveLength(Object.keys(theirs).length);
  for (const outcome of await Promise.allSettled(refused)) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "event-invalid" } });
  }
  expect((await ours.list(ada, { limit: 9 })).map((stored) => stored.engram.id)).toEqual(["a"]);
  expect((await ours.get(ada, [id]))[0]?.annotations).toEqual([]);
  expect(await theirs.list({ ...ada, organization: OrganizationId.parse("zeta") }, { limit: 9 })).toEqual([]);
});
