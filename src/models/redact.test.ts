import { describe, expect, it } from "vitest";
import { cleanMessage, createSecretFilter } from "./secret-filter.ts";

const secret = 'a+b/c="d-secret';
const none = createSecretFilter([]);

describe("a provider's words", () => {
  it("lose what looks like somebody else's key", () => {
    expect(cleanMessage("Incorrect API key provided: sk-proj-ab***********wxyz.", none)).toBe(
      "Incorrect API key provided: [redacted]",
    );
    expect(cleanMessage("got Bearer abcdefgh123", none)).toBe("got [redacted]");
    expect(cleanMessage("the task-oriented model", none)).toBe("the task-oriented model");
  });

  it("are one line of at most 500 units, cut only after the key is out", () => {
    expect(cleanMessage("a\u0000b\n\n\tc\u202Ed", none)).toBe("a b c d");
    const long = cleanMessage(`${"x".repeat(490)}${secret}${"y".repeat(90)}`, createSecretFilter([secret]));
    expect(long).toHaveLength(500);
    expect(long).not.toContain(secret.slice(0, 4));
    expect(cleanMessage("🦜".repeat(400), none).at(-2)).toBe("\uDD9C");
  });
});
