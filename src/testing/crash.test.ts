import { expect, it } from "vitest";
import { DeliberationId, ModelRef, type NewEvent } from "../kernel/index.ts";
import { mortal, type CrashPoint } from "./crash.ts";
import { memoryStore } from "./memory-store.ts";
import { scripted } from "./scripted-models.ts";
import { stepClock } from "./step-clock.ts";
import { nothingToSay, toyAsked, toyProtocol, toyRequest } from "./kit.ts";
import { LOCAL } from "./store-samples.ts";
import { stage } from "./stage.ts";

const feedback: NewEvent = { type: "feedback-given", data: { thumb: "up" } };

const quiet = toyProtocol(() => Promise.resolve(nothingToSay));

async function dying(point: CrashPoint) {
  const on = stage({ protocols: [quiet], script: { ada: () => "!" } });
  const { opened } = await on.engine.open("r1", toyAsked("toy"));
  const process = on.start(point);
  const say = (request: string) =>
    process.store.for(LOCAL).append(opened.deliberation, [feedback], { by: "client", request });
  let settled = 0;
  const watch = (promise: Promise<unknown>) =>
    void promise.then(
      () => (settled += 1),
      () => (settled += 1),
    );
  const recorded = async () => (await on.store.for(LOCAL).read(opened.deliberation)).length - 1;
  return { ...on, process, say, watch, recorded, settled: () => settled };
}

it.each([
  ["before", 1],
  ["after", 2],
] as const)("a process that dies %s its second append leaves %d behind", async (when, left) => {
  const on = await dying({ at: "append", nth: 2, when });
  for (const request of ["a", "b", "c"]) {
    on.watch(on.say(request));
    await on.clock.advance(1);
  }
  await on.process.died;
  await on.clock.advance(1_000);
  expect([on.process.dead, on.settled(), await on.recorded(), on.process.begun("append")]).toEqual([
    true,
    1,
    left,
    2,
  ]);
});

it("a dead process neither reads, sleeps nor calls on", async () => {
  const on = await dying({ at: "call", nth: 1, when: "after" });
  const stop = new AbortController();
  on.watch(on.process.world.sleep(500, stop.signal));
  on.watch(
    on.process.models.complete(toyRequest({ model: ModelRef.parse("sim/ada") }, "?"), {
      signal: stop.signal,
    }),
  );
  await on.process.died;
  on.watch(on.process.store.for(LOCAL).read(DeliberationId.parse("d")));
  on.watch(
    on.process.store
      .subscribe(await on.store.end(), stop.signal)
      [Symbol.asyncIterator]()
      .next(),
  );
  await on.clock.advance(1_000);
  expect([on.settled(), on.models.count()]).toEqual([0, 1]);
});

it("without a point lives until it is killed", async () => {
  const clock = stepClock();
  const process = mortal({ store: memoryStore(clock.now), models: scripted({}), world: clock });
  expect(await process.store.end()).toBe(0);
  process.kill();
  await process.died;
  expect(process.dead).toBe(true);
});
