import { describe, expect, it } from "vitest";
import { councilAsked, labelsIn, promptOf, taskOf } from "../../../../test/support/council-table.ts";
import { Participant, StepKey } from "../../../kernel/index.ts";
import { toyParticipant } from "../../../testing/kit.ts";
import type { Script } from "../../../testing/scripted-models.ts";
import { closingOf, stage } from "../../../testing/stage.ts";
import { LOCAL } from "../../../testing/store-samples.ts";
import { panelParts } from "../../../reports/panel.ts";
import { panelSection } from "../../../views/panel.ts";
import { resultOf } from "../../../views/result.ts";
import { council } from "./index.ts";

type Finals = { readonly ada: string; readonly bob: string };

/** Two members whose drafts two judges rank the other way round. */
function divided({ ada, bob }: Finals) {
  const member = (name: string, final: string) => (request: Parameters<typeof taskOf>[0]) =>
    taskOf(request) === "draft"
      ? `${name} says so.\n${final}`
      : JSON.stringify({ ranking: labelsIn(request) });
  const judge = (turn: (labels: string[]) => string[]) => (request: Parameters<typeof taskOf>[0]) =>
    JSON.stringify({ ranking: turn(labelsIn(request).sort()) });
  const script: Script = {
    ada: member("ada", ada),
    bob: member("bob", bob),
    judy: judge((labels) => labels),
    jo: judge((labels) => labels.reverse()),
  };
  return stage({ protocols: [council], script });
}

const DIFFERENT = { ada: "Final answer: 391", bob: "Final answer: 381" };

const asked = (people: readonly string[] = []) => {
  const opening = councilAsked({
    members: ["ada", "bob"],
    judges: ["judy", "jo"],
    settings: { mode: "vote" },
  });
  const seats = people.map((name) => ({
    ...toyParticipant(name, "tie-break"),
    model: Participant.shape.model.parse(`human/${name}`),
  }));
  return { ...opening, participants: [...opening.participants, ...seats] };
};

describe("a vote with a tie", () => {
  it("is a tie where nobody has two drafts to rank, and pays for no review", async () => {
    const on = divided(DIFFERENT);
    const opening = councilAsked({ members: ["ada", "bob"], settings: { mode: "vote" } });
    const { entries } = await on.play(opening);
    expect(closingOf(entries)).toMatchObject({ outcome: "inconclusive", why: "ada and bob are tied" });
    expect(on.models.count()).toBe(2);
    const same = divided({ ...DIFFERENT, bob: DIFFERENT.ada });
    expect(closingOf((await same.play(opening)).entries)).toMatchObject({ outcome: "answered" });
  });

  it("names no best draft, and is inconclusive where the tied drafts differ", async () => {
    const { entries } = await divided(DIFFERENT).play(asked());
    expect(closingOf(entries)).toMatchObject({
      outcome: "inconclusive",
      why: "ada and bob are tied",
      best: { control: { kind: "leading-draft" } },
    });
  });

  it("answers where the tied drafts come to the same", async () => {
    const { entries } = await divided({ ...DIFFERENT, bob: DIFFERENT.ada }).play(asked(["ana"]));
    expect(closingOf(entries)).toMatchObject({ outcome: "answered", control: { answer: { value: "391" } } });
    expect(panelSection(entries).tieBreak).toBeNull();
  });

  it("is broken by who has the seat, who sees the tied drafts alone", async () => {
    const on = divided(DIFFERENT);
    const { opened } = await on.engine.open("r1", asked(["ana"]));
    const id = opened.deliberation;
    expect(await on.drive(id)).toMatchObject({ status: "waiting", requests: ["seat/tie-break/ana"] });
    const step = StepKey.parse("tie-break/ana");
    const seat = await on.engine.lookAtSeat(id, step);
    const prompt = promptOf({ messages: seat?.messages ?? [] } as never);
    expect(prompt).toContain("Above are 2 answers");
    const [, label = ""] = /\[BEGIN answer (\w+) [^\n]*\nbob says so/.exec(prompt) ?? [];
    const other = label === "A" ? "B" : "A";
    const text = `FINAL RANKING:\n1. ${label}\n2. ${other}`;
    await on.store
      .for(LOCAL)
      .append(id, [{ type: "seat-answered", data: { step, person: "ana" as never, text } }], {
        by: "client",
        request: `seat/${step}`,
      });
    await on.drive(id);
    const entries = await on.store.for(LOCAL).read(id);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered", answer: "draft/bob" });
    const section = panelSection(entries);
    expect(section.tieBreak).toEqual({ by: "ana", chosen: "bob" });
    const result = resultOf(entries);
    if (!result) throw new Error("no result");
    expect(JSON.stringify(panelParts(section, result))).toContain("vote, won by bob (tie broken by ana)");
    expect(await on.engine.replay(id)).toMatchObject({ calls: 4 });
  });
});
