import { checkup } from "../../app/checkup.ts";
import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";

/** `parley doctor`: one line a check; exit 1 when one failed. */
export const run: CommandModule["run"] = async (io, _args, flags) => {
  const checks = await checkup({ flags: {}, env: io.env, cwd: io.cwd });
  const text = flags["json"]
    ? `${JSON.stringify(checks, undefined, 2)}\n`
    : checks
        .map(
          ({ what, ok, found, next }) =>
            `${ok ? "ok  " : "FAIL"}  ${what}: ${found}${next === undefined ? "" : `\n      next: ${next}`}\n`,
        )
        .join("");
  await io.output.result(text);
  return checks.every(({ ok }) => ok) ? EXIT.answered : EXIT.refusedByCheck;
};
