/**
 * A name as Windows and file systems without case compare it: in lower case, without the stream behind a colon
 * and without the dots and spaces at its end.
 */
export function bareName(name: string): string {
  const stem = name.toLowerCase().split(":", 1)[0] ?? "";
  let end = stem.length;
  while (end > 0 && " .".includes(stem.charAt(end - 1))) end -= 1;
  return stem.slice(0, end);
}
