import { expect, it } from "vitest";
import { DeliberationId, type Entry } from "../kernel/index.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { council } from "../../test/support/toys/council.ts";
import { toyAsked, toyParticipant } from "../testing/kit.ts";
import { stage } from "../testing/stage.ts";
import { pendingSeats } from "./pending-seats.ts";
import { hideText, isHidden, veilEntries, veiledEntry } from "./veil.ts";

async function recorded(close: boolean): Promise<readonly Entry[]> {
  const on = stage({ protocols: [council], script: { ada: "her draft", chair: "all" } });
  const ana = { ...toyParticipant("ana", "member"), model: "human/ana" as never };
  const participants = [toyParticipant("ada", "member"), ana, toyParticipant("chair", "chair")];
  const { opened } = await on.engine.open(
    "r1",
    toyAsked("toy-council", { participants, seatTimeoutMs: 60_000 }),
  );
  const id = DeliberationId.parse(opened.deliberation);
  await on.drive(id);
  if (close) await on.engine.cancel(id, "enough");
  return on.store.for(LOCAL).read(id);
}

it("lists what waits with its time, and nothing of a closed run", async () => {
  const [seat] = pendingSeats(await recorded(false));
  expect(seat).toMatchObject({ step: "draft/ana", person: "ana", until: "2026-01-01T00:01:00.000Z" });
  expect(pendingSeats(await recorded(true))).toEqual([]);
});

it("VEIL-1: hides the texts of an open run with a person, and what was spent stays", async () => {
  const open = await recorded(false);
  expect(JSON.stringify(open)).toContain("her draft");
  expect(JSON.stringify(veilEntries(open))).not.toContain("her draft");
  expect(veilEntries(open).filter(isHidden)).toMatchObject([
    { data: { by: "ada", call: { attempts: 1, reply: "" } } },
  ]);
  expect(open.flatMap((entry) => veiledEntry(entry, open))).toEqual(open.flatMap(hideText));
  const closed = await recorded(true);
  expect(veilEntries(closed)).toEqual(closed);
});
