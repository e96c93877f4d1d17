import { describe, expect, it } from "vitest";
import { Contributions } from "../../src/features/contributions/contract.ts";
import { PANEL, built, isProblem, resultIn, somewhere, type Ended } from "./parley.ts";

built();

const contributionsIn = ({ stdout }: Ended): Contributions => Contributions.parse(JSON.parse(stdout));

describe("parley contributions", () => {
  it("asks the chair once for every member and once more, and nobody a second time", async () => {
    await using place = somewhere();
    const { id } = resultIn(
      await place.run(["Should we move?", ...PANEL, "--effort", "3", "--json", "--quiet"]),
    );
    const poor = await place.run(["contributions", id, "--max-total-tokens", "100"]);
    expect(poor.code).toBe(5);
    expect(poor.stdout.replaceAll(/\s+/g, " ")).toContain(
      "budget exceeded: 4 of 4 re-runs of the chair are missing",
    );
    const first = await place.run(["contributions", id, "--json"]);
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(/^Re-running the chair, sim\/.*once with all drafts and 3 times with one/);
    expect(contributionsIn(first)).toMatchObject({
      simulated: true,
      calls: 4,
      leaveOneOut: { status: "measured" },
      vote: { status: "not-applicable" },
      overlap: { status: "measured" },
    });
    const again = await place.run(["contributions", id, "--json"]);
    expect(again.stderr).toBe("");
    expect(contributionsIn(again)).toMatchObject({ calls: 0, leaveOneOut: { status: "measured" } });
    const { stdout } = await place.run(["show", id]);
    expect(stdout).toMatch(/^Contributions \(measured\)\n +Member +text-overlap +leave-one-out$/m);
    const [member] = contributionsIn(again).members;
    const fork = await place.run(["show", member?.leaveOneOut?.fork ?? ""]);
    expect(fork.stdout).toMatch(/^Degraded: the draft of .*: withheld from the chair/);
  });

  it("measures without calls, and refuses in one line what it cannot measure", async () => {
    await using place = somewhere();
    const { id } = resultIn(await place.run(["What is 17 * 23?", "--json", "--quiet"]));
    const { code, stdout, stderr } = await place.run(["contributions", id, "--no-calls"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^simulated models\n/);
    expect(stdout).toMatch(/^Analyst +- +- +0\.33 /m);
    for (const args of [["nobody"], [id, "--repeats", "many"]]) {
      const refused = await place.run(["contributions", ...args]);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toSatisfy(isProblem);
    }
  });
});
