import { openDemo } from "../../app/demo.ts";
import { loadSettings } from "../../config/sources.ts";
import { Principal, Scope } from "../../kernel/index.ts";
import type { Io, Values } from "../command.ts";
import type { DEMO } from "../options.ts";
import { runDeliberation } from "../run-deliberation.ts";
import { showingIn } from "../session.ts";

/** Plays a recorded council: as fast as somebody reads on a terminal, else at once. */
export async function demo(io: Io, options: Values<typeof DEMO>): Promise<number> {
  const { keep, fast } = options;
  const { settings } = loadSettings({ flags: {}, env: io.env, cwd: io.cwd });
  const { organization, user } = settings;
  const playing = await openDemo({
    store: keep ? settings.store : ":memory:",
    principal: Principal.parse({ organization, user, scopes: Scope.options }),
    isFast: fast || !io.output.stderr.terminal,
  });
  try {
    if (!options.quiet)
      io.output.note("This is a recording: its texts were written for this demo, and no model is called.");
    const exit = await runDeliberation(io, { begin: playing.start }, showingIn(options, settings));
    if (!options.quiet && !keep)
      io.output.note("This run was not stored. Try: parley demo --keep, then parley show, export or replay");
    return exit;
  } finally {
    await playing.close();
  }
}
