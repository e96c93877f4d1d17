/** What bytes are, by themselves: their name may say anything. A size is in pixels. */
export type FoundMedia = {
  readonly mediaType: string;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
};

const PDF = "application/pdf";
/** As far as readers of PDF look for its first words. */
const PDF_HEAD = 1_024;

/** The picture or PDF that these bytes begin; undefined for anything else. A picture whose size cannot be read has none. */
export function mediaOf(bytes: Uint8Array): FoundMedia | undefined {
  const at = (index: number): number => bytes[index] ?? 0;
  const ascii = (start: number, end: number): string => String.fromCharCode(...bytes.subarray(start, end));
  const big = (index: number) => at(index) * 256 + at(index + 1);
  const little = (index: number) => at(index) + at(index + 1) * 256;
  if (ascii(0, 8) === "\x89PNG\r\n\x1a\n")
    return withSize("image/png", big(16) * 65_536 + big(18), big(20) * 65_536 + big(22));
  if (/^GIF8[79]a$/.test(ascii(0, 6))) return withSize("image/gif", little(6), little(8));
  if (ascii(0, 4) === "RIFF" && ascii(8, 12) === "WEBP") {
    const kind = ascii(12, 16);
    const triple = (index: number) => little(index) + at(index + 2) * 65_536;
    if (kind === "VP8X") return withSize("image/webp", 1 + triple(24), 1 + triple(27));
    const lossless = [1 + (little(21) & 0x3fff), 1 + ((triple(22) >> 6) & 0x3fff)] as const;
    if (kind === "VP8L") return withSize("image/webp", ...lossless);
    return withSize("image/webp", little(26) & 0x3fff, little(28) & 0x3fff);
  }
  if (at(0) === 0xff && at(1) === 0xd8 && at(2) === 0xff) {
    for (let index = 2; index + 9 < bytes.length && at(index) === 0xff;) {
      const marker = at(index + 1);
      const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
      if (isFrame) return withSize("image/jpeg", big(index + 7), big(index + 5));
      index += marker === 0xff ? 1 : 2 + Math.max(2, big(index + 2));
    }
    return { mediaType: "image/jpeg" };
  }
  return ascii(0, PDF_HEAD).includes("%PDF-") ? { mediaType: PDF } : undefined;
}

const withSize = (mediaType: string, width: number, height: number): FoundMedia =>
  width > 0 && height > 0 ? { mediaType, width, height } : { mediaType };

const OTHER =
  /^(?:(?<TIFF>II\*\0|MM\0\*)|(?<BMP>BM[^]{4}\0{4})|[^]{4}ftyp(?:(?<HEIC>hei|mif1|msf1)|(?<AVIF>avi)))/;

/** The name of the form of a picture that these bytes begin and that models do not take. */
export function otherPicture(bytes: Uint8Array): string | undefined {
  const found = OTHER.exec(String.fromCharCode(...bytes.subarray(0, 12)))?.groups;
  return Object.entries(found ?? {}).find(([, part]) => part !== undefined)?.[0];
}

/** Whether a name that was written is an address of the web. */
export const isUrl = (written: string): boolean => /^https?:\/\//i.test(written);

/** UTF-8 without a byte order mark; undefined for anything else. */
export function readUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // the one thing that a fatal decoder throws for
  }
}
