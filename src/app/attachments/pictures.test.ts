import { describe, expect, it } from "vitest";
import { pngOf } from "../../../test/support/media-samples.ts";
import { refusalOf, scratch } from "../../../test/support/scratch.ts";
import { mediaOf } from "../../text/media.ts";
import { fitPicture } from "./pictures.ts";

/** Where `npm install` in the folder of settings puts a package. */
const SCALER = ".config/parley/node_modules/jimp";

/** As much of the package as is used: it scales by writing other lengths into the head of a PNG. */
const STAND_IN = `
exports.Jimp = {
  read: async (bytes) => ({
    size: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
    scaleToFit({ w, h }) {
      const by = Math.min(w / this.size[0], h / this.size[1]);
      this.size = this.size.map((side) => Math.max(1, Math.round(side * by)));
    },
    async getBuffer(mediaType, { quality }) {
      if (mediaType !== "image/jpeg" || quality !== 85) throw new Error("it is asked otherwise");
      const made = Buffer.from(bytes.subarray(0, 2_000));
      this.size.forEach((side, index) => made.writeUInt32BE(side, 16 + 4 * index));
      return made;
    },
  }),
};
`;

const installed = (code: string) => ({
  [`${SCALER}/package.json`]: JSON.stringify({ name: "jimp", version: "1.6.0", main: "index.cjs" }),
  [`${SCALER}/index.cjs`]: code,
});
const picture = (width: number, height: number) => {
  const bytes = pngOf(width, height);
  const found = mediaOf(bytes);
  if (!found) throw new Error("it is no picture");
  return { ...found, bytes };
};

describe("a picture", () => {
  it("goes as it is where every provider takes it, whatever is installed", async () => {
    using place = scratch(installed("throw new Error('it was loaded')"));
    const given = picture(8_000, 20);
    const fitted = await fitPicture("chart.png", given, place.env);
    expect(fitted).toEqual({ mediaType: "image/png", width: 8_000, height: 20, bytes: given.bytes });
  });

  it.each([
    [picture(9_000, 900), [2_000, 200]],
    [picture(90, 9_000), [20, 2_000]],
  ])(
    "that is too long is scaled by the package that does so, in proportion",
    async (given, [width, height]) => {
      using place = scratch(installed(STAND_IN));
      const fitted = await fitPicture("chart.png", given, place.env);
      expect(fitted).toMatchObject({ width, height, from: `${given.width}×${given.height}` });
      expect(mediaOf(fitted.bytes)).toMatchObject({ width, height });
    },
  );

  it("is refused with what would help where nothing scales it, and where scaling fails", async () => {
    const given = picture(9_000, 900);
    using bare = scratch();
    const refused = (place: typeof bare) => refusalOf(() => fitPicture("chart.png", given, place.env), place);
    const without = await refused(bare);
    expect(without).toContain("chart.png is 9000×900");
    expect(without).toContain("npm install jimp");
    for (const code of ["throw new Error('broken')", "exports.Jimp = { read: async () => ({}) }"]) {
      using broken = scratch(installed(code));
      const said = await refused(broken);
      expect(said).toContain("scale it down to 2000 pixels");
      expect(said).not.toContain("npm install");
    }
  });
});
