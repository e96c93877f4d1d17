import type { ServerResponse } from "node:http";

export type Writer = {
  readonly head: (type: string) => void;
  /** False once the connection was cut. */
  readonly write: (bytes: Buffer) => boolean;
  readonly end: () => void;
  readonly breakOff: () => void;
};

/** Writes a body, of which at most `cut` bytes get out before the connection is closed. */
export function writer(response: ServerResponse, cut: number | undefined): Writer {
  let room = cut ?? Number.POSITIVE_INFINITY;
  // What was written has to leave before the socket closes, or a cut would come earlier than asked for.
  const breakOff = (): void =>
    void (response.headersSent ? response.write("", () => response.destroy()) : response.destroy());
  return {
    head: (type) => {
      response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).flushHeaders();
    },
    write: (bytes) => {
      if (response.destroyed) return false;
      const fits = bytes.subarray(0, room);
      room -= fits.length;
      if (fits.length > 0) response.write(fits);
      if (fits.length === bytes.length) return true;
      breakOff();
      return false;
    },
    end: () => void (response.destroyed || response.end()),
    breakOff,
  };
}
