import { expect, it } from "vitest";
import { capture } from "../scripts/child.mjs";

const { env } = process;
const cwd = import.meta.dirname;

it("gives back what a command printed and how it ended", async () => {
  const limitMs = 10_000;
  expect(await capture(["echo out; echo err >&2; exit 3"], { cwd, env, shell: true, limitMs })).toEqual({
    code: 3,
    output: "out\nerr\n",
  });
  const killed = await capture(["kill -TERM $$"], { cwd, env, shell: true, limitMs });
  expect(killed.code).toBe(143);
});

it("ends a command at its limit with all that it has started", async ({ skip }) => {
  skip(process.platform === "win32", "Windows has no groups of processes");
  // What the shell leaves behind holds its output open, for longer than this test may take.
  const late = await capture(["echo begun; sleep 99 & sleep 99"], { cwd, env, shell: true, limitMs: 300 });
  expect(late).toEqual({ code: 124, output: "begun\n" });
});
