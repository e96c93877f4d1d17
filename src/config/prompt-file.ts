import { isFault } from "../kernel/index.ts";
import { absolute, type Place } from "./paths.ts";
import { fileName, readTextFile } from "./text-file.ts";

/** What a participant is told: our own words, or a file's. `path` is as the configuration writes it. */
export type PromptText =
  { readonly source: "built-in" } | { readonly source: "file"; readonly path: string; readonly text: string };

export type PromptReading = { readonly prompt: PromptText; readonly warnings: readonly string[] };

const MOST_BYTES = 100_000;

/**
 * The first of these files that can be used, else the built-in text. Whatever keeps one from being used (missing, a
 * folder, unreadable, no text, blank, more than 100 kB) is a warning. `kind` is what the text is for, in words; relative
 * paths count from `place.cwd`.
 */
export function readPrompt(
  paths: readonly string[],
  { kind, place }: { readonly kind: string; readonly place: Pick<Place, "cwd" | "env"> },
): PromptReading {
  const reasons: string[] = [];
  for (const path of paths) {
    const read = textOf(absolute(path, place), kind);
    if (read.ok) {
      const warnings = reasons.map((reason) => `${reason}; ${fileName(path)} is used instead`);
      return { prompt: { source: "file", path, text: read.text }, warnings };
    }
    reasons.push(read.reason);
  }
  const warnings = reasons.map((reason) => `${reason}; the built-in one is used instead`);
  return { prompt: { source: "built-in" }, warnings };
}

function textOf(
  path: string,
  kind: string,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string } {
  try {
    const text = readTextFile({ path, kind, mostBytes: MOST_BYTES }).trim();
    return text === "" ? { ok: false, reason: `the ${kind} ${fileName(path)} is blank` } : { ok: true, text };
  } catch (error) {
    if (isFault(error, "configuration")) return { ok: false, reason: error.details.why };
    throw error;
  }
}
