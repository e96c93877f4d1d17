import * as z from "zod";
import type { RecallRules } from "../kernel/index.ts";
import { checkedFile } from "./named-files.ts";
import { Duration, writeDuration } from "./duration.ts";
import { listSources, ownFile } from "./own-file.ts";
import type { FileContext } from "./paths.ts";

/** A cosine, a share of words, or a weight. */
const share = z.number().min(0).max(1);

/** `memory.yaml`. */
const MemoryFile = z.strictObject({
  recall: z.strictObject({
    minimum: share,
    "minimum-words": share,
    most: z.int().min(0).max(20),
    "extra-at": share,
    timeout: Duration,
    weights: z.strictObject({ words: share, entities: share, grade: share, preference: share, thumb: share }),
  }),
  "merge-at": share,
  "retire-at": z.int().positive(),
});

const FORM =
  "it has merge-at (0 to 1), retire-at (a whole number above 0) and recall, with minimum, minimum-words, extra-at (0 to 1), " +
  "most (a whole number), timeout (as 2s) and weights: words, entities, grade, preference, thumb (0 to 1)";

/**
 * How answers are recalled, and when their engrams merge and retire, as `memory.yaml` says: the project's, else the user's, over the built-in one.
 * @throws Fault `configuration` with the place of what is unknown or malformed
 */
export function loadMemory(place: FileContext) {
  const own = ownFile("memory", place);
  const file = checkedFile(own.file, MemoryFile, FORM);
  own.requireTrust(["how answers are retrieved from memory, merged and retired"]);
  const { "minimum-words": minimumWords, "extra-at": extraAt, timeout: timeoutMs, ...recall } = file.recall;
  const values = { ...file, recall: { ...file.recall, timeout: writeDuration(timeoutMs) } };
  const rules: RecallRules = { ...recall, minimumWords, extraAt, timeoutMs };
  return {
    memory: {
      recall: rules,
      mergeAt: file["merge-at"],
      retireAt: file["retire-at"],
    },
    /** Every value by its key in the file, as `memory.recall.minimum`. */
    sources: listSources(own, ["memory"], values),
  };
}
