import type { AnnotatedEngram, Annotation, EngramId, MemoryScope, RetireRules } from "../kernel/index.ts";
import type { EngramStore } from "./engram-store.ts";
import { retirementOf, retiringEvent } from "./retirement.ts";

// N1. Whether an engram retires is decided from all that was said of it, so that a retry after a crash comes to the same.
// N2. It retires once, and is never revived by what is said later: that is a person's to do.

/** @throws Fault `store-unavailable` */
export async function annotate(
  store: EngramStore,
  named: MemoryScope & { readonly id: EngramId },
  { annotation, rules }: { readonly annotation: Annotation; readonly rules: RetireRules },
): Promise<AnnotatedEngram> {
  const { state, lapsed } = await store.annotate(named, annotation);
  if (state === "kept" || state === "gone") return { state, lapsed, retires: null };
  const { id, ...scope } = named;
  const [stored] = await store.get(scope, [id]);
  if (!stored || stored.forgotten !== null) return { state: "gone", lapsed, retires: null };
  const event = retiringEvent(annotation.event);
  const retired = stored.annotations.filter(({ what }) => what.kind === "retired");
  const own = retired.find((other) => other.event === event || other.event === annotation.event);
  if (own?.what.kind === "retired") return { state, lapsed, retires: own.what.reason };
  const reason = retired.length > 0 ? null : retirementOf(stored.annotations, rules);
  if (reason === null) return { state, lapsed, retires: null };
  const what = { kind: "retired", reason } as const;
  const written = await store.annotate(named, { event, by: "memory", at: annotation.at, what });
  return { state, lapsed: [...lapsed, ...written.lapsed], retires: reason };
}
