import { describe, expect, it } from "vitest";
import { emptyReplyFailure } from "./reply.ts";

describe("a reply that shows nothing", () => {
  it.each([
    "",
    " \n\t",
    "\u200b",
    " \u200b\u200d \ufeff\n",
    "\u2060\u00ad",
    "\u3164",
    "\0\u0007",
    "\u{e0041}",
  ])("is a failure: %j", (reply) => {
    expect(emptyReplyFailure(reply)).toEqual({ code: "unreadable", message: "the reply was empty" });
  });

  it.each(["0", ".", "\u200b1", "🦜", "–", "\u0301"])("is not %j", (reply) => {
    expect(emptyReplyFailure(reply)).toBeUndefined();
  });
});
