import { crc32, deflateSync } from "node:zlib";

// Pictures and PDFs as small as they can be, made here so that no test needs a file.

/** A PNG of one colour. */
export function pngOf(width: number, height: number, colour = 0x80): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height, colour);
  for (let row = 0; row < height; row += 1) rows[row * (width + 1)] = 0;
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A PDF with a page for each text; an empty text is a page without any, as a scanner makes it. */
export function pdfOf(pages: readonly string[], { isLocked = false } = {}): Buffer {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const font = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  const kids = pages.map((text) => {
    const lines = text.split("\n").map((line) => `(${line.replaceAll(/[\\()]/g, "\\$&")}) Tj 0 -14 Td`);
    const content = text === "" ? "0 0 10 10 re f" : `BT /F1 12 Tf 72 720 Td ${lines.join(" ")} ET`;
    const stream = add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
    return add(
      `<< /Type /Page /Parent PARENT /MediaBox [0 0 612 792] /Contents ${stream} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
    );
  });
  const tree = add(
    `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] /Count ${kids.length} >>`,
  );
  const root = add(`<< /Type /Catalog /Pages ${tree} 0 R >>`);
  const hex = "0".repeat(64);
  const lock = isLocked ? add(`<< /Filter /Standard /V 1 /R 2 /O <${hex}> /U <${hex}> /P -4 >>`) : 0;
  let text = "%PDF-1.4\n";
  const places = objects.map((body, index) => {
    const place = text.length;
    text += `${index + 1} 0 obj\n${body.replace("PARENT", `${tree} 0 R`)}\nendobj\n`;
    return place;
  });
  const start = text.length;
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const encrypt = isLocked ? ` /Encrypt ${lock} 0 R /ID [<00> <00>]` : "";
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root ${root} 0 R${encrypt} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}
