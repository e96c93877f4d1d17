import { openConfigured } from "../../app/configured.ts";
import { wordNote } from "../notes.ts";
import { storyPorts } from "../../lab/story/story.ts";
import type { CommandModule } from "../command.ts";
import { runStories } from "./story-run.ts";

/** `parley story FILE…`: conversations and what is expected of them; exit 1 where a check does not hold. */
export const run: CommandModule["run"] = (io, words, flags) =>
  runStories(io, {
    words,
    flags,
    // Each story under its own settings: what it says itself counts where no flag does.
    async open(own) {
      const { context, parley } = await openConfigured({ flags: own, env: io.env, cwd: io.cwd });
      return { ports: storyPorts(context, wordNote), close: () => parley.close() };
    },
  });
