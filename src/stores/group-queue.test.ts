import { expect, it } from "vitest";
import { groupQueue } from "./group-queue.ts";

const item = (name: string, size = 1) => ({ name, size });

/** A commit that a test lets through by hand. */
function gate() {
  const groups: string[][] = [];
  const waiting: (() => void)[] = [];
  const commit = async (items: readonly { name: string; size: number }[]) => {
    groups.push(items.map(({ name }) => name));
    await new Promise<void>((resolve) => waiting.push(resolve));
    if (items.some(({ name }) => name === "bad")) throw new Error("a bad one");
    return items.map(({ name }) => `${name} done`);
  };
  return { groups, commit, open: () => waiting.shift()?.() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("GROUP-1: gives a result only after its commit, and gathers the next group meanwhile", async () => {
  const { groups, commit, open } = gate();
  const queue = groupQueue(commit, () => true);
  const given: string[] = [];
  const add = (name: string) => queue.add(item(name)).then((result) => given.push(result));
  const first = [add("a"), add("b")];
  await turn();
  const second = [add("c"), add("d")];
  await turn();
  expect([groups, given]).toEqual([[["a", "b"]], []]);
  open();
  await Promise.all(first);
  expect(given).toEqual(["a done", "b done"]);
  await turn();
  open();
  await Promise.all(second);
  expect(groups).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
  await queue.idle();
});

it("GROUP-3: tries what failed together again alone, unless the error spares nobody", async () => {
  for (const spoils of [true, false]) {
    const { groups, commit, open } = gate();
    const queue = groupQueue(commit, () => spoils);
    const outcomes = Promise.allSettled(["a", "bad", "c"].map((name) => queue.add(item(name))));
    for (let step = 0; step < 4; step++) {
      await turn();
      open();
    }
    expect((await outcomes).map(({ status }) => status)).toEqual(
      spoils ? ["fulfilled", "rejected", "fulfilled"] : ["rejected", "rejected", "rejected"],
    );
    expect(groups).toEqual(spoils ? [["a", "bad", "c"], ["a"], ["bad"], ["c"]] : [["a", "bad", "c"]]);
  }
});

it("bounds a group by number and by size, and takes what is larger alone", async () => {
  const sizes: number[] = [];
  const queue = groupQueue(
    (items) => {
      sizes.push(items.length);
      return Promise.resolve(items.map(() => true));
    },
    () => true,
  );
  await Promise.all(Array.from({ length: 130 }, (_, n) => queue.add(item(`${n}`))));
  expect(sizes.splice(0)).toEqual([64, 64, 2]);
  const large = 700 * 1024;
  await Promise.all([10, large, large, 10, 10 * large, 10].map((size, n) => queue.add(item(`${n}`, size))));
  expect(sizes).toEqual([2, 2, 1, 1]);
});
