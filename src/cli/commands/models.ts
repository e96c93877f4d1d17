import { modelTable } from "../../app/model-table.ts";
import { EXIT } from "../exits.ts";
import type { CommandModule } from "../command.ts";
import { withParley } from "../session.ts";

/** `parley models`: what can be asked now, and what it would take to reach the rest. */
export const run: CommandModule["run"] = (io, _args, flags) =>
  withParley(io, flags, async (parley) => {
    const { models, missing } = await modelTable(parley);
    if (flags["json"]) {
      await io.output.result(`${JSON.stringify({ models, missing }, undefined, 2)}\n`);
      return EXIT.answered;
    }
    const price = (row: (typeof models)[number]) =>
      row.price === null
        ? "price unknown"
        : row.price === "free"
          ? "free"
          : `$${row.price.in} in, $${row.price.out} out per million (${row.price.date})`;
    const lines = models.map(
      (row) => `${row.ref}\n    family ${row.family ?? "unknown"}, ${price(row)}; ${row.how}`,
    );
    const rest = missing.map(({ provider, next }) => `${provider}: ${next}`);
    await io.output.result([...lines, "", "Not reached:", ...rest.map((line) => `  ${line}`), ""].join("\n"));
    return EXIT.answered;
  });
