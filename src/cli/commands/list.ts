import { Fault } from "../../kernel/index.ts";
import { listText } from "../../reports/list.ts";
import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";
import { withStore } from "../session.ts";

/** `parley list`: the organization's deliberations, newest first. */
export const run: CommandModule["run"] = (io, _args, flags) =>
  withStore(io, async ({ store }) => {
    const limit = Number(flags["limit"]);
    if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) {
      throw new Fault("configuration", {
        why: `--limit ${String(flags["limit"])} is no number of rows`,
        next: "give 1 to 10000",
      });
    }
    const summaries = await store.list({ limit });
    const text = flags["json"]
      ? `${JSON.stringify(summaries, undefined, 2)}\n`
      : listText(summaries, { now: Date.now(), width: io.output.stdout.columns });
    await io.output.result(text);
    return EXIT.answered;
  });
