import { project, rebuildProjection } from "../../app/projection.ts";
import { oneLine } from "../../reports/printable.ts";
import { pluralize } from "../../text/format.ts";
import { print, type Io, type Values } from "../command.ts";
import type { JSON_FLAG, QUIET } from "../options.ts";
import { projecting, withStore } from "../session.ts";

/** Makes what is known over all runs anew. */
export const rebuild = (io: Io, { json, quiet }: Values<typeof JSON_FLAG & typeof QUIET>): Promise<void> =>
  withStore(io, async (known) => {
    const runs = await rebuildProjection(known, projecting(io, quiet));
    await print(io, { json, value: { runs } }, () => `Read ${pluralize(runs, "run")} again.\n`);
  });

/** Says where runs are stored, and how many there are. */
export const showStore = (io: Io, { json }: Values<typeof JSON_FLAG>): Promise<void> =>
  withStore(io, async ({ store, projection, whole, settings: { organization } }) => {
    await project({ store, projection }, projecting(io));
    const runs = (await projection.seqs()).size;
    await print(
      io,
      { json, value: { location: whole.location, organization, runs } },
      () => `${pluralize(runs, "run")} in ${oneLine(whole.location)} (organization ${organization})\n`,
    );
  });
