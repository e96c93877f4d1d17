import { describe, expect, it } from "vitest";
import { workOf, type Entry, type Frame } from "../kernel/index.ts";
import { stepOrigin } from "../../test/support/step-work.ts";
import {
  adopted,
  byStep,
  degradedCouncil,
  draftGiven,
  opened,
  participantId,
  sampleCall,
  stepKey,
  type Sample,
} from "../../test/support/sample-council.ts";
import { sampleDebate } from "../../test/support/sample-debate.ts";
import { createScreenLog } from "./screen.ts";
import { createScreen } from "./screen.ts";
import type { ScreenTime } from "./terminal.ts";
import { fakeLifecycle, fakeTerminal } from "../../test/support/terminal.ts";

/** Time that moves when it is told to. */
function fakeTime(): ScreenTime & { advance(ms: number): void } {
  let nowMs = 0;
  let timer: { readonly ms: number; readonly run: () => void; atMs: number } | undefined;
  return {
    now: () => nowMs,
    every: (ms, run) => {
      timer = { ms, run, atMs: nowMs + ms };
      return () => (timer = undefined);
    },
    advance(ms) {
      const untilMs = nowMs + ms;
      while (timer && timer.atMs <= untilMs) {
        nowMs = timer.atMs;
        timer.atMs += timer.ms;
        timer.run();
      }
      nowMs = untilMs;
    },
  };
}

function stage({ columns = 80, rows = 24, terminal = true, color = false } = {}) {
  const output = fakeTerminal(columns, rows);
  const time = fakeTime();
  const lifecycle = fakeLifecycle();
  const screen = createScreen({ output, terminal, color, time, lifecycle });
  return { output, time, lifecycle, screen };
}

const named = (key: string): Pick<Frame, "step" | "work"> => ({
  step: stepKey(key),
  work: workOf({ origin: stepOrigin(key) }),
});

const framing = (sample: Sample) => {
  const [first] = sample.entries;
  if (!first) throw new Error("the sample is empty");
  const { deliberation } = first;
  return {
    started: (key: string): Frame => ({ deliberation, ...named(key), kind: "started" }),
    text: (key: string, text: string, { offset = 0, attempt = 1 } = {}): Frame => ({
      deliberation,
      ...named(key),
      kind: "text",
      delta: { attempt, offset, text },
    }),
  };
};

const entryAt = (sample: Sample, key: string): Entry => {
  const found = sample.entries.find(({ origin }) => "step" in origin && origin.step === key);
  if (!found) throw new Error(`the sample has no step ${key}`);
  return found;
};

describe("on a terminal", () => {
  const sample = degradedCouncil();
  const frames = framing(sample);
  const [opening] = sample.entries;
  if (!opening) throw new Error("the sample is empty");

  it.each([
    [80, 24],
    [40, 12],
  ])("shows the council as it goes at %ix%i, and ends as one line", (columns, rows) => {
    const { output, time, screen } = stage({ columns, rows });
    output.write("$ parley\n");
    expect(output.screen()).toEqual(["$ parley", ""]);
    screen.event(opening);
    const seen = [output.screen()];
    const look = () => {
      time.advance(1_000);
      seen.push(output.screen());
    };
    for (const id of ["analyst", "builder", "skeptic"]) screen.frame(frames.started(`draft/${id}`));
    screen.frame(frames.text("draft/analyst", "17 * 20 is 340 \u001b[2Jand "));
    screen.frame(frames.text("draft/analyst", "17 * 3 is 51", { offset: 23 }));
    look();
    for (const entry of sample.entries.slice(1, 8)) screen.event(entry);
    screen.frame(frames.started("synthesis/chair"));
    screen.frame(frames.text("synthesis/chair", "It is **391**,\nas two of three found."));
    look();
    for (const entry of sample.entries.slice(8)) screen.event(entry);
    screen.stop();
    output.write("the answer\n");
    seen.push(output.screen());
    expect(seen.map((lines) => lines.join("\n")).join("\n--------\n")).toMatchSnapshot();
    expect(output.scrolled).toEqual([]);
    expect([output.cursorVisible, output.autowrap]).toEqual([true, true]);
  });

  it("says what calls wait for, and leaves finished texts above itself at a key, each once", () => {
    const output = fakeTerminal(80, 16);
    const time = fakeTime();
    let press = (): void => undefined;
    let isHeard = true;
    const keys = (show: () => void) => ((press = show), () => (isHeard = false));
    const screen = createScreen({
      output,
      terminal: true,
      color: false,
      time,
      lifecycle: fakeLifecycle(),
      keys,
    });
    screen.event(opening);
    for (const id of ["analyst", "builder", "skeptic"]) screen.frame(frames.started(`draft/${id}`));
    const limited = {
      kind: "waiting",
      for: "again",
      code: "rate-limited",
      ms: 14_000,
      attempt: 2,
      of: 4,
    } as const;
    screen.frame({ ...frames.started("draft/builder"), ...limited });
    screen.frame({ ...frames.started("draft/skeptic"), kind: "thinking", attempt: 1, text: "hm" });
    time.advance(5_000);
    const shown = output.screen().join("\n");
    expect(shown).toContain("drafting… 5 s");
    expect(shown).toContain("rate limited, again in 9 s (2 of 4)");
    expect(shown).toContain("thinking 5 s");
    expect(shown).not.toContain("d shows");
    press();
    screen.event(entryAt(sample, "draft/analyst"));
    time.advance(100);
    expect(output.screen().join("\n")).toContain("d shows 1 finished text");
    press();
    time.advance(100);
    const kept = output.screen();
    expect(kept[0]).toMatch(/^Analyst · draft$/);
    expect(kept.join("\n")).not.toContain("d shows");
    const before = output.writes.length;
    press();
    expect(output.writes.length).toBe(before);
    screen.stop();
    expect(isHeard).toBe(false);
  });

  it("draws ten times a second at most, however fast the frames come", () => {
    const { output, time, screen } = stage();
    screen.event(opening);
    for (let at = 0; at < 2_000; at += 1) {
      screen.frame(frames.text("draft/analyst", "word ", { offset: at * 5 }));
      time.advance(1);
    }
    expect(output.writes.length).toBeLessThanOrEqual(21);
    expect(output.writes.length).toBeGreaterThan(15);
    expect(output.screen().join("\n")).toContain("10,000 characters");
  });

  it("writes nothing before the first event and nothing after it was stopped", () => {
    const { output, time, lifecycle, screen } = stage();
    screen.frame(frames.started("draft/analyst"));
    time.advance(1_000);
    screen.stop();
    screen.event(opening);
    expect(output.writes).toEqual([]);

    const other = stage();
    other.screen.event(opening);
    other.screen.stop();
    const count = other.output.writes.length;
    other.screen.stop();
    other.screen.event(entryAt(sample, "draft/analyst"));
    other.screen.frame(frames.started("draft/builder"));
    other.time.advance(1_000);
    expect(other.output.writes).toHaveLength(count);
    expect([lifecycle.listeners(), other.lifecycle.listeners()]).toEqual([0, 0]);
  });

  it("starts a text anew with a later attempt", () => {
    const { output, time, screen } = stage();
    screen.event(opening);
    screen.frame(frames.text("draft/analyst", "the first beginning"));
    screen.frame(frames.text("draft/analyst", "anew", { attempt: 2 }));
    time.advance(100);
    expect(output.screen().join("\n")).toContain("drafting… 4 characters, attempt 2");
    expect(output.screen().join("\n")).not.toContain("beginning");
  });

  it("gives the cursor back when the process ends by itself, and at Ctrl-Z", () => {
    const { output, time, lifecycle, screen } = stage();
    screen.event(opening);
    expect(output.cursorVisible).toBe(false);
    lifecycle.emit("SIGTSTP");
    expect([output.cursorVisible, lifecycle.suspended]).toEqual([true, 1]);
    lifecycle.emit("SIGCONT");
    time.advance(100);
    expect(output.cursorVisible).toBe(false);
    lifecycle.emit("exit");
    expect([output.cursorVisible, output.autowrap]).toEqual([true, true]);
  });

  it("follows the terminal's size", () => {
    const { output, time, screen } = stage();
    screen.event(opening);
    output.columns = 40;
    output.rows = 6;
    time.advance(100);
    expect(output.screen().length).toBeLessThanOrEqual(6);
    screen.stop();
    expect(output.cursorVisible).toBe(true);
  });

  it("styles nothing without color", () => {
    const written = (color: boolean) => {
      const { output, time, screen } = stage({ color });
      screen.event(opening);
      screen.frame(frames.text("draft/analyst", "hm"));
      time.advance(200);
      screen.stop();
      return output.writes.join("");
    };
    expect(written(false)).not.toMatch(/\[\d+m/);
    expect(written(true)).toContain("[2m");
  });
});

describe("elsewhere", () => {
  it("is one plain line for each change, without tokens", () => {
    const sample = degradedCouncil();
    const frames = framing(sample);
    const { output, time, lifecycle, screen } = stage({
      terminal: false,
      columns: 1_000,
      rows: 100,
      color: true,
    });
    const [opening, ...rest] = sample.entries;
    if (opening) screen.event(opening);
    screen.frame(frames.started("draft/analyst"));
    for (let at = 0; at < 100; at += 1) screen.frame(frames.text("draft/analyst", "x", { offset: at }));
    screen.frame(frames.text("draft/analyst", "anew", { attempt: 2 }));
    time.advance(4_200);
    for (const entry of rest) {
      if (entry.type === "synthesis-given") screen.frame(frames.started("synthesis/chair"));
      screen.event(entry);
    }
    screen.stop();
    expect(output.screen().join("\n")).toMatchInlineSnapshot(`
      "council Kx7sampleCouncil0001: analyst (openai/gpt-of-analyst), builder (anthropic/claude-of-builder), skeptic (compatible/house), chair (openai/gpt-of-chair)
      analyst: drafting…
      analyst: drafting again (attempt 2)…
      analyst: draft done (1.2 s, 312 tokens)
      builder: draft done (1.2 s, 312 tokens)
      skeptic: draft done (1.2 s, 312 tokens)
      3 of 3 drafts received
      analyst: review done (1.2 s, 150 tokens)
      builder: review done (1.2 s, 150 tokens)
      skeptic: review failed: network: connection reset
      Peer ranking: 1. analyst, 1. builder, 3. skeptic
      chair: writing…
      chair: synthesis done (2.0 s, 312 tokens)
      Done in 4.2 s, degraded · 6 calls · tokens unknown · $0.0126 + 3 calls unknown
      "
    `);
    expect(output.writes.join("")).not.toContain("\u001b");
    expect(lifecycle.listeners()).toBe(0);
  });

  it("says what was taken over, left out, asked again and asked back, and makes it printable", () => {
    const sample = opened();
    const { output, screen } = stage({ terminal: false, columns: 1_000, rows: 100 });
    const by = participantId("analyst");
    const why = "no ranking\n\u001b[2J";
    sample.add(
      draftGiven("analyst", "391"),
      adopted("draft/analyst", sample.entries[0]?.deliberation ?? fail()),
    );
    const out = [{ id: "skeptic", why }];
    sample.add(
      { type: "roster-fixed", data: { phase: "draft", in: ["analyst"], out } },
      byStep("draft/roster"),
    );
    sample.add(
      { type: "reply-received", data: { by, why, call: sampleCall("?") } },
      byStep("review/analyst"),
    );
    const ranking = { ok: false, reason: why } as const;
    const review = { by, shown: [], remarks: [], ranking, call: sampleCall("?") };
    sample.add({ type: "review-given", data: review }, byStep("review/analyst/repair"));
    const questions = [{ id: "q", text: "Which units?" }];
    sample.add({ type: "clarification-asked", data: { by, questions } }, byStep("clarify/analyst"));
    for (const entry of sample.entries) screen.event(entry);
    expect(output.screen().slice(1, -1)).toEqual([
      "analyst: draft reused from Kx7sampleCouncil0001",
      "1 of 2 drafts received; skeptic failed: no ranking",
      "analyst: reply could not be read, asking again: no ranking",
      "analyst: review could not be read: no ranking",
      "analyst asks: Which units?",
    ]);
  });
});

function fail(): never {
  throw new Error("the sample is empty");
}

describe("as lines", () => {
  const sample = sampleDebate();
  const logged = (verbose: boolean): readonly string[] => {
    const lines: string[] = [];
    const log = createScreenLog(
      (line) => lines.push(line),
      () => 0,
      { verbose },
    );
    for (const entry of sample.entries) log.event(entry);
    return lines;
  };

  it("says whom a summary is for, how much it shortened, and whom a critique is of", () => {
    const lines = logged(false);
    expect(lines.find((line) => line.includes("→"))).toMatch(
      /^tester: 12,000 → \d+ characters \(1\.2 s, \d+ tokens, length-based\)$/,
    );
    expect(lines.filter((line) => / on \w+: critique done/.test(line))).toHaveLength(3);
    expect(lines.join("\n")).not.toMatch(/summary-made|tool-called/);
  });

  it("shows each text's first line and each tool's call where it is verbose, bounded and printable", () => {
    expect(logged(false).filter((line) => line.startsWith("  "))).toEqual([]);
    const details = logged(true).filter((line) => line.startsWith("  "));
    expect(details).toContain('  tester: file_read {"path":"docs/queue.md"} → 21 characters');
    expect(details.filter((line) => line === "  Keep jobs in one table:").length).toBeGreaterThan(6);
    for (const line of details) expect(line.length).toBeLessThan(320);
  });

  it.each(["\u001b[2J", "\u009b31m", "a\rb", "\u202e", "x".repeat(5_000)])(
    "writes no more than a line of %j",
    (text) => {
      const lines: string[] = [];
      const log = createScreenLog(
        (line) => lines.push(line),
        () => 0,
        { verbose: true },
      );
      for (const entry of sampleDebate({ text, tool: text }).entries) log.event(entry);
      for (const line of lines) {
        expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
        expect(line.length).toBeLessThan(600);
      }
    },
  );

  it("names the tools that a reply calls", () => {
    const on = opened();
    const toolCalls = ["file_read", "list_files"].map((name, nth) => ({
      id: `${nth}`,
      name,
      arguments: "{}",
    }));
    const call = { ...sampleCall(""), toolCalls };
    on.add(
      { type: "reply-received", data: { by: participantId("analyst"), why: "it calls tools", call } },
      byStep("draft/analyst"),
    );
    const lines: string[] = [];
    const log = createScreenLog(
      (line) => lines.push(line),
      () => 0,
    );
    for (const entry of on.entries) log.event(entry);
    expect(lines.at(-1)).toMatch(/^analyst: calls file_read, list_files \(/);
  });
});
