import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandIo } from "../../../test/support/command-io.ts";
import { refusalOf, scratch, type Scratch } from "../../../test/support/scratch.ts";
import { EXIT } from "../exits.ts";
import { check, create, edit, list, show } from "./catalog.ts";

const FILE = "project/.parley/personas/a.yaml";
const MINE = 'id: analyst\nname: Mine\ndescription: Short.\ninstructions: {tone: "dry\\e[31m"}';

/** A command's place, with these variables; what it printed has HOME for the scratch folder. */
const at = ({ cwd, env, home }: Scratch, more: Record<string, string> = {}) => {
  const { io, written } = commandIo({ cwd, env: { ...env, ...more } });
  const printed = () => written.stdout.replaceAll(home, "HOME");
  return { io, printed, noted: () => written.stderr.replaceAll(home, "HOME") };
};

describe("the list", () => {
  it("keeps words whole in a narrow terminal, and says what is shadowed", async () => {
    using place = scratch({ [FILE]: MINE });
    const { io, printed } = at(place);
    const stdout = { ...io.output.stdout, columns: 40 };
    await list({ ...io, output: { ...io.output, stdout } }, "personas", { json: false });
    expect(printed()).toContain("analyst (project)\n");
    expect(printed()).toContain("analyst (built-in, shadowed)\n    Takes the question apart and checks\n");
    expect(
      Math.max(
        ...printed()
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(40);
    expect(printed()).not.toContain("\u001B");
  });
});

describe("show", () => {
  it("prints what a prompt will say and what it shadows, and nothing that acts on a terminal", async () => {
    using place = scratch({ [FILE]: MINE });
    const { io, printed } = at(place);
    await show(io, "personas", { json: false, id: "analyst" });
    expect(printed()).toContain(
      "analyst (project)\nHOME/project/.parley/personas/a.yaml\n(built-in, shadowed) ",
    );
    expect(printed()).toContain("## Tone\ndry");
    expect(printed()).not.toContain("\u001B");
  });
});

describe("check", () => {
  it("has one line with its place for each file that cannot be used, names missing parts, and exits with 1", async () => {
    using place = scratch({ [FILE]: MINE, "project/.parley/personas/b.md": "You think." });
    const { io, printed } = at(place);
    expect(await check(io, "personas", { json: false, files: [] })).toBe(EXIT.refusedByCheck);
    const [missing, broken, sum] = printed().split("\n");
    expect(missing).toMatch(
      /^HOME\/project\/\.parley\/personas\/a\.yaml: analyst has no identity-and-role, /,
    );
    expect(broken).toMatch(
      /^HOME\/project\/\.parley\/personas\/b\.md:1:1: a persona in Markdown begins with/,
    );
    expect(sum).toBe("12 of 13 personas can be used");
  });
  it("reads the files that are named, and none from elsewhere", async () => {
    using place = scratch({ [FILE]: MINE });
    const { io, printed } = at(place);
    const file = ".parley/personas/a.yaml";
    expect(await check(io, "personas", { json: false, files: [file] })).toBe(EXIT.answered);
    expect(printed()).toContain("1 of 1 personas can be used");
    const elsewhere = () => check(io, "personas", { json: false, files: ["x.yaml"] });
    expect(await refusalOf(elsewhere, place)).toMatch(/^HOME\/project\/x\.yaml is none of the personas/);
  });
});

describe("new", () => {
  it("prints the file that it wrote", async () => {
    using place = scratch();
    const { io, printed } = at(place);
    await create(io, "packs", { id: "mine", project: true, from: "risk-review" });
    expect(printed()).toBe("HOME/project/.parley/packs/mine.yaml\n");
    expect(readFileSync(join(place.cwd, ".parley/packs/mine.yaml"), "utf8")).toMatch(
      /^id: mine\nname: Risk review\n/,
    );
  });
});

describe("edit", () => {
  it("opens a copy of one that ships, without a shell, and checks it afterwards", async () => {
    using place = scratch();
    const script = place.write("editor.cjs", 'require("fs").appendFileSync(process.argv[3], "x: 1\\n")');
    const { io, printed, noted } = at(place, { EDITOR: `${process.execPath} ${script} ;touch` });
    expect(await edit(io, "packs", "risk-review")).toBe(EXIT.refusedByCheck);
    expect(existsSync(join(place.cwd, "touch"))).toBe(false);
    expect(noted()).toContain("Copied the pack risk-review to HOME/.config/parley/packs/risk-review.yaml");
    expect(printed()).toMatch(/risk-review\.yaml:\d+:1: unknown key "x"/);
  });
  it("needs an editor that is there", async () => {
    using place = scratch({ [FILE]: MINE });
    expect(await refusalOf(() => edit(at(place).io, "personas", "analyst"), place)).toMatch(
      /^no editor is named; /,
    );
    const { io } = at(place, { VISUAL: join(place.cwd, "none") });
    expect(await refusalOf(() => edit(io, "personas", "analyst"), place)).toMatch(/none cannot be started; /);
  });
});
