import { describe, expect, it } from "vitest";
import { DEFAULT_RUBRIC, loadRubric } from "./rubrics.ts";
import { refusalOf, scratch } from "../../test/support/scratch.ts";

const rubric = (more = "") =>
  `name: mine\ncriteria: Is it kind?\nanchors: {1: no, 2: hardly, 3: in part, 4: mostly, 5: yes}\n${more}`;

describe("rubrics", () => {
  it("ship with one that says what each grade stands for", () => {
    using place = scratch();
    const { name, criteria, anchors } = loadRubric(DEFAULT_RUBRIC, place);
    expect(name).toBe(DEFAULT_RUBRIC);
    expect(criteria).toMatch(/\?$/);
    expect(Object.keys(anchors)).toEqual(["1", "2", "3", "4", "5"]);
    expect(new Set(Object.values(anchors)).size).toBe(5);
  });

  it("are read by name from the project, then the user's, and from a file", () => {
    using place = scratch({ ".config/parley/rubrics/kind.yaml": rubric() });
    expect(loadRubric("kind", place).criteria).toBe("Is it kind?");
    place.write("project/.parley/rubrics/kind.yaml", rubric().replace("kind?", "brief?"));
    expect(loadRubric("kind", place).criteria).toBe("Is it brief?");
    place.write("project/own.yaml", rubric());
    expect(loadRubric("./own.yaml", place).anchors[5]).toBe("yes");
  });

  it("are refused with what is wrong and where", async () => {
    using place = scratch({
      "project/key.yaml": rubric("crit: x\n"),
      "project/four.yaml": rubric().replace(", 5: yes", ""),
      "project/six.yaml": rubric().replace("5: yes", "5: yes, 6: more"),
      "project/list.yaml": "name: mine\ncriteria: Is it kind?\nanchors: [no, hardly, in part, mostly, yes]\n",
      "project/name.yaml": rubric().replace("mine", "My Rubric"),
    });
    const refusal = (file: string) => refusalOf(() => loadRubric(file, place), place);
    expect(await refusal("helpfullness")).toContain("there are answer-quality");
    expect(await refusal("key.yaml")).toMatch(/key\.yaml:4:1: unknown key "crit"; did you mean criteria/);
    expect(await refusal("four.yaml")).toContain("anchors.5 is missing");
    expect(await refusal("six.yaml")).toContain('unknown key "6"');
    expect(await refusal("list.yaml")).toMatch(
      /list\.yaml:3: ?\S* ?anchors must be a mapping \(got a list of \d\); .*anchors: \{1: /,
    );
    expect(await refusal("name.yaml")).toContain("name is not valid");
    expect(await refusal("none.yaml")).toContain("does not exist");
  });
});
