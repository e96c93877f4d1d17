import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeliberationId, StepKey, type Frame } from "../../../kernel/index.ts";
import { markdownLines } from "../../../reports/terminal-markdown.ts";
import { fakeLifecycle, fakeTerminal } from "../../../../test/support/terminal.ts";
import { createAnswerView } from "./answer-view.ts";
import type { Output } from "../../../cli/output.ts";
import { sized } from "../../../../test/support/long.ts";
import { expectLinearAsync } from "../../../../test/support/growth.ts";

/** A view on a terminal that draws when it is told to. */
async function stage({ columns = 80, rows = 24, terminal = true } = {}) {
  const screen = fakeTerminal(columns, rows);
  const lifecycle = fakeLifecycle();
  let tick: () => void = () => undefined;
  const face = {
    terminal,
    color: false,
    get columns() {
      return screen.columns;
    },
    rows,
  };
  const output: Output = {
    result: (text) => Promise.resolve(void screen.write(text)),
    note: () => undefined,
    stdout: face,
    stderr: face,
  };
  const every = (_ms: number, run: () => void) => {
    tick = run;
    return () => (tick = () => undefined);
  };
  const view = await createAnswerView(output, { every, lifecycle });
  return {
    ...{ view, screen, lifecycle },
    /** What a person sees after the next draw, and has seen above it. */
    async shown(): Promise<string> {
      await new Promise(setImmediate);
      tick();
      return seen(screen);
    },
    seen: () => seen(screen),
  };
}

const seen = ({ scrolled, screen }: ReturnType<typeof fakeTerminal>): string =>
  [...scrolled, ...screen()].join("\n");

const frame = (text: string, { step = "answer/A", attempt = 1, offset = 0 } = {}): Frame => ({
  deliberation: DeliberationId.parse("d"),
  step: StepKey.parse(step),
  kind: "text",
  delta: { attempt, offset, text },
});

/** The whole text in pieces of one size. */
function pour(view: { frame(frame: Frame): void }, text: string, size = 7): void {
  for (let at = 0; at < text.length; at += size) view.frame(frame(text.slice(at, at + size), { offset: at }));
}

const rendered = (text: string, columns: number): string =>
  `${markdownLines(text, { width: columns - 1, color: false })
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd()}\n`;

const DOCUMENT = `# Costs

Two **things** matter, and \`one\` is this rather long line of a paragraph that has to be wrapped.

1. First, do *this*.
2. Then
   that.

| Risk | How likely |
| --- | --- |
| Table bloat | medium |

\`\`\`sql
select 1;
\`\`\`
> quoted`;

describe("an answer on its way", () => {
  it("shows the open block as it was written, and each block rendered when it has ended", async () => {
    const { view, shown, seen } = await stage({ columns: 30 });
    view.frame(frame("## Co"));
    expect(await shown()).toBe("## Co\n");
    view.frame(frame("sts\n\n| a | b |\n| --- | --- |\n| 1 ", { offset: 5 }));
    expect(await shown()).toBe("## Costs\n\n| a | b |\n| --- | --- |\n| 1\n");
    view.frame(frame("| 2 |\n\nSo", { offset: 38 }));
    expect(await shown()).toBe("## Costs\n\na  b\n─  ─\n1  2\n\nSo\n");
    await view.end("## Costs\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nSo");
    expect(seen()).toBe("## Costs\n\na  b\n─  ─\n1  2\n\nSo\n");
  });

  it.each([
    [80, 24],
    [40, 24],
    [24, 6],
    [12, 4],
  ])("ends at %i x %i with the rendered text, once, whatever its pieces", async (columns, rows) => {
    const text = fc.constantFrom(
      DOCUMENT,
      DOCUMENT.repeat(3),
      "Plain.",
      "\n\nLate\n",
      "| a |\n|--",
      "```\nopen\n\ncode",
    );
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 9 }),
        async (one, size, draws) => {
          const { view, shown, seen, screen, lifecycle } = await stage({ columns, rows });
          for (let at = 0; at < one.length; at += size) {
            view.frame(frame(one.slice(at, at + size), { offset: at }));
            if ((at / size) % draws === 0) await shown();
          }
          await view.end(one);
          expect(seen()).toBe(rendered(one, columns));
          expect([screen.cursorVisible, screen.autowrap, lifecycle.listeners()]).toEqual([true, true, 0]);
        },
      ),
      { numRuns: sized(25) },
    );
  });

  it("is written whole and as it came in the end where there is no terminal", async () => {
    const { view, screen } = await stage({ terminal: false });
    view.frame(frame("It is "));
    await view.end(`${DOCUMENT}\n\n`);
    expect(screen.writes.join("")).toBe(`${DOCUMENT}\n`);
  });

  it("is written anew where a piece of it was lost", async () => {
    const { view, seen } = await stage();
    view.frame(frame("It "));
    view.frame(frame("391.", { offset: 6 }));
    await view.end("It is 391.");
    expect(seen()).toBe("It\n\nIt is 391.\n");
  });

  it("is rendered where none of it came", async () => {
    const { view, seen } = await stage();
    await view.end("1. **It**\n2. is");
    expect(seen()).toBe("1. **It**\n2. is\n");
  });

  it("is set off from an attempt that it replaces, and from a turn before", async () => {
    const { view, seen } = await stage();
    view.frame(frame("It is"));
    view.frame(frame("So: 391.", { attempt: 2 }));
    view.frame(frame("391.", { step: "answer/A/turn-2" }));
    await view.end("391.");
    expect(seen()).toBe("It is\n— started again —\nSo: 391.\n— started again —\n391.\n");
  });

  it("is left whole and readable when it is broken off, and begins no line where none of it came", async () => {
    const cut = await stage({ columns: 30 });
    pour(cut.view, "# One\n\n| a | b |\n| --- | --- |\n| 1 ");
    await cut.shown();
    await cut.view.breakOff();
    expect(cut.seen()).toBe("# One\n\na  b\n─  ─\n1\n");
    expect([cut.screen.cursorVisible, cut.lifecycle.listeners()]).toEqual([true, 0]);
    const never = await stage();
    await never.view.breakOff();
    expect(never.screen.writes).toEqual([]);
  });

  it("gives the cursor back at once when the process exits in its middle", async () => {
    const { view, shown, screen, lifecycle } = await stage();
    view.frame(frame("It is"));
    await shown();
    expect(screen.cursorVisible).toBe(false);
    lifecycle.emit("exit");
    expect(screen.cursorVisible).toBe(true);
  });

  it("takes the width that the terminal has now", async () => {
    const { view, screen, shown, seen } = await stage({ columns: 60 });
    const sentence = "One of many words that stand in this line. ".repeat(3).trim();
    pour(view, `${sentence}\n\n`);
    await shown();
    screen.columns = 30;
    view.frame(frame(sentence, { offset: sentence.length + 2 }));
    await view.end(`${sentence}\n\n${sentence}`);
    const lines = [60, 30].map((width) =>
      markdownLines(sentence, { width: width - 1, color: false }).join("\n"),
    );
    expect(seen()).toBe(`${lines.join("\n\n")}\n`);
  });

  it("carries no control of a terminal", async () => {
    const text = "\u001b[2Jgone \u001b]0;x\u0007and on &#27;[2J";
    const { view, seen } = await stage();
    pour(view, text, 3);
    await view.end(text);
    expect(seen()).toBe("gone and on\n");
  });

  it.each([
    ["paragraphs", "Some **words** of a paragraph.\n\n"],
    ["one line", "word "],
    ["code", "```ts\nconst a = 1;\n"],
    ["a table", "| a | b |\n"],
  ])("takes %s in pieces of 20 characters in linear time", async (_, unit) => {
    const output: Output = {
      result: () => Promise.resolve(),
      note: () => undefined,
      stdout: FACE,
      stderr: FACE,
    };
    await expectLinearAsync(async (length) => {
      const text = unit.repeat(Math.ceil(length / unit.length));
      const view = await createAnswerView(output, { lifecycle: fakeLifecycle() });
      pour(view, text, 20);
      await view.end(text);
    }, 32_768);
  });
});

const FACE = { terminal: true, color: false, columns: 80, rows: 24 };
