import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { built, somewhere, type Somewhere } from "./parley.ts";

built();

const execute = promisify(execFile);
const cli = fileURLToPath(new URL("../../dist/cli.mjs", import.meta.url));

const has = (shell: string): boolean => {
  try {
    execFileSync(shell, ["-c", "exit"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** What a shell runs with: `parley` is on its path. */
function shellEnvironment({ folder, home }: Somewhere) {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "parley"), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(join(bin, "parley"), 0o755);
  return {
    PATH: `${bin}:${process.env["PATH"]}`,
    HOME: folder,
    PARLEY_HOME: home,
    OLLAMA_HOST: "127.0.0.1:1",
  };
}

const words = async (place: Somewhere, ...args: readonly string[]): Promise<string[]> => {
  const { code, stdout, stderr } = await place.run(["completion", "words", "--", ...args]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n").flatMap((line) => line.split("\t")[0] || []);
};

describe("what could come next", () => {
  it("are commands, options, and what these take", async () => {
    await using place = somewhere();
    const rows: [readonly string[], readonly string[]][] = [
      [["cou"], ["council"]],
      [["memory", "se"], ["search"]],
      [
        ["council", "--mo"],
        ["--models", "--mode"],
      ],
      [
        ["council", "--mode", ""],
        ["consensus", "vote"],
      ],
      [["council", "--mode=v"], ["--mode=vote"]],
      [["council", "--models", "sim/ada,sim/b"], ["sim/ada,sim/bo"]],
      [["council", "--strategy", "ri"], ["risk-averse"]],
      [["personas", "show", "hist"], ["historian"]],
      [["Which database fits?", "--eff"], ["--effort"]],
      [["ask", "--context", ""], [":files"]],
      [
        ["bench", ""],
        ["list", "show", "tasks", ":files"],
      ],
      [["serve", "keys", "re"], ["revoke"]],
      [
        ["completion", ""],
        ["bash", "zsh", "fish"],
      ],
      [["nosuch", "--nosuch", ""], [":files"]],
    ];
    expect(await Promise.all(rows.map(([args]) => words(place, ...args)))).toEqual(
      rows.map(([, found]) => found),
    );
    expect((await words(place, "")).length).toBeGreaterThan(30);
  });

  it("are runs, newest first, and nothing of a question acts on the terminal", async () => {
    await using place = somewhere();
    const ids: string[] = [];
    for (const question of ["What is 17 * 23?", "What is 2 + 2?\u001b]0;owned\u0007"]) {
      const { stdout } = await place.run(["ask", question, "--models", "sim/ada", "--json", "-q"]);
      ids.unshift((JSON.parse(stdout) as { id: string }).id);
    }
    expect(await words(place, "show", "")).toEqual(["last", ...ids]);
    expect(await words(place, "ask", "--continue", ids[1]?.slice(0, 6) ?? "")).toEqual([ids[1]]);
    const { stdout } = await place.run(["completion", "words", "--", "show", ""]);
    expect(stdout).not.toContain("\u001b");
  });

  it("is nothing, and no error, where a store cannot be opened", async () => {
    await using place = somewhere();
    const ended = await place.run(["completion", "words", "--", "show", ""], { PARLEY_STORE: "mysql://x/y" });
    expect(ended).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("is refused for another shell, with those that there are", async () => {
    await using place = somewhere();
    const ended = await place.run(["completion", "powershell"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(
      /^parley: there is no completion for "powershell"\.\nTry: parley completion \w+; /,
    );
  });
});

describe("the script", () => {
  it.each([
    ["parley cou", ["council"]],
    ["parley council --mo", ["--models", "--mode"]],
    ["parley council --mode=v", ["vote"]],
    ["parley council 'two words' --strategy nov", ["novelty"]],
    ["parley judge ", ["validate", "grade", "compare"]],
    ["parley bench READ", ["README.md"]],
    ["parley bench ta", ["tasks"]],
  ])("of bash completes %j", async (line, found) => {
    await using place = somewhere();
    const program = `source <(parley completion bash); COMP_LINE=$1; COMP_POINT=\${#1}; _parley 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await execute("bash", ["-c", program, "bash", line], { env: shellEnvironment(place) });
    expect(stdout.trim().split("\n")).toEqual(found);
  });

  it("of fish completes a line", async (test) => {
    test.skip(!has("fish"), "fish is not on this machine");
    await using place = somewhere();
    const program = "parley completion fish | source; complete -C 'parley council --mode '";
    const { stdout } = await execute("fish", ["--no-config", "-c", program], {
      env: shellEnvironment(place),
    });
    expect(stdout.trim().split("\n")).toEqual(["consensus", "vote"]);
  });

  it("of zsh is one that zsh can read, and registers itself", async (test) => {
    test.skip(!has("zsh"), "zsh is not on this machine");
    await using place = somewhere();
    const program =
      'autoload -U compinit; compinit -D -u; source <(parley completion zsh); print -r -- "$_comps[parley]"';
    const { stdout } = await execute("zsh", ["-f", "-c", program], { env: shellEnvironment(place) });
    expect(stdout.trim()).toBe("_parley");
  });
});
