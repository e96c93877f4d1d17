import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { CHANGED, refuse, describeFileError, type Refusal } from "./tool.ts";
import { isStillAt, isSame, displayName, type Located } from "./sandbox.ts";

/** No link is followed and no FIFO waited for. Windows has neither flag, and there they are undefined: no bits. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

type Bytes = { readonly ok: true; readonly bytes: Uint8Array } | Refusal;

/**
 * The whole content of a regular file of at most `most` bytes. Something else that took its place since it was
 * located is refused: the opened file is compared with the located one, and the path is followed anew.
 * Rejects only for an aborted signal.
 */
export async function readRegularFile(
  located: Located,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<Bytes> {
  const name = displayName(located.name);
  if (located.kind === "folder") return refuse(`${name} is a folder; list_files shows what is in it`);
  if (located.kind === "other") return refuse(`${name} is not a regular file`);
  let file: FileHandle | undefined;
  try {
    file = await open(located.path, FLAGS);
    const stat = await file.stat({ bigint: true });
    if (!stat.isFile() || !isSame(stat, located.identity) || !(await isStillAt(located.path, stat)))
      return refuse(`${name} ${CHANGED}`);
    // Its size is not asked for: a file may grow, and those of some file systems say 0.
    const chunks = await file.createReadStream({ end: most, autoClose: false }).toArray({ signal });
    const bytes = Buffer.concat(chunks as Buffer[]); // without an encoding
    return bytes.length > most
      ? refuse(`${name} has more than ${most / 1_000_000} MB, which is the most that is read`)
      : { ok: true, bytes };
  } catch (error) {
    signal.throwIfAborted();
    return describeFileError(name, error);
  } finally {
    await file?.close();
  }
}
