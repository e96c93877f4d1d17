import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { refusalOf, scratch } from "../../test/support/scratch.ts";
import { findInCatalog, readCatalog, writeNew } from "./catalog.ts";

const KINDS = ["personas", "strategies", "packs"] as const;
const LIKE = { personas: "historian", strategies: "goal-seeking", packs: "incident-review" };

describe("a catalog", () => {
  it("shows what is shadowed, hidden and unreadable, and where each comes from", () => {
    using place = scratch({
      "project/.parley/personas/a.yaml": "id: analyst\nname: Mine\ninstructions: {tone: dry}",
      "project/.parley/personas/b.yaml": "id: historian\nenabled: false",
      "project/.parley/personas/broken.yaml": "id: [",
      ".config/parley/personas/a.yaml": "id: analyst\nname: User's\ninstructions: x",
    });
    const states = readCatalog("personas", place).map(({ name, from, state }) => `${name} ${from} ${state}`);
    expect(states).toEqual(
      expect.arrayContaining([
        "analyst project used",
        "analyst user shadowed",
        "analyst built-in shadowed",
        "broken project unreadable",
        "historian project hides",
        "historian built-in hidden",
        "inventor built-in used",
      ]),
    );
    const [first] = findInCatalog("personas", "analyst", place);
    expect(first).toMatchObject({ from: "project", text: "## Tone\ndry" });
    expect(first.missing).toHaveLength(5);
    const broken = readCatalog("personas", place).find(({ name }) => name === "broken");
    expect(broken?.problem).toMatch(/broken\.yaml:1:\d+: /);
  });

  it.each(KINDS)("has files of %s that ship which can all be used", (kind) => {
    using place = scratch();
    for (const { problem, state, text } of readCatalog(kind, place)) {
      expect([problem, state]).toEqual([null, "used"]);
      expect(text).not.toBe("");
    }
  });

  it.each(KINDS)(
    "gets new %s that can be used, as a template and as a copy, and writes over none (CATALOG-1)",
    async (kind) => {
      using place = scratch();
      const path = writeNew(kind, { id: "mine", project: true }, place);
      expect(path).toBe(`${place.cwd}/.parley/${kind}/mine.yaml`);
      const like = findInCatalog(kind, LIKE[kind], place)[0];
      const copy = writeNew(kind, { id: "theirs", like }, place);
      expect(copy).toBe(`${place.home}/.config/parley/${kind}/theirs.yaml`);
      const again = findInCatalog(kind, "theirs", place)[0];
      writeNew(kind, { id: "third", like: again }, place);
      for (const id of ["mine", "theirs", "third"])
        expect(findInCatalog(kind, id, place)[0]).toMatchObject({ problem: null, state: "used" });
      expect(again.text).toBe(like.text);
      const before = readFileSync(path, "utf8");
      expect(
        await refusalOf(() => writeNew(kind, { id: "mine", project: true, like }, place), place),
      ).toMatch(/mine\.yaml is already there; edit it, or take another id$/);
      expect(readFileSync(path, "utf8")).toBe(before);
      expect(await refusalOf(() => writeNew(kind, { id: "../x" }, place), place)).toMatch(/cannot be an id/);
    },
  );

  it("names all that there are where nothing is near", () => {
    using place = scratch();
    expect(() => findInCatalog("packs", "lawyer", place)).toThrow(
      /there is no pack "lawyer"; there are architecture-decision, code-review, /,
    );
  });

  it("names the nearest of what is not there", async () => {
    using place = scratch();
    expect(await refusalOf(() => findInCatalog("packs", "risk", place), place)).toBe(
      'there is no pack "risk"; the nearest is risk-review',
    );
  });
});
