import { describe, expect, it } from "vitest";
import { openFakeServer } from "../../../test/support/fake-server.ts";
import { pngOf } from "../../../test/support/media-samples.ts";
import { fetchContext } from "./web.ts";

// What servers say they send, against what they send.

const settings = { maxContextBytes: 1_000, maxAttachmentBytes: 1_000, fetchPrivate: true };

async function read(contentType: string, body: string | Buffer): Promise<unknown> {
  await using server = await openFakeServer((response) => {
    response.writeHead(200, contentType === "" ? {} : { "content-type": contentType }).end(body);
  });
  try {
    const found = await fetchContext({ env: {}, settings }, server.url);
    return "text" in found ? found.text : Buffer.from(found.base64, "base64");
  } catch (error) {
    return error instanceof Error
      ? error.message.replaceAll(`${server.url}/`, "URL ").replaceAll(server.url, "URL")
      : "";
  }
}

describe("what is at an address", () => {
  it.each([
    ["application/x-yaml", "a: 1"],
    ["image/svg+xml", "<svg><text>Hi</text></svg>"],
    ["application/x-sh; charset=utf-8", "ls"],
    ["application/sql", "select 1"],
  ])("is text where it is %s in plain words", async (type, body) => {
    expect(await read(type, body)).toBe(body);
  });

  it("is a picture by its bytes", async () => {
    const png = pngOf(3, 2);
    expect(await read("text/html", png)).toEqual(png);
  });

  it.each([
    ["image/heic", "\0\0\0\x18ftypheic\0", /is a HEIC picture, .* save it as PNG or JPEG$/],
    ["text/plain", "a\0b", /is binary; give a page, a text, a picture or a PDF$/],
    ["application/pdf", "<html>Log in", /says that it is application\/pdf, and is not; look at it/],
    ["image/png", "<html>Log in", /says that it is image\/png, and is not; look at it/],
    ["application/zip", "PK\x03\x04\0", /is application\/zip; give a page, a text, a picture or a PDF$/],
  ])("is refused where it is %s that is %j", async (type, body, expected) => {
    expect(await read(type, Buffer.from(body, "latin1"))).toMatch(expected);
  });
});
