import { expect, it } from "vitest";
import { callOf, workOf, type Frame, type OrganizationStore } from "../kernel/index.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { degradedCouncil, stepKey } from "../../test/support/sample-council.ts";
import { usualTimes } from "./usual-times.ts";

it("says at a call's start how long the same work of its model took before, as of a minute ago", async () => {
  const { entries } = degradedCouncil();
  const [opening] = entries;
  if (opening?.type !== "deliberation-opened") throw new Error("the sample has no opening");
  const { deliberation: id, data } = opening;
  const drafted = entries.find((entry) => callOf(entry)?.ok === true && workOf(entry)?.kind === "draft");
  const call = drafted && callOf(drafted);
  const { by } = (drafted && workOf(drafted)) ?? {};
  let runs: readonly unknown[] = [];
  let reads = 0;
  const store = {
    organization: LOCAL,
    list: async () => runs,
    read: async () => ((reads += 1), entries),
  } as unknown as OrganizationStore; // of which these are used
  let nowMs = 1;
  const usual = usualTimes(() => nowMs);
  const expected = async (who: string | undefined, kind: string): Promise<number | undefined> => {
    await usual.follow(store, id, data.participants);
    const work = { by: who, kind };
    const frame: Frame = { deliberation: id, step: stepKey("draft/x"), work, kind: "started" };
    const told = usual.expected(frame);
    return told.kind === "started" ? told.expectedMs : undefined;
  };
  expect(await expected(by, "draft")).toBeUndefined();
  runs = [
    { id, status: "answered" },
    { id, status: "open" },
  ];
  expect(await expected(by, "draft")).toBeUndefined();
  nowMs += 60_001;
  expect(await expected(by, "draft")).toBe(call?.latencyMs);
  expect(await expected(by, "guess")).toBeUndefined();
  expect(await expected("nobody", "draft")).toBeUndefined();
  expect(reads).toBe(1);
});
