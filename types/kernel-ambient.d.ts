/**
 * What the kernel may use beyond the language itself: only what every runtime has, browser and Node alike.
 * `tsconfig.kernel.json` compiles `src/kernel` against this file in place of the DOM's and Node's own types.
 */

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
