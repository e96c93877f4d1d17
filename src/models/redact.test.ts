import { describe, expect, it } from "vitest";
import { cleanMessage, removeSecrets } from "./redact.ts";

const secret = 'a+b/c="d-secret';

describe("a provider's words", () => {
  it("lose every form of our key", () => {
    const forms = [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret),
      Buffer.from(secret).toString("base64"),
    ];
    for (const form of forms) expect(removeSecrets(`<${form}>`, [secret])).toMatch(/^<"?\[redacted\]=*"?>$/);
  });

  it("lose what looks like somebody else's", () => {
    expect(cleanMessage("Incorrect API key provided: sk-proj-ab***********wxyz.", [])).toBe(
      "Incorrect API key provided: [redacted]",
    );
    expect(cleanMessage("got Bearer abcdefgh123", [])).toBe("got [redacted]");
    expect(cleanMessage("the task-oriented model", [])).toBe("the task-oriented model");
  });

  it("are one line of at most 500 units, cut only after the key is out", () => {
    expect(cleanMessage("a\u0000b\n\n\tc\u202Ed", [])).toBe("a b c d");
    const long = cleanMessage(`${"x".repeat(490)}${secret}${"y".repeat(90)}`, [secret]);
    expect(long).toHaveLength(500);
    expect(long).not.toContain(secret.slice(0, 4));
    expect(cleanMessage("🦜".repeat(400), []).at(-2)).toBe("\uDD9C");
  });

  it("keep a placeholder that is no key", () => {
    expect(removeSecrets("axe", ["x"])).toBe("axe");
  });
});
