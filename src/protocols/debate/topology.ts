import type { DebateSettings } from "./settings.ts";

/**
 * Who criticises whom, in seat order. Of n agents: `full` n(n − 1) pairs; `ring` n, each the next one; `star`
 * 2(n − 1), the first agent and each of the others each other.
 */
export function criticsOf<T>(
  topology: DebateSettings["topology"],
  seated: readonly T[],
): readonly { readonly critic: T; readonly target: T }[] {
  const pairs = seated.flatMap((critic, from) =>
    seated.flatMap((target, to) => (from === to ? [] : [{ critic, target, from, to }])),
  );
  switch (topology) {
    case "full":
      return pairs;
    case "ring":
      return pairs.filter(({ from, to }) => to === (from + 1) % seated.length);
    case "star":
      return pairs.filter(({ from, to }) => from === 0 || to === 0);
  }
}
