import { describe, expect, it } from "vitest";
import type { Message } from "../kernel/index.ts";
import { say } from "../../test/support/simulated.ts";

describe("a prompt of an unknown kind", () => {
  const fenced = (name: string, text: string): string =>
    `[BEGIN ${name} #0123456789abcdef]\n${text}\n[END ${name} #0123456789abcdef]`;
  const asked = (task: string, answers: readonly string[] = []): Message[] => [
    {
      role: "user",
      text: [
        fenced("question", "How many of our users will stay?"),
        ...answers.map((text, index) => fenced(`answer ${"ABC".charAt(index)}`, text)),
        `# Your task\n${task}`,
      ].join("\n\n"),
    },
  ];

  it("gets the final answer that it asks for, also of an open question", () => {
    const alone = asked("Estimate it on your own. End with a line `Final answer: ` and the estimate.");
    expect(say("sim/ada", alone)).toMatch(/\nFinal answer: \S[^\n]*$/);
    const answers = ["I say so.\nFinal answer: 42", "It is so.\nFinal answer: 42"];
    const again = asked("Estimate it again. Write on a line of its own:\nFinal answer: …", answers);
    expect(say("sim/ada", again)).toMatch(/\nFinal answer: 42$/);
  });

  it("gets none where the prompt makes that depend on the question", () => {
    const task = "Answer it. If it has a short answer (a number, a name), end with a line:\nFinal answer: …";
    expect(say("sim/ada", asked(task))).not.toContain("Final answer:");
  });

  it("gets JSON with an answer where it asks for a form that is not Parley's", () => {
    const messages: Message[] = [{ role: "user", text: "What is 17 * 23?" }];
    const text = say("sim/ada?skill=1", messages, { name: "own", schema: { type: "object" } });
    expect(JSON.parse(text)).toEqual({ answer: "391" });
  });

  it("is no debate's where no question is fenced", () => {
    const text = 'Reply {"questions": []}.\n## Requirements Coverage';
    expect(say("sim/ada", [{ role: "user", text }])).toContain("placeholder");
  });
});
