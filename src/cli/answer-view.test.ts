import { describe, expect, it } from "vitest";
import { DeliberationId, StepKey, type Frame } from "../kernel/index.ts";
import { createAnswerView } from "./answer-view.ts";
import type { Output } from "./output.ts";

// ANSWER-1 and ANSWER-2 of answer-view.ts.

function screen(terminal = true) {
  let written = "";
  const face = { terminal, color: false, columns: 80 };
  const output: Output = {
    result: (text) => {
      written += text;
      return Promise.resolve();
    },
    note: () => undefined,
    stdout: face,
    stderr: face,
  };
  return { view: createAnswerView(output), written: () => written };
}

const frame = (text: string, { step = "answer/A", attempt = 1, offset = 0 } = {}): Frame => ({
  deliberation: DeliberationId.parse("d"),
  step: StepKey.parse(step),
  kind: "text",
  delta: { attempt, offset, text },
});

describe("an answer on its way", () => {
  it("is written as it comes on a terminal, once", async () => {
    const { view, written } = screen();
    view.frame(frame("It is "));
    view.frame(frame("391.", { offset: 6 }));
    await new Promise(setImmediate);
    expect(written()).toBe("It is 391.");
    await view.end("It is 391.");
    expect(written()).toBe("It is 391.\n");
  });

  it("is written whole in the end elsewhere", async () => {
    const { view, written } = screen(false);
    view.frame(frame("It is "));
    await view.end("It is 391.\n\n");
    expect(written()).toBe("It is 391.\n");
  });

  it("ANSWER-1: is written anew where a piece of it was lost", async () => {
    const { view, written } = screen();
    view.frame(frame("It "));
    view.frame(frame("391.", { offset: 6 }));
    await view.end("It is 391.");
    expect(written()).toBe("It \nIt is 391.\n");
  });

  it("ANSWER-2: is set off from an attempt that it replaces, and from a turn before", async () => {
    const { view, written } = screen();
    view.frame(frame("It is"));
    view.frame(frame("So: 391.", { attempt: 2 }));
    view.frame(frame("391.", { step: "answer/A/turn-2" }));
    await view.end("391.");
    expect(written()).toBe("It is\n— started again —\nSo: 391.\n— started again —\n391.\n");
  });

  it("ends its line when it is broken off, and begins none", async () => {
    const cut = screen();
    cut.view.frame(frame("It is"));
    await cut.view.breakOff();
    expect(cut.written()).toBe("It is\n");
    const never = screen();
    await never.view.breakOff();
    expect(never.written()).toBe("");
  });

  it("carries no control of a terminal", async () => {
    const { view, written } = screen();
    view.frame(frame("\u001b[2Jgone \u001b]0;x\u0007and on"));
    await view.end("\u001b[2Jgone \u001b]0;x\u0007and on");
    expect(written()).toBe("gone and on\n");
  });
});
