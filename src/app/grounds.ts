import type { Executor } from "../kernel/index.ts";

// GROUND-1. A process runs gates only of forests that it was told to: a deliberation on a shared store names a soil, and no code. Else:
//     whoever writes to a shared store runs code on this machine.

/** The soils whose gates this process runs. */
export type GateGrounds = {
  readonly executor: Executor;
  /** Runs the gates of this soil from now on. */
  add(soil: string, ground: Executor): void;
};

export function createGrounds(): GateGrounds {
  const known = new Map<string, Executor>();
  return {
    add: (soil, ground) => void known.set(soil, ground),
    executor: {
      execute(check, signal) {
        const soil =
          typeof check === "object" && check !== null && !Array.isArray(check) ? check["soil"] : undefined;
        const ground = typeof soil === "string" ? known.get(soil) : undefined;
        return (
          ground?.execute(check, signal) ??
          Promise.resolve({
            ok: false,
            reason: "this process has not opened the forest whose gates are asked for",
          })
        );
      },
    },
  };
}
