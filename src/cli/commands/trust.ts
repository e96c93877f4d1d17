import { listClaims } from "../../app/trust.ts";
import { recordTrust } from "../../config/trust.ts";
import { oneLine } from "../../reports/printable.ts";
import { print, type Io, type Values } from "../command.ts";
import { EXIT } from "../exits.ts";
import { isConfirmed } from "../input.ts";
import type { TRUST } from "../options.ts";

const NO_TERMINAL = { why: "there is no terminal to ask on", next: "add --yes" };

/** Shows what files name that only the user may allow, and records that the user does; a person on a terminal is asked. */
export async function trust(
  io: Io,
  options: Values<typeof TRUST>,
  files: readonly string[],
): Promise<number> {
  const place = { env: io.env, cwd: io.cwd };
  const claims = await listClaims(place, files, io.features);
  const words = claims.flatMap(({ path, names }) => [
    oneLine(path),
    ...names.map((name) => `  ${oneLine(name)}`),
  ]);
  await print(io, { json: options.json, value: claims.map(({ path, names }) => ({ path, names })) }, () =>
    words.map((line) => `${line}\n`).join(""),
  );
  if (claims.length === 0) {
    io.output.note("Nothing here needs to be trusted");
    return EXIT.answered;
  }
  // Without a terminal the command itself is the user's word.
  const isAsked = !options.yes && !options.json && process.stdin.isTTY === true;
  if (isAsked && !(await isConfirmed("Trust these files as they are now?", NO_TERMINAL))) {
    io.output.note("Not trusted");
    return EXIT.refusedByCheck;
  }
  for (const claim of claims) recordTrust(claim, place);
  const what = claims.some(({ programs = [] }) => programs.length > 0) ? "file or program of it" : "file";
  io.output.note(`Trusted as they are now; a ${what} that changes has to be trusted again`);
  return EXIT.answered;
}
