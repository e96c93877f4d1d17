import { expect, it } from "vitest";
import type { Call, Entry } from "../kernel/index.ts";
import { judgeProgress } from "./judge-progress.ts";

/** An entry as far as progress looks at it. */
const replied = (call: Partial<Call> & { readonly ok: boolean }, by = "protocol"): Entry =>
  ({
    type: call.ok ? "reply-received" : "degradation-noted",
    origin: { by },
    data: { call: { cost: { source: "provider", usd: 0.01 }, ...call } },
    // Only what is read is made up.
  }) as unknown as Entry;

const lines = (prompts: number) => {
  const written: string[] = [];
  const progress = judgeProgress({
    output: { write: (text) => written.push(text) > 0 },
    terminal: false,
    prompts,
    now: () => 0,
  });
  return { written, progress };
};

it("writes a line for every tenth of the prompts, with what failed and what it cost", () => {
  const { written, progress } = lines(20);
  progress.event(replied({ ok: true }));
  expect(written).toEqual([]);
  progress.event(replied({ ok: false, cost: { source: "unknown", usd: null } }));
  expect(written).toEqual(["Judging: 2 of 20 prompts · 1 failed · $0.0100 · 0 ms\n"]);
  progress.event(replied({ ok: true }, "adopted"));
  progress.event(replied({ ok: true, cost: { source: "unknown", usd: null } }));
  expect(written.at(-1)).toBe("Judging: 4 of 20 prompts · 1 failed · cost unknown · 0 ms\n");
  progress.stop();
  progress.event(replied({ ok: true }));
  expect(written).toHaveLength(2);
});

it("leaves one line behind on a terminal, and the cursor as it was", () => {
  const written: string[] = [];
  const output = { write: (text: string) => written.push(text) > 0, columns: 80, rows: 24 };
  const progress = judgeProgress({ output, terminal: true, prompts: 2, now: () => 0 });
  progress.event(replied({ ok: true, cost: { source: "free", usd: 0 } }));
  progress.stop();
  progress.stop();
  expect(written.join("").match(/Judging/g)).toHaveLength(1);
  expect(written.join("")).toContain("Judging: 1 of 2 prompts · free · 0 ms");
});
