import { describe, expect, it } from "vitest";
import { agreeable, councilAsked } from "./support/council-table.ts";
import { council } from "../src/features/council/protocol/index.ts";
import { stage } from "../src/testing/stage.ts";
import { filePart, sessionOf } from "../src/views/run-part.ts";
import { votesIn } from "../src/views/votes.ts";

const MEMBERS = ["ada", "bob", "cyd"];
const played = async () => {
  const table = stage({ protocols: [council], script: agreeable([...MEMBERS, "chair"]) });
  return { table, ...(await table.play(councilAsked({ members: MEMBERS }))) };
};

describe("votes", () => {
  it("are one for each draft that a reviewer was shown, with its place and its rank", async () => {
    const { entries, id } = await played();
    const votes = votesIn(entries);
    expect(votes).toHaveLength(6);
    expect(new Set(votes.map(({ voter, candidate }) => `${voter.persona}>${candidate.persona}`)).size).toBe(
      6,
    );
    expect(votes[0]).toMatchObject({
      deliberation: id,
      conversation: id,
      turn: 1,
      protocol: "council",
      of: 2,
    });
    expect(votes.filter(({ rank }) => rank === 1)).toHaveLength(3);
    for (const { voter, candidate } of votes) expect(voter.persona).not.toBe(candidate.persona);
  });

  it("make a session of a league, whose places are the standing's", async () => {
    const { entries } = await played();
    const part = filePart(entries)?.part;
    const session = part ? sessionOf(part, "model") : undefined;
    expect(session?.ballots).toHaveLength(3);
    expect(session?.places.map(({ player }) => player).sort()).toEqual(MEMBERS.map((name) => `sim/${name}`));
  });

  it("are counted in the run in which they were cast, not in a fork that took them over", async () => {
    const { table, id, entries } = await played();
    const { opened } = await table.engine.fork(id, { request: "r2", changes: {} });
    await table.drive(opened.deliberation);
    const organization = await table.store.findOrganization(opened.deliberation);
    const forked =
      organization === undefined ? [] : await table.store.for(organization).read(opened.deliberation);
    expect(forked.some(({ type }) => type === "review-given")).toBe(true);
    expect([votesIn(entries).length, votesIn(forked).length]).toEqual([6, 0]);
    expect(filePart(forked)?.part?.ballots ?? []).toEqual([]);
  });

  it("are none in a run without reviews", () => {
    expect(votesIn([])).toEqual([]);
    expect(filePart([])).toBeUndefined();
  });
});
