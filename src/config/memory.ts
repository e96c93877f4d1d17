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
  /** What LoCAL2 calls `recall.minimum` and `recall.most`. */
  retrieval: z
    .strictObject({ min_similarity: share.optional(), max_results: z.int().min(0).max(20).optional() })
    .optional(),
  /** LoCAL2's: whether answers are stored. */
  write_enabled: z.boolean().optional(),
});

const NO_MODEL = "no model is asked to store an answer";
const NO_CHROMA = "memory is in the store of the runs";

const FOREIGN = {
  known: {
    own: Object.keys(MemoryFile.shape),
    within: {
      recall: Object.keys(MemoryFile.shape.recall.shape),
      retrieval: ["min_similarity", "max_results"],
    },
  },
  theirs: ["retrieval", "write_enabled"],
  skipped: {
    id: "a name of LoCAL2's",
    collection: NO_CHROMA,
    chroma_path: NO_CHROMA,
    embed_model: "set embedding in parley.yaml",
    n_results: "a search says how many it wants",
    model: NO_MODEL,
    summarize_prompt: NO_MODEL,
    classify_prompt: NO_MODEL,
  },
};

const FORM =
  "it has merge-at (0 to 1), retire-at (a whole number above 0) and recall, with minimum, minimum-words, extra-at (0 to 1), " +
  "most (a whole number), timeout (as 2s) and weights: words, entities, grade, preference, thumb (0 to 1)";

/**
 * How answers are recalled, and when their engrams merge and retire, as `memory.yaml` says: the project's, else the user's, over the built-in one.
 * LoCAL2's own file is read as it is, with a warning that names what is skipped.
 * @throws Fault `configuration` with the place of what is unknown or malformed
 */
export function loadMemory(place: FileContext) {
  const own = ownFile("memory", place, FOREIGN);
  const file = checkedFile(own.file, MemoryFile, FORM);
  own.requireTrust(["how answers are retrieved from memory, merged and retired"]);
  const { "minimum-words": minimumWords, "extra-at": extraAt, timeout: timeoutMs, ...recall } = file.recall;
  const { min_similarity: minimum = recall.minimum, max_results: most = recall.most } = file.retrieval ?? {};
  const values = {
    recall: { ...file.recall, minimum, most, timeout: writeDuration(timeoutMs) },
    "merge-at": file["merge-at"],
    "retire-at": file["retire-at"],
  };
  const rules: RecallRules = { ...recall, minimum, most, minimumWords, extraAt, timeoutMs };
  return {
    memory: {
      recall: rules,
      mergeAt: file["merge-at"],
      retireAt: file["retire-at"],
      write: file.write_enabled ?? true,
    },
    /** Every value by its key in the file, as `memory.recall.minimum`. */
    get sources() {
      const sourceOf = (name: string, key: string, value: number) =>
        own.says(["retrieval", key]) ? { [name]: own.sourceOf(["retrieval", key], value) } : {};
      return {
        ...listSources(own, ["memory"], values),
        ...sourceOf("memory.recall.minimum", "min_similarity", minimum),
        ...sourceOf("memory.recall.most", "max_results", most),
      };
    },
    warnings: own.warnings,
  };
}
