import { Fault, type Store } from "../kernel/index.ts";

type Method = Exclude<keyof Store, "where" | "subscribe" | symbol>;

/** A store whose disk can be made to fail. */
export type FailingStore = {
  readonly store: Store;
  /** From now on these methods, by default all that write, fail with `store-unavailable` and this reason. */
  fail(why: string, methods?: readonly Method[]): void;
  /** Lets everything through again. */
  heal(): void;
};

const WRITES: readonly Method[] = ["append", "advance", "lease", "release", "putText", "reserve"];

/** Wraps a store, for tests of what a program does when its store cannot be written. */
export function failingStore(inner: Store): FailingStore {
  let failing: { readonly why: string; readonly methods: ReadonlySet<unknown> } | undefined;
  const store = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown =>
        failing?.methods.has(name)
          ? Promise.reject(new Fault("store-unavailable", { where: inner.where, why: failing.why }))
          : Reflect.apply(value, target, args);
    },
  });
  return {
    store,
    fail: (why, methods = WRITES) => {
      failing = { why, methods: new Set(methods) };
    },
    heal: () => {
      failing = undefined;
    },
  };
}
