import { expect, it } from "vitest";
import { OrganizationId, isEvent } from "../kernel/index.ts";
import { council } from "../../test/support/toys/council.ts";
import { critic } from "../../test/support/toys/critic.ts";
import { toyAsked } from "../testing/kit.ts";
import { stage } from "../testing/stage.ts";

// STORE-1. An organization's engine knows nothing of another's deliberations; a process drives and reacts within each one's own.

const local = OrganizationId.parse("local");
const acme = OrganizationId.parse("acme");
const alone = new AbortController().signal;
const script = { ada: () => "a", bob: () => "b", cyd: () => "c", chair: () => "d", judge: () => "4" };

it("STORE-1: does nothing with a deliberation of another organization", async () => {
  const on = stage({ protocols: [council], script });
  const { opened } = await on.engine.open("r1", toyAsked("toy-council"));
  const { deliberation: id } = opened;
  const theirs = on.engine.for(acme);
  const missing = { code: "deliberation-missing" };
  await expect(theirs.drive(id, { signal: alone })).rejects.toMatchObject(missing);
  await expect(theirs.fork(id, { request: "f", changes: {} })).rejects.toMatchObject(missing);
  await expect(theirs.replay(id)).rejects.toMatchObject(missing);
  await expect(theirs.drain(id, { worker: "w", signal: alone })).rejects.toMatchObject(missing);
  expect(await theirs.cancel(id, "no")).toBe(false);
  await expect(theirs.open("r2", toyAsked("toy-council"))).rejects.toMatchObject({ code: "event-invalid" });
  expect(await on.clock.settle(on.engine.for(local).drive(id, { signal: alone }))).toMatchObject({
    status: "closed",
  });
});

it("STORE-2: drives, and reacts to, each organization's deliberations with its own texts", async () => {
  const on = stage({ protocols: [council], reactors: [critic], script });
  const stop = new AbortController();
  const serving = on.engine.react({ worker: "w", signal: stop.signal, backfill: true });
  const ids = await Promise.all(
    [local, acme].map(async (organization) => {
      const { opened } = await on.engine.open("r1", { ...toyAsked("toy-council"), organization });
      await on.drive(opened.deliberation);
      return opened.deliberation;
    }),
  );
  await on.clock.advance(60_000);
  stop.abort();
  await on.clock.settle(serving);
  for (const [index, organization] of [local, acme].entries()) {
    const id = ids[index];
    const entries = id ? await on.store.for(organization).read(id) : [];
    expect(entries.some((entry) => isEvent(entry, "deliberation-closed"))).toBe(true);
    expect(entries.some((entry) => isEvent(entry, "grade-given"))).toBe(true);
    expect(id && (await on.store.for(organization === local ? acme : local).read(id))).toEqual([]);
  }
});
