import { LOCAL } from "../../../testing/store-samples.ts";
import { describe, expect, it } from "vitest";
import { isEvent, ParticipantId, StepKey, type Entry } from "../../../kernel/index.ts";
import { agreeable, councilAsked } from "../../../../test/support/council-table.ts";
import { stage } from "../../../testing/stage.ts";
import type { Rewriting } from "../../../protocols/phases/panel/settings.ts";
import { council } from "./index.ts";
import { withhold, type PanelMaterial } from "../../../protocols/phases/panel/synthesis.ts";

async function forked(rewriting: Omit<Rewriting, "by">, changes: { readonly mode?: string } = {}) {
  const on = stage({ protocols: [council], script: agreeable(["ada", "bob", "cyd", "chair"]) });
  const { opened } = await on.engine.open("r1", councilAsked());
  await on.drive(opened.deliberation);
  const [opening] = await on.store.for(LOCAL).read(opened.deliberation);
  if (!opening || !isEvent(opening, "deliberation-opened")) throw new Error("no opening");
  const before = on.models.calls.length;
  const settings = { ...opening.data.settings, ...changes, rewriting: { by: "chair", ...rewriting } };
  const fork = await on.engine.fork(opened.deliberation, { request: "fork", changes: { settings } });
  await on.drive(fork.opened.deliberation);
  const entries = await on.store.for(LOCAL).read(fork.opened.deliberation);
  return { entries, calls: on.models.calls.length - before };
}

const ids = (...names: string[]) => names as Rewriting["withheld"];

const find = <T extends Entry["type"]>(entries: readonly Entry[], type: T) =>
  entries.find((entry): entry is Extract<Entry, { type: T }> => entry.type === type);

describe("a council that withholds", () => {
  it("changes no step's digest where nothing is withheld: all is adopted", async () => {
    const { entries, calls } = await forked({ withheld: [], nth: 0 });
    expect(calls).toBe(0);
    expect(entries.filter(({ origin }) => origin.by === "adopted")).toHaveLength(10);
  });

  it("asks the chair alone once more for another repetition, under a step of its own", async () => {
    const { entries, calls } = await forked({ withheld: [], nth: 2 });
    expect(calls).toBe(1);
    expect(find(entries, "deliberation-closed")?.data).toMatchObject({
      outcome: "answered",
      answer: "synthesis/chair/again-2",
    });
  });

  it("adopts drafts and reviews, and reaches the standing and the control without the withheld", async () => {
    const { entries, calls } = await forked({ withheld: ids("ada"), nth: 0 });
    expect(calls).toBe(1);
    expect(entries.flatMap(({ type, origin }) => (origin.by === "protocol" ? [type] : []))).toEqual([
      "standing-reached",
      "synthesis-given",
    ]);
    const standing = find(entries, "standing-reached")?.data;
    expect(standing?.places.map(({ id, votes }) => [id, votes]).sort()).toEqual([
      ["bob", 1],
      ["cyd", 1],
    ]);
    expect(find(entries, "deliberation-closed")?.data).toMatchObject({
      control: { step: expect.stringMatching(/draft\/(bob|cyd)/) },
    });
  });

  it("gives no withheld draft in a vote", async () => {
    const whole = find(
      (await forked({ withheld: [], nth: 0 }, { mode: "vote" })).entries,
      "deliberation-closed",
    );
    const winner = whole && "answer" in whole.data ? whole.data.answer.replace("draft/", "") : "";
    const { entries, calls } = await forked({ withheld: ids(winner), nth: 0 }, { mode: "vote" });
    expect(calls).toBe(0);
    const closing = find(entries, "deliberation-closed")?.data;
    expect(closing).toMatchObject({ outcome: "answered", answer: expect.stringMatching(/^draft\//) });
    expect(closing).not.toMatchObject({ answer: `draft/${winner}` });
  });

  it("fails where every draft is withheld", async () => {
    const { entries, calls } = await forked({ withheld: ids("ada", "bob", "cyd"), nth: 0 });
    expect(calls).toBe(0);
    expect(find(entries, "deliberation-closed")?.data).toEqual({
      outcome: "failed",
      why: "every draft is withheld",
    });
  });
});

describe("a comparison without a draft", () => {
  const step = (name: string) => StepKey.parse(`draft/${name}`);
  const stance = (claim: string, ...names: readonly string[]) => ({ claim, of: names.map(step) });
  const place = (name: string) => {
    const id = ParticipantId.parse(name);
    const by = { id, seat: "member" } as PanelMaterial["table"][number]["by"]; // only who it is matters here
    return { by, step: step(name), text: name, final: null, label: name };
  };
  const table = ["ada", "bob", "cyd"].map(place);
  const material: PanelMaterial = {
    drafts: table,
    answers: table,
    table,
    reviews: { reviews: [], absent: [] },
    comparison: {
      by: ParticipantId.parse("chair"),
      agreements: [stance("all say so", "ada", "bob", "cyd"), stance("two say so", "ada", "bob")],
      contradictions: [
        { topic: "three ways", stances: [stance("a", "ada"), stance("b", "bob"), stance("c", "cyd")] },
        { topic: "one against two", stances: [stance("no", "ada"), stance("yes", "bob", "cyd")] },
      ],
      unique: [stance("ada alone", "ada"), stance("bob alone", "bob")],
    },
  };

  it("keeps what others hold, as what it then is", () => {
    expect(withhold(material, [ParticipantId.parse("ada")]).comparison).toEqual({
      by: "chair",
      agreements: [stance("all say so", "bob", "cyd"), stance("yes", "bob", "cyd")],
      contradictions: [{ topic: "three ways", stances: [stance("b", "bob"), stance("c", "cyd")] }],
      unique: [stance("two say so", "bob"), stance("bob alone", "bob")],
    });
    expect(withhold(material, [])).toBe(material);
  });
});
