import { pathToFileURL } from "node:url";
import { configFolder, type Environment } from "../../config/paths.ts";
import { formatSize } from "../../config/text-file.ts";
import { refusal } from "../../kernel/index.ts";
import { packageFile } from "../../models/sdk-package.ts";
import { mediaOf, type FoundMedia } from "../../text/media.ts";

/** What every provider takes: the strictest of each limit (docs/decisions/2026-11-28-attachments.md). */
const MAX_SIDE = 8_000;
const MAX_BYTES = 3_750_000;
/** A picture is made so long on its longer side. No model looks at more. */
const SCALED_SIDE = 2_000;
/** More cannot be unpacked in a process of usual size. */
const MAX_PIXELS = 100_000_000;
const SCALER = "jimp";

export type Picture = Required<FoundMedia> & { readonly bytes: Uint8Array };

/**
 * A picture as it can be sent to any model that takes pictures: as it is, or scaled down where a package that does so is installed.
 * @throws Fault `configuration` for one that is too large, or no picture at all
 */
export async function fitPicture(
  name: string,
  { bytes, ...found }: FoundMedia & { readonly bytes: Uint8Array },
  env: Environment,
): Promise<Picture & { readonly from?: string }> {
  const { mediaType, width, height } = found;
  if (width === undefined || height === undefined)
    throw refusal(`${name} is no whole picture`, "save it anew as PNG or JPEG");
  if (Math.max(width, height) <= MAX_SIDE && bytes.length <= MAX_BYTES)
    return { mediaType, width, height, bytes };
  const home = configFolder({ env, cwd: process.cwd() });
  const why = `${name} is ${width}×${height} and ${formatSize(bytes.length)}; models take at most ${MAX_SIDE} pixels a side and ${formatSize(MAX_BYTES)}`;
  const file = packageFile(SCALER, home);
  if (file === null || width * height > MAX_PIXELS)
    throw refusal(
      why,
      file === null
        ? `scale it down to ${SCALED_SIDE} pixels, or install what does: cd "${home}" && npm install ${SCALER}`
        : `scale it down to ${SCALED_SIDE} pixels`,
    );
  const scaled = await scaleDown(file, bytes).catch(() => undefined);
  const made = scaled && mediaOf(scaled);
  if (!scaled || made?.width === undefined || made.height === undefined || scaled.length > MAX_BYTES)
    throw refusal(why, `scale it down to ${SCALED_SIDE} pixels`);
  return {
    ...{ mediaType: made.mediaType, width: made.width, height: made.height, bytes: scaled },
    from: `${width}×${height}`,
  };
}

/** As much of the package as is used. */
type Scaler = {
  readonly Jimp: {
    read(
      bytes: Buffer,
    ): Promise<{
      scaleToFit(size: { w: number; h: number }): unknown;
      getBuffer(mediaType: string, how: { quality: number }): Promise<Buffer>;
    }>;
  };
};

async function scaleDown(file: string, bytes: Uint8Array): Promise<Uint8Array> {
  const { Jimp } = (await import(pathToFileURL(file).href)) as Scaler; // what it is not, fails
  const image = await Jimp.read(Buffer.from(bytes));
  image.scaleToFit({ w: SCALED_SIDE, h: SCALED_SIDE });
  return image.getBuffer("image/jpeg", { quality: 85 });
}
