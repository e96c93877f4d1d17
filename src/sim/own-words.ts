import type { Fenced } from "../prompts/index.ts";

/** A message without its fenced pieces, which `readFenced` found in this order. */
export function outside(text: string, pieces: readonly Fenced[]): string {
  const kept: string[] = [];
  let at = 0;
  for (const piece of pieces) {
    const name = [piece.kind, piece.label].filter(Boolean).join(" ");
    const around = `[BEGIN ${name} #`.length + 18 + `\n[END ${name} #`.length + 17;
    const body = `]\n${piece.text}\n[END ${name} #`;
    let start = text.indexOf(`[BEGIN ${name} #`, at);
    while (start >= 0 && !text.startsWith(body, start + `[BEGIN ${name} #`.length + 16)) {
      start = text.indexOf(`[BEGIN ${name} #`, start + 1);
    }
    if (start < 0) continue;
    kept.push(text.slice(at, start));
    at = start + around + piece.text.length;
  }
  return [...kept, text.slice(at)].join("\n");
}
