import { expect, it } from "vitest";
import { mortal } from "../../src/testing/crash.ts";
import { ada, engram, grade } from "../../src/testing/engram-samples.ts";
import { memoryEngrams } from "./memory-engrams.ts";
import { memoryStore } from "../../src/testing/memory-store.ts";
import { mortalMemory, type MemoryCrash } from "./mortal-memory.ts";
import { scripted } from "../../src/testing/scripted-models.ts";
import { stepClock } from "../../src/testing/step-clock.ts";

// C1 and C2 of crash.ts.

const alone = new AbortController().signal;
const FOREVER = "nothing came of it";

async function dying(point: MemoryCrash) {
  const clock = stepClock();
  const engrams = memoryEngrams();
  const process = mortal({ store: memoryStore(clock.now), models: scripted({}), world: clock });
  const { memory, begun } = mortalMemory({ engrams, embeddings: null }, process, point);
  const { type: _, summary: answer, intent: __, entities: ___, ...one } = engram("a");
  const came = async (work: Promise<unknown>) => {
    let result: unknown = FOREVER;
    void work.then((value) => (result = value));
    await clock.advance(1);
    return result;
  };
  const write = () => came(memory.write({ ...one, answer, mergeAt: 0.9 }, alone));
  const annotate = () => came(memory.annotate({ ...ada, id: one.id }, grade("g"), { against: 2 }));
  return { process, begun, write, annotate, there: () => engrams.list(ada, { limit: 9 }) };
}

it.each([
  ["before", 0],
  ["after", 1],
] as const)("dies %s it puts an engram, and does nothing more", async (when, there) => {
  const { annotate, begun, process, there: stored, write } = await dying({ at: "put", nth: 1, when });
  expect(await write()).toBe(FOREVER);
  expect([process.dead, (await stored()).length]).toEqual([true, there]);
  expect([await write(), await annotate()]).toEqual([FOREVER, FOREVER]);
  expect([begun("put"), begun("annotate")]).toEqual([1, 0]);
  expect((await stored()).flatMap(({ annotations }) => annotations)).toEqual([]);
});

it.each([
  ["before", 0],
  ["after", 1],
] as const)("lives until its point, %s an annotation", async (when, there) => {
  const { annotate, begun, process, there: stored, write } = await dying({ at: "annotate", nth: 1, when });
  expect(await write()).toMatchObject({ engram: { id: "a" } });
  expect([process.dead, begun("put")]).toEqual([false, 1]);
  expect(await annotate()).toBe(FOREVER);
  expect((await stored()).flatMap(({ annotations }) => annotations)).toHaveLength(there);
});
