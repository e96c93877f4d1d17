import { memoryReport } from "../../lab/ablation/memory-stats.ts";
import { memoryStatsText } from "../../lab/ablation/stats-text.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exits.ts";
import { withParley } from "../session.ts";

/** `parley memory stats`: what is remembered, and which configuration has done better for what. */
export const run: CommandModule["run"] = (io, _args, flags) =>
  withParley(io, flags, async (parley) => {
    const report = await memoryReport(parley);
    const { color, columns: width } = io.output.stdout;
    await io.output.result(
      flags["json"] === true
        ? `${JSON.stringify(report, undefined, 2)}\n`
        : memoryStatsText(report, { color, width }),
    );
    return EXIT.answered;
  });
