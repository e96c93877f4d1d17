import { describe, expect, it } from "vitest";
import { createPasteInput } from "./chat-input.ts";

const START = "\u001b[200~";
const END = "\u001b[201~";

/** What the line editor gets of these chunks, and what the message is then. */
async function typing(...chunks: readonly string[]) {
  const refused: string[] = [];
  const { stream, expand } = createPasteInput((why) => void refused.push(why));
  const seen: string[] = [];
  stream.on("data", (data: Buffer) => void seen.push(data.toString()));
  for (const chunk of chunks) await new Promise((resolve) => stream.write(chunk, resolve));
  const line = seen.join("");
  return { line, message: expand(line), refused };
}

describe("a bracketed paste", () => {
  it("of several lines is one part of the message that is typed", async () => {
    const { line, message } = await typing(`Explain ${START}def f(x):\r  return x${END} please\r`);
    expect(line).toBe("Explain [paste 1: 2 lines] please\r");
    expect(message).toBe("Explain def f(x):\n  return x please\r");
  });

  it("is found wherever its marks are cut, and typed keys pass unchanged", async () => {
    const text = `a\u001b[A${START}é\nb${END}c`;
    for (let at = 1; at < text.length; at += 1) {
      const { message } = await typing(text.slice(0, at), text.slice(at));
      expect(message, String(at)).toBe("a\u001b[Aé\nbc");
    }
  });

  it("with escape sequences and an end mark of its own acts on nothing and submits nothing", async () => {
    const hostile = `one\u001b]0;title\u0007\u001b[2J${END}\rrm -rf\rtwo`;
    const { line, message } = await typing(`${START}${hostile}${END}`);
    expect(line).toMatch(/^\[paste 1: 3 lines\]$/);
    expect(message).toMatch(/^one[^]*\nrm -rf\ntwo$/);
    // eslint-disable-next-line no-control-regex
    expect(message).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
  });

  it("stands in the line as it is where it is short, and is left out above a million characters", async () => {
    expect(await typing(`${START}short${END}`)).toMatchObject({ line: "short", refused: [] });
    const half = "x".repeat(600_000);
    const { line, refused } = await typing(START + half, half, `${END}ok`);
    expect(line).toBe("ok");
    expect(refused).toEqual([
      "The paste has 1,200,000 characters and was left out. Try: parley ask --context FILE",
    ]);
  });
});
