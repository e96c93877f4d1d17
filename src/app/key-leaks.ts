import type { LoadedSettings } from "../config/sources.ts";
import { Fault } from "../kernel/index.ts";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Rejects a project file that sends one of the user's keys to a remote server, because another person may have written
 * the repository. Such an endpoint belongs in the user's own file.
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
