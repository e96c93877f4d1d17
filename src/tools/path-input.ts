import * as z from "zod";

/** A path as a model writes it; Linux takes 4,096 bytes. */
export const PathInput = z
  .string()
  .max(4_096)
  .describe("Relative to the project's folder, with slashes, for example docs/notes.md.");
