import { fstatSync } from "node:fs";
import { Fault } from "../kernel/index.ts";
import type { Output } from "./output.ts";

/** A text given on standard input may have this many bytes. */
const MOST_BYTES = 4 * 1024 * 1024;
/** A socket on stdin is often just what a parent process left open: so long it may take to say something. */
const SOCKET_WAIT_MS = 250;
const PATIENCE_MS = 2_000;

/** What is piped or redirected into the command; undefined for a terminal, a closed stdin, or nothing. */
export async function readStandardInput(output: Output): Promise<string | undefined> {
  const kind = kindOfStdin();
  if (kind === "none") return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { stdin } = process;
  const whole = (async () => {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_BYTES)
        throw new Fault("configuration", { why: "standard input has more than 4 MB", next: "give less" });
    }
  })();
  const hint = setTimeout(
    () => output.note("Reading standard input; Ctrl-D or the end of the pipe ends it"),
    PATIENCE_MS,
  );
  try {
    if (kind === "socket") {
      await Promise.race([whole, new Promise((resolve) => setTimeout(resolve, SOCKET_WAIT_MS))]);
      if (bytes === 0) return undefined;
    }
    await whole;
  } finally {
    clearTimeout(hint);
    stdin.destroy();
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
    return text.trim() === "" ? undefined : text;
  } catch {
    throw new Fault("configuration", {
      why: "standard input is not UTF-8 text",
      next: "pipe text, or redirect </dev/null",
    });
  }
}

function kindOfStdin(): "none" | "socket" | "file" {
  if (process.stdin.isTTY) return "none";
  try {
    const stat = fstatSync(0);
    if (stat.isSocket()) return "socket";
    return stat.isFIFO() || stat.isFile() ? "file" : "none";
  } catch {
    return "none"; // a closed descriptor
  }
}
