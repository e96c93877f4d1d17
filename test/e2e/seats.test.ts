import { describe, expect, it } from "vitest";
import { built, somewhere } from "./parley.ts";

built();

describe("a person's seat", () => {
  it("waits with exit 8, and is answered by another process", async () => {
    await using here = somewhere();
    const asked = await here.run(["ask", "What is 17 * 23?", "--models", "sim/ada", "--seat", "ana:member"]);
    expect(asked).toMatchObject({ code: 8, stdout: "" });
    const [, id = ""] = /parley seat (\w+)/.exec(asked.stderr) ?? [];
    const answered = await here.run(["seat", id, "--user", "ana", "--answer", "Final answer: 391"]);
    expect(answered.stdout).toContain("391");
    expect(answered.code).toBe(0);
    const again = await here.run(["seat", id, "--user", "ana", "--answer", "Final answer: 0", "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ finalAnswer: "391" });
  });

  it("is left out by name where the person abstains", async () => {
    await using here = somewhere();
    const models = ["--models", "sim/ada,sim/bo"];
    const asked = await here.run(["council", "What is 17 * 23?", ...models, "--seat", "ana:member"]);
    const [, id = ""] = /parley seat (\w+)/.exec(asked.stderr) ?? [];
    const both = await here.run(["seat", id, "--user", "ana", "--abstain", "--answer", "391"]);
    expect(both.stderr).toContain("--abstain leaves the step unanswered");
    const left = await here.run(["seat", id, "--user", "ana", "--abstain"]);
    expect(left.stderr).toContain("Your abstention is recorded");
    expect(left.stdout).toContain("391");
    expect(left.stdout + left.stderr).toContain("ana abstained");
    const late = await here.run(["seat", id, "--user", "ana", "--abstain"]);
    expect(late.stderr).toContain("Not recorded");
  });
});
