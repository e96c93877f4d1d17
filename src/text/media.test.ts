import { expect, it } from "vitest";
import { pdfOf, pngOf } from "../../test/support/media-samples.ts";
import { mediaOf } from "./media.ts";

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

it.each([
  ["PNG", pngOf(1200, 800), { mediaType: "image/png", width: 1200, height: 800 }],
  ["GIF", bytes("GIF89a", [0x2c, 1, 0xc8, 0]), { mediaType: "image/gif", width: 300, height: 200 }],
  [
    "JPEG, after other segments and fill bytes",
    bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 11, 8, 0, 200, 1, 44, 3, 0, 0, 0]),
    { mediaType: "image/jpeg", width: 300, height: 200 },
  ],
  [
    "WebP, lossy",
    bytes("RIFF", zeros(4), "WEBPVP8 ", zeros(10), [0x2c, 1, 0xc8, 0]),
    { mediaType: "image/webp", width: 300, height: 200 },
  ],
  [
    "WebP, lossless",
    bytes("RIFF", zeros(4), "WEBPVP8L", zeros(4), [0x2f, 0x2b, 0xc1, 0x31, 0]),
    { mediaType: "image/webp", width: 300, height: 200 },
  ],
  [
    "WebP, extended",
    bytes("RIFF", zeros(4), "WEBPVP8X", zeros(8), [0x2b, 1, 0, 0xc7, 0, 0]),
    { mediaType: "image/webp", width: 300, height: 200 },
  ],
  [
    "PDF, after other words",
    bytes("junk\n", pdfOf(["x"]).toString("latin1")),
    { mediaType: "application/pdf" },
  ],
])("knows a %s by its bytes", (_kind, given, expected) => {
  expect(mediaOf(given)).toEqual(expected);
});

it.each([
  ["nothing", Buffer.alloc(0)],
  ["a text", bytes("PNG, they said")],
  ["an SVG, which is text", bytes("<svg xmlns='http://www.w3.org/2000/svg'/>")],
  ["a program", bytes([0x7f], "ELF")],
])("takes %s for no picture", (_kind, given) => {
  expect(mediaOf(given)).toBeUndefined();
});

it("gives no size to what is cut off or says 0, and comes to an end on any bytes", () => {
  expect(mediaOf(pngOf(5, 5).subarray(0, 12))).toEqual({ mediaType: "image/png" });
  expect(mediaOf(bytes([0xff, 0xd8, 0xff, 0xe0, 0, 0, ...zeros(50)]))).toEqual({ mediaType: "image/jpeg" });
  for (let length = 0; length < 200; length += 1)
    expect(() => mediaOf(Buffer.concat([bytes([0xff, 0xd8]), Buffer.alloc(length, 0xff)]))).not.toThrow();
});
