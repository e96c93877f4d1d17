import { validateAction } from "@action-validator/core";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";

const folder = join(import.meta.dirname, "../integrations/github-action");
const source = readFileSync(join(folder, "action.yml"), "utf8");

type Step = { readonly run?: string; readonly env?: Readonly<Record<string, string>> };
const action = parse(source) as {
  inputs: Record<string, { default: string }>;
  runs: { steps: readonly Step[] };
};

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "parley-action-"));
  mkdirSync(join(place, "bin"));
});
afterEach(() => rmSync(place, { recursive: true }));

/** A program in the place of another: it writes down how it was called, and does what its text says. */
function stub(name: string, text: string): void {
  const body = `#!/bin/bash\nprintf '%s\\n' "$@" >> ${join(place, `${name}.called`)}\nprintf -- '--\\n' >> ${join(place, `${name}.called`)}\n${text}\n`;
  writeFileSync(join(place, "bin", name), body, { mode: 0o755 });
}
const called = (name: string): readonly (readonly string[])[] =>
  existsSync(join(place, `${name}.called`))
    ? readFileSync(join(place, `${name}.called`), "utf8")
        .split("--\n")
        .slice(0, -1)
        .map((one) => one.split("\n").slice(0, -1))
    : [];

function script(name: string, env: Readonly<Record<string, string>>) {
  const output = join(place, "output");
  const run = spawnSync("bash", [join(folder, name)], {
    encoding: "utf8",
    cwd: place,
    env: {
      ...{
        PATH: `${join(place, "bin")}:${process.env["PATH"] ?? ""}`,
        RUNNER_TEMP: place,
        GITHUB_OUTPUT: output,
      },
      ...{
        GITHUB_REPOSITORY: "us/ours",
        HEAD_REPOSITORY: "us/ours",
        GITHUB_EVENT_NAME: "pull_request",
        ...env,
      },
    },
  });
  const written = existsSync(output) ? readFileSync(output, "utf8") : "";
  const outputs = Object.fromEntries(
    written
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(/=(.*)/s, 2) as [string, string]),
  );
  return { status: run.status, stdout: run.stdout, outputs };
}

/** Parley as the action starts it: a review that ends so, and exports of it. */
const parley = (value: object, exit: number): void =>
  stub(
    "parley",
    `if [ "$1" = export ]; then echo "exported $4"; exit 0; fi\ncat <<'JSON'\n${JSON.stringify(value)}\nJSON\nexit ${exit}`,
  );

test("the action fits the schema of actions", () => {
  expect(validateAction(source).errors).toEqual([]);
});

test("no step has anything of an event in its shell text: inputs go by variables", () => {
  const runs = action.runs.steps.flatMap(({ run }) => run ?? []);
  expect(runs).toHaveLength(3);
  for (const run of runs) expect(run).not.toContain("${{");
  expect(source).not.toMatch(/secrets\./);
});

describe("the review step", () => {
  test.each([
    [{ run: "r1", verdict: "pass" }, 0, { verdict: "pass", status: "0" }],
    [{ run: "r1", verdict: "block" }, 1, { verdict: "block", status: "1" }],
    [{ run: "r1", verdict: "inconclusive" }, 7, { verdict: "inconclusive", status: "7" }],
    [{ run: "r1", verdict: "pass" }, 3, { verdict: "inconclusive", status: "7" }],
    [{ run: "r1", verdict: "block" }, 0, { verdict: "inconclusive", status: "7" }],
    [{}, 0, { verdict: "inconclusive", status: "7" }],
  ])("takes %j with exit %i for %j, and ends with 0 itself", (value, exit, outputs) => {
    parley(value, exit);
    const ended = script("review.sh", { INPUT_COMMAND: "parley", INPUT_BASE: "abc" });
    expect(ended.status).toBe(0);
    expect(ended.outputs).toMatchObject(outputs);
  });

  test("passes its inputs on as they are, whatever stands in them", () => {
    parley({ run: "r1", verdict: "pass" }, 0);
    const models = `a/b,c/d"; touch ${join(place, "x")}; $(touch ${join(place, "y")})`;
    script("review.sh", {
      INPUT_COMMAND: "parley",
      INPUT_BASE: "main",
      INPUT_MODELS: models,
      INPUT_PACK: "security",
      INPUT_MAX_COST_USD: "2",
    });
    expect(called("parley")[0]).toEqual([
      ...["review", "--json", "--quiet", "--diff", "main", "--models", models],
      ...["--pack", "security", "--max-cost-usd", "2"],
    ]);
    expect([existsSync(join(place, "x")), existsSync(join(place, "y"))]).toEqual([false, false]);
  });

  test("writes no output that a run's id or a reason makes up", () => {
    parley({ run: "r1\nstatus=0\nverdict=pass", verdict: "inconclusive", why: "x\n::error::y" }, 7);
    const { outputs, stdout } = script("review.sh", { INPUT_COMMAND: "parley" });
    expect(outputs).toMatchObject({ status: "7", verdict: "inconclusive" });
    expect(stdout).not.toMatch(/^::error::y/m);
  });

  test.each([
    ["fail", "7"],
    ["neutral", "0"],
  ])("asks no model for a fork's pull request, and says so (%s)", (fork, status) => {
    parley({ run: "r1", verdict: "pass" }, 0);
    const ended = script("review.sh", {
      INPUT_COMMAND: "parley",
      INPUT_FORK: fork,
      HEAD_REPOSITORY: "them/theirs",
    });
    expect(called("parley")).toEqual([]);
    expect(ended.outputs).toEqual({ asked: "false", status, verdict: "inconclusive" });
    expect(ended.stdout).toMatch(
      /^::(?:error|warning) title=parley review::Not reviewed: this pull request is of a fork/,
    );
  });

  test("refuses to run beside secrets on a stranger's change", () => {
    parley({ run: "r1", verdict: "pass" }, 0);
    const ended = script("review.sh", {
      INPUT_COMMAND: "parley",
      GITHUB_EVENT_NAME: "pull_request_target",
      INPUT_FORK: "neutral",
    });
    expect({ calls: called("parley"), status: ended.outputs["status"] }).toEqual({ calls: [], status: "7" });
  });
});

describe("the comment step", () => {
  const comment = (ids: string) => {
    stub("gh", `case "$*" in *--paginate*) printf '%s' '${ids}' ;; esac`);
    const file = join(place, "comment.md");
    writeFileSync(file, "<!-- parley-review -->\nIt passes.\n");
    const { status } = script("comment.sh", { PULL_REQUEST: "12", COMMENT_FILE: file });
    return { status, last: called("gh").at(-1)?.slice(0, 4) };
  };

  test("writes a comment, and the next time the same one", () => {
    expect(comment("")).toEqual({
      status: 0,
      last: ["api", "--method", "POST", "repos/us/ours/issues/12/comments"],
    });
    expect(comment("77\n78\n")).toEqual({
      status: 0,
      last: ["api", "--method", "PATCH", "repos/us/ours/issues/comments/77"],
    });
  });

  test("takes a comment for its own only where a program wrote it and it begins with the mark", () => {
    comment("");
    const filter = called("gh")[0]?.at(-1) ?? "";
    const all = [
      { id: 1, user: { type: "User" }, body: "<!-- parley-review -->" },
      { id: 2, user: { type: "Bot" }, body: "quoted: <!-- parley-review -->" },
      { id: 3, user: { type: "Bot" }, body: "<!-- parley-review -->\nfine" },
    ];
    try {
      expect(execFileSync("jq", [filter], { input: JSON.stringify(all), encoding: "utf8" }).trim()).toBe("3");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error; // without jq the filter is not run
      expect(filter).toContain('startswith("<!-- parley-review -->")');
    }
  });

  test("changes no verdict where it fails", () => {
    stub("gh", "exit 1");
    const file = join(place, "comment.md");
    writeFileSync(file, "x");
    expect(script("comment.sh", { PULL_REQUEST: "12", COMMENT_FILE: file }).status).toBe(0);
  });
});
