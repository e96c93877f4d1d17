import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { askFields, bodyOf, peopleIn, type AskForm } from "./ask-form.ts";

const form = (given: {
  readonly protocol?: "ask" | "council" | "debate" | "respond";
  readonly seats?: string;
  readonly values?: Readonly<Record<string, string>>;
}): AskForm => ({
  question: signal("Why?"),
  protocol: signal(given.protocol ?? "ask"),
  models: signal([]),
  context: signal([]),
  seats: signal(peopleIn(given.seats ?? "")),
  values: Object.fromEntries(
    askFields.map((field) => [field, signal(given.values?.[field] ?? "")]),
  ) as AskForm["values"], // made from all fields
});

describe("what the form of a question sends", () => {
  it("is what its protocol takes, as the API has it", () => {
    const values = {
      effort: "3",
      rounds: "2",
      clarify: "true",
      chair: "sim/a, sim/b",
      personas: "analyst,x",
    };
    expect(bodyOf(form({ values }), "d1")).toEqual({
      ...{ question: "Why?", protocol: "ask", previous: "d1" },
      ...{ effort: 3, chair: ["sim/a", "sim/b"], personas: ["analyst", "x"] },
    });
    expect(bodyOf(form({ protocol: "debate", values }), undefined)).toEqual({
      ...{ question: "Why?", protocol: "debate", rounds: 2, clarify: true },
    });
  });

  it("drops nothing that somebody wrote: what is malformed is sent, and refused by the server", () => {
    expect(bodyOf(form({ values: { maxCostUsd: "ten" } }), undefined)).toMatchObject({ maxCostUsd: "ten" });
    expect(bodyOf(form({ seats: "ana:reviewer, bo ,cy:nonsense,:member" }), undefined)).toMatchObject({
      seats: [
        { name: "ana", seat: "reviewer" },
        { name: "bo", seat: "member" },
        { name: "cy", seat: "nonsense" },
      ],
    });
  });

  it("asks no people where the protocol has no seat for any", () => {
    expect(bodyOf(form({ protocol: "respond", seats: "ana:member" }), undefined)).not.toHaveProperty("seats");
  });
});
