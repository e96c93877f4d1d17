import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a person typed on the terminal, until a line with a dot alone or Ctrl-D; undefined where Ctrl-C ended it. */
export async function readTypedAnswer(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const { createInterface } = await import("node:readline");
  const terminal = createInterface({ input: process.stdin, output: process.stderr, prompt: "> " });
  const lines: string[] = [];
  const how = await new Promise<"whole" | "edit" | "left">((resolve) => {
    terminal.on("line", (line) => {
      if (line.trim() === ".") resolve("whole");
      else if (line.trim() === "/edit") resolve("edit");
      else {
        lines.push(line);
        terminal.prompt();
      }
    });
    terminal.on("SIGINT", () => resolve("left"));
    terminal.on("close", () => resolve(lines.length > 0 ? "whole" : "left"));
    terminal.prompt();
  });
  terminal.removeAllListeners("close");
  terminal.close();
  process.stderr.write("\n");
  if (how === "left") return undefined;
  return how === "edit" ? editText(lines.join("\n"), env) : lines.join("\n");
}

/** The text as the user's editor leaves it; undefined where the editor fails. */
function editText(text: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "parley-"));
  try {
    const file = join(folder, "answer.md");
    writeFileSync(file, text, { mode: 0o600 });
    const [command = "vi", ...args] = (env["VISUAL"] ?? env["EDITOR"] ?? "vi").split(" ");
    const { status } = spawnSync(command, [...args, file], { stdio: "inherit" });
    return status === 0 ? readFileSync(file, "utf8") : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
