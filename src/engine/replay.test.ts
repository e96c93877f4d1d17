import { describe, expect, it } from "vitest";
import { isEvent, READERS_VERSION, type Call, type Entry, type Store } from "../kernel/index.ts";
import { council } from "../../test/support/toys/council.ts";
import { failing } from "../../test/support/toys/failing.ts";
import { nothingToSay, toyAsked, toyProtocol } from "../testing/kit.ts";
import { measuring } from "../../test/support/toys/measuring.ts";
import { stage, type StageOptions } from "../testing/stage.ts";
import { thrifty } from "../../test/support/toys/thrifty.ts";
import { waiting } from "../../test/support/toys/waiting.ts";
import type { NewDeliberation } from "./index.ts";
import { LOCAL } from "../testing/store-samples.ts";
import { alterStore } from "../../test/support/altered-store.ts";

// DESIGN section 3, point 15.

const alone = new AbortController().signal;
const script = {
  ada: () => "a",
  bob: () => "???",
  cyd: () => ({ fail: "refused" }) as const,
  chair: () => "d",
};

async function driven(options: StageOptions, asked: NewDeliberation) {
  const on = stage({ script, ...options });
  const { opened } = await on.engine.open("r1", asked);
  await on.drive(opened.deliberation);
  return { ...on, id: opened.deliberation };
}

/** The same journal with some entries changed, as somebody would who edits the file. */
const altered = (store: Store, change: (entry: Entry) => Entry | undefined): Store =>
  alterStore(store, (part) => ({
    read: async (...args) => (await part.read(...args)).flatMap((entry) => change(entry) ?? []),
  }));

const withReply = (entry: Entry, step: string, reply: string): Entry => {
  if (!isEvent(entry, "answer-given") || entry.origin.by !== "protocol" || entry.origin.step !== step)
    return entry;
  // Only answers of calls that succeeded are altered here.
  const call = { ...entry.data.call, reply } as Call;
  return { ...entry, data: { ...entry.data, call } };
};

describe("a replay", () => {
  it("passes with the network closed, and counts what it read", async () => {
    const on = await driven({ protocols: [council] }, toyAsked("toy-council"));
    const before = on.models.count();
    const appends = (await on.store.for(LOCAL).read(on.id)).length;
    expect(await on.engine.replay(on.id)).toEqual({ steps: 6, calls: 5 });
    expect([on.models.count(), (await on.store.for(LOCAL).read(on.id)).length]).toEqual([before, appends]);
  });

  it.each([
    ["a client's answer", waiting, toyAsked("toy-waiting")],
    ["failures for good", failing, toyAsked("toy-failing", { members: ["cyd", "ada"] })],
    ["an effect, which it believes", measuring(() => Promise.resolve(7)), toyAsked("toy-measuring")],
    ["members that a budget cut", thrifty, toyAsked("toy-thrifty", { budget: { calls: 2 } })],
    ["a chair that a budget silenced", thrifty, toyAsked("toy-thrifty", { budget: { tokens: 200 } })],
  ])("passes with %s", async (_what, protocol, asked) => {
    const on = await driven({ protocols: [protocol], script: { ...script, chair: () => "d" } }, asked);
    if (protocol === waiting) {
      expect(await on.engine.replay(on.id)).toEqual({ steps: 2, calls: 2 });
      await on.store
        .for(LOCAL)
        .append(on.id, [{ type: "clarification-answered", data: { answers: [] } }], {
          by: "client",
          request: "clarification",
        });
      await on.drive(on.id);
    }
    const { steps } = await on.engine.replay(on.id);
    expect(steps).toBeGreaterThan(1);
  });

  it("counts what an earlier version of the readers recorded otherwise, and passes", async () => {
    const on = await driven({ protocols: [council] }, toyAsked("toy-council"));
    const recordedBy = (readers: number | undefined) => (entry: Entry) =>
      isEvent(entry, "deliberation-opened")
        ? { ...entry, data: { ...entry.data, readers } }
        : withReply(entry, "draft/ada", "read otherwise");
    const replayed = (readers: number | undefined) =>
      stage({ protocols: [council], store: () => altered(on.store, recordedBy(readers)) }).engine.replay(
        on.id,
      );
    const earlier = { steps: 6, calls: 5, reread: 1 };
    expect([await replayed(undefined), await replayed(1)]).toEqual([earlier, earlier]);
    await expect(replayed(READERS_VERSION)).rejects.toMatchObject({ code: "replay-differs" });
  });

  it("fails for an altered reply", async () => {
    const on = await driven({ protocols: [council] }, toyAsked("toy-council"));
    const forged = stage({
      protocols: [council],
      store: () => altered(on.store, (entry) => withReply(entry, "draft/ada", "forged")),
    });
    await expect(forged.engine.replay(on.id)).rejects.toMatchObject({
      code: "replay-differs",
      details: { key: "draft/ada" },
    });
  });

  it("fails for an altered reply in an open deliberation, though another step is missing there", async () => {
    const on = stage({ protocols: [council], script: { ...script, cyd: () => ({ hang: true }) } });
    const { opened } = await on.engine.open("r1", toyAsked("toy-council"));
    const id = opened.deliberation;
    const stop = new AbortController();
    const driving = on.engine.drive(id, { signal: stop.signal });
    await on.clock.advance(10);
    stop.abort();
    await driving;
    expect(await on.lines(id)).toMatchInlineSnapshot(`
      [
        "deliberation-opened < open",
        "answer-given < protocol/draft/ada",
        "reply-received < protocol/draft/bob",
        "answer-given < protocol/draft/bob/repair",
      ]
    `);
    expect(await on.engine.replay(id)).toEqual({ steps: 3, calls: 3 });
    const forged = stage({
      protocols: [council],
      store: () => altered(on.store, (entry) => withReply(entry, "draft/ada", "forged")),
    });
    await expect(forged.engine.replay(id)).rejects.toMatchObject({ code: "replay-differs" });
  });

  it("fails for an altered event", async () => {
    const on = await driven({ protocols: [council] }, toyAsked("toy-council"));
    const change = (entry: Entry): Entry =>
      isEvent(entry, "synthesis-given") ? { ...entry, data: { ...entry.data, text: "forged" } } : entry;
    const forged = stage({ protocols: [council], store: () => altered(on.store, change) });
    await expect(forged.engine.replay(on.id)).rejects.toMatchObject({
      code: "replay-differs",
      details: { key: "synthesis" },
    });
  });

  it("fails for an altered conclusion, and for an altered closing", async () => {
    const protocol = measuring(() => Promise.resolve(7));
    const on = await driven({ protocols: [protocol] }, toyAsked("toy-measuring"));
    const concluded = (entry: Entry): Entry =>
      isEvent(entry, "note-taken") ? { ...entry, data: { ...entry.data, body: { twice: 15 } } } : entry;
    const one = stage({ protocols: [protocol], store: () => altered(on.store, concluded) });
    await expect(one.engine.replay(on.id)).rejects.toMatchObject({ details: { key: "conclusion" } });
    const closed = (entry: Entry): Entry =>
      isEvent(entry, "deliberation-closed") ? { ...entry, data: { outcome: "failed", why: "no" } } : entry;
    const two = stage({ protocols: [protocol], store: () => altered(on.store, closed) });
    await expect(two.engine.replay(on.id)).rejects.toMatchObject({ details: { key: "close" } });
  });

  it("fails for a record that is missing", async () => {
    const on = await driven({ protocols: [council] }, toyAsked("toy-council"));
    const gap = altered(on.store, (entry) =>
      entry.origin.by === "protocol" && entry.origin.step === "synthesis" ? undefined : entry,
    );
    const renumbered = alterStore(gap, (part) => ({
      read: async (id) => (await part.read(id)).map((entry, index) => ({ ...entry, seq: index + 1 })),
    }));
    const torn = stage({ protocols: [council], store: () => renumbered });
    await expect(torn.engine.replay(on.id)).rejects.toMatchObject({ code: "step-unrecorded" });
  });

  it("fails for a record that the protocol does not use, and for one of other input", async () => {
    const on = await driven({ protocols: [council] }, toyAsked("toy-council"));
    const closing = (await on.store.for(LOCAL).read(on.id)).at(-1);
    const shortcut = toyProtocol(
      () => Promise.resolve(closing && isEvent(closing, "deliberation-closed") ? closing.data : nothingToSay),
      { name: "toy-council" },
    );
    const other = stage({ protocols: [shortcut], store: () => on.store });
    await expect(other.engine.replay(on.id)).rejects.toMatchObject({
      code: "replay-differs",
      details: { what: "it is recorded, but the protocol does not take this step" },
    });
    const changed = stage({
      protocols: [
        { ...council, deliberate: (context) => council.deliberate({ ...context, question: "what?" }) },
      ],
      store: () => on.store,
    });
    await expect(changed.engine.replay(on.id)).rejects.toMatchObject({ code: "step-changed" });
  });

  it("reads an open deliberation as far as it goes, and a cancelled one as far as it went", async () => {
    const on = stage({ protocols: [council], script: { ...script, chair: () => ({ hang: true }) } });
    const { opened } = await on.engine.open("r1", toyAsked("toy-council"));
    const id = opened.deliberation;
    expect(await on.engine.replay(id)).toEqual({ steps: 0, calls: 0 });
    const driving = on.engine.drive(id, { signal: alone });
    await on.clock.advance(10);
    expect(await on.engine.replay(id)).toEqual({ steps: 5, calls: 4 });
    await on.engine.cancel(id, "enough");
    await on.clock.settle(driving);
    expect(await on.engine.replay(id)).toEqual({ steps: 5, calls: 4 });
  });
});
