import { expect, it } from "vitest";
import { createTurns } from "./health.ts";

it("of a rush of requests one begins in each turn of the event loop, in their order", async () => {
  const { turn, came } = createTurns();
  const seen: (number | "turn")[] = [];
  let isOver = false;
  const watch = (): void => {
    seen.push("turn");
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);

  const rush = (from: number) =>
    Promise.all(Array.from({ length: 50 }, (_, nth) => turn().then(() => seen.push(from + nth))));
  await rush(0);
  await rush(50);
  isOver = true;
  const begun = seen.filter((one) => one !== "turn");
  expect(begun).toEqual(Array.from({ length: 100 }, (_, nth) => nth));
  const order = new Array<string>();
  for (const nth of [1, 2, 3]) void turn().then(() => order.push(`request ${nth}`));
  for (const nth of [1, 2]) {
    came();
    await new Promise(setImmediate);
    order.push(`came ${nth}`);
  }
  await turn();
  expect(order).toEqual(["came 1", "came 2", "request 1", "request 2", "request 3"]);
  expect(seen.some((one, nth) => one !== "turn" && typeof seen[nth + 1] === "number")).toBe(false);
});
