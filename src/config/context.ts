import { open, type FileHandle } from "node:fs/promises";
import { refuse } from "./refusal.ts";
import { decode, MEGABYTE, fileName, size, unreadable } from "./text-file.ts";
import { absolute, type Place } from "./paths.ts";

/** Material that goes with a question: a name for people, and the text. */
export type ContextText = { readonly name: string; readonly text: string };

export type ContextRequest = Pick<Place, "cwd" | "env"> & {
  /** As a person wrote them; what `<(command)` gives is read too. */
  readonly files: readonly string[];
  /** What was piped in, if anything. */
  readonly stdin?: string | undefined;
  /** Of all of it together. */
  readonly mostBytes?: number;
};

/**
 * The texts in the order given, standard input last, without byte order marks.
 * @throws Fault `configuration` that names the file: missing, a folder, binary, not UTF-8, or too much together
 */
export async function readContext({
  files,
  stdin,
  mostBytes = MEGABYTE,
  ...place
}: ContextRequest): Promise<ContextText[]> {
  const texts: ContextText[] = [];
  let left = mostBytes;
  const take = (name: string, bytes: Uint8Array, next: string): void => {
    if (bytes.length > left) {
      const together = texts.length > 0 ? "all context together has" : `${name} has`;
      throw refuse(
        `${together} more than ${size(mostBytes)}${texts.length > 0 ? `, from ${name} on` : ""}`,
        next,
      );
    }
    left -= bytes.length;
    texts.push({ name, text: decode({ bytes, name, mostBytes }) });
  };
  const next = "give less, or raise max-context-bytes";
  for (const file of files) {
    if (file.trim() === "") throw refuse("a context file has no name", "write --context FILE");
    const name = fileName(file);
    take(name, await readAtMost({ path: absolute(file, place), name, most: left + 1 }), next);
  }
  if (stdin !== undefined && stdin !== "") take("stdin", new TextEncoder().encode(stdin), next);
  return texts;
}

async function readAtMost({
  path,
  name,
  most,
}: {
  path: string;
  name: string;
  most: number;
}): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, "r");
    if ((await file.stat()).isDirectory())
      throw refuse(`${name} is a folder`, `name the files in it, as ${name}/*.md`);
    const chunks: Uint8Array[] = [];
    for (let total = 0; total < most;) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(Math.min(65_536, most - total)));
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      total += bytesRead;
    }
    return Buffer.concat(chunks);
  } catch (error) {
    throw unreadable(error, name);
  } finally {
    await file?.close();
  }
}
