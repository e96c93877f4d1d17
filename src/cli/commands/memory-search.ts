import { Respondent } from "../../kernel/index.ts";
import type { MemorySearch } from "../../views/memory-view.ts";
import { memorySearchText } from "../../reports/memory.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { withParley } from "../session.ts";
import { scopeOf, viewOf, wholeFlag } from "./memory-place.ts";

const LIMIT = 10;

/** `parley memory search [WORDS]`: what fits, best first; without words the newest. */
export const run: CommandModule["run"] = (io, words, flags) =>
  withParley(io, flags, async (parley) => {
    const limit = wholeFlag(flags, "limit", LIMIT);
    const asked = words.join(" ").trim();
    const query = asked === "" ? null : asked;
    const { respondent } = flags;
    const { engrams, how } = await (
      await parley.memory()
    ).search(
      scopeOf(parley),
      {
        ...(query === null ? {} : { query }),
        limit: limit + 1,
        ...(respondent === undefined ? {} : { respondent: Respondent.parse(respondent) }), // one of the option's choices
        retired: flags["retired"] === true,
        rules: parley.resources.memory().memory.recall,
      },
      new AbortController().signal,
    );
    const found: MemorySearch = {
      user: parley.settings.user,
      query,
      how,
      more: engrams.length > limit,
      engrams: engrams.slice(0, limit).map((one) => ({
        ...viewOf(one),
        similarity: one.similarity,
        words: one.words,
        score: one.score,
      })),
    };
    const { color, columns: width } = io.output.stdout;
    await io.output.result(
      flags["json"] === true
        ? `${JSON.stringify(found, undefined, 2)}\n`
        : memorySearchText(found, {
            color,
            width,
            narrowed: respondent !== undefined || flags["retired"] === true,
          }),
    );
    return EXIT.answered;
  });
