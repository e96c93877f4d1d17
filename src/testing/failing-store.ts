import { Fault, type OrganizationId, type OrganizationStore, type Store } from "../kernel/index.ts";

type Method = Exclude<
  keyof Store | keyof OrganizationStore,
  "for" | "location" | "organization" | "subscribe" | symbol
>;

/** A store whose disk can be made to fail. */
export type FailingStore = {
  readonly store: Store;
  /** From now on these methods, by default all that write, fail with `store-unavailable` and this reason. */
  fail(why: string, methods?: readonly Method[]): void;
  /** Lets everything through again. */
  heal(): void;
};

const WRITES: readonly Method[] = ["append", "advance", "lease", "release", "putTexts", "reserve", "forget"];

/** Wraps a store, for tests of what a program does when its store cannot be written. */
export function failingStore(inner: Store): FailingStore {
  let failing: { readonly why: string; readonly methods: ReadonlySet<unknown> } | undefined;
  const guarded = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name === "for") return (organization: OrganizationId) => guarded(inner.for(organization));
        return (...args: unknown[]): unknown =>
          failing?.methods.has(name)
            ? Promise.reject(new Fault("store-unavailable", { where: inner.location, why: failing.why }))
            : Reflect.apply(value, target, args);
      },
    });
  return {
    store: guarded(inner),
    fail: (why, methods = WRITES) => {
      failing = { why, methods: new Set(methods) };
    },
    heal: () => {
      failing = undefined;
    },
  };
}
