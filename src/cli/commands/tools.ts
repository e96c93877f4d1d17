import { listTools } from "../../app/named-tools.ts";
import { aligned } from "../../reports/labelled-rows.ts";
import { print, type Io, type Values } from "../command.ts";
import { EXIT } from "../exits.ts";
import type { JSON_FLAG } from "../options.ts";
import { withParley } from "../session.ts";

/** Lists the tools of this process and of its servers; exit 1 where a server cannot be used. */
export const tools = (io: Io, options: Values<typeof JSON_FLAG>): Promise<number> =>
  withParley(io, {}, async (context) => {
    const value = await listTools(context);
    const own = value.servers.flatMap((server) => server.tools);
    const failed = value.servers.flatMap(({ problem }) => (problem === null ? [] : [`FAIL  ${problem}`]));
    const rows = [...value.builtIn, ...own].map((one) => [one.name, one.for, one.description]);
    const table = [["TOOL", "FOR", "WHAT IT DOES"], ...rows];
    await print(io, options, {
      value,
      words: ({ width }) => `${[...aligned(table, width), ...failed].join("\n")}\n`,
    });
    return failed.length === 0 ? EXIT.answered : EXIT.refusedByCheck;
  });
