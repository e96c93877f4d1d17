import type { LoadedSettings } from "../config/sources.ts";
import { Fault } from "../kernel/index.ts";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * A project's file may come with a repository that somebody else wrote: it must not send a key of the user's
 * to a server of its choice. An endpoint elsewhere that takes a key stands in the user's own file.
 * @throws Fault `configuration`
 */
export function refuseKeyLeaks({ settings, sources }: LoadedSettings): void {
  for (const [name, { url, keyEnv }] of Object.entries(settings.compatible)) {
    if (keyEnv === undefined || sources[`compatible.${name}`]?.from !== "project file") continue;
    if (LOOPBACK.test(new URL(url).hostname)) continue;
    const why = `the project's parley.yaml would send ${keyEnv} to ${new URL(url).host} (compatible.${name})`;
    throw new Fault("configuration", {
      why,
      next: "if you trust it, move that entry to parley.yaml among your own settings",
    });
  }
}
