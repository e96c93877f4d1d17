import { describe, expect, it } from "vitest";
import { oneLine, refuse, describeFileError } from "./tool.ts";

describe("troubleWith", () => {
  it.each([
    ["EACCES", "x may not be read"],
    ["EPERM", "x may not be read"],
    ["EIO", "x cannot be read (EIO)"],
    ["ERR_SOMETHING /etc/passwd", "x cannot be read"],
    [13, "x cannot be read"],
  ])("tells of %j without the error's own words", (code, reason) => {
    const error = Object.assign(new Error("EACCES: permission denied, open '/etc/passwd'"), { code });
    expect(describeFileError("x", error)).toEqual({ ok: false, reason });
  });

  it("takes anything that was thrown", () => {
    for (const thrown of [undefined, "/etc/passwd", new Error("/etc/passwd"), { code: "ENOENT" }])
      expect(describeFileError("x", thrown)).toEqual({ ok: false, reason: "x cannot be read" });
  });
});

describe("oneLine", () => {
  it("takes control, formatting and line characters for spaces, and cuts no pair", () => {
    expect(oneLine(" a\u0000\u001b[2J\u202e\u2028b\r\n", 80)).toBe("a [2J b");
    expect(oneLine("abc\u{1F600}", 5)).toBe("abc\u{1F600}");
    expect(oneLine("abc\u{1F600}d", 5)).toBe("abc…");
    expect(refuse("x".repeat(10_000)).reason).toHaveLength(600);
  });
});
