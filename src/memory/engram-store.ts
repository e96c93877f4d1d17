import {
  Fault,
  type Annotation,
  type DeliberationId,
  type Engram,
  type EngramId,
  type MemoryScope,
  type OrganizationId,
} from "../kernel/index.ts";

/** An engram as the database keeps it, with what was said of it since. */
export type StoredEngram = {
  readonly engram: Engram;
  /** The first engram of those that it nearly repeats; its own id where it stands alone. */
  readonly cluster: EngramId;
  /** In the order in which they came. */
  readonly annotations: readonly Annotation[];
  /** Which models' vectors it has. */
  readonly embedded: readonly string[];
  /** When and by whom it was forgotten: its question, summary and entities are empty then, its vectors and annotations gone. */
  readonly forgotten: { readonly by: string; readonly at: string } | null;
};

/** Of length 1, so that a dot product is the cosine. All of one model have one length. */
export type Vector = Float32Array;

export type Near = { readonly id: EngramId; readonly similarity: number };

export type EngramQuery = {
  readonly limit: number;
  /** Below this one in the order of the list. */
  readonly before?: EngramId | undefined;
  readonly type?: Engram["type"] | undefined;
  readonly respondent?: "A" | "B" | undefined;
  readonly retired?: boolean | undefined;
  readonly cluster?: EngramId | undefined;
};

/** Maximum annotations of a scope that wait for engrams yet to come. */
export const KEPT_ANNOTATIONS = 1_000;

/**
 * Engrams in a database: rows, vectors, words. What they mean is not its business.
 *
 * ENGRAM-1. `put` and `annotate` are each one transaction, and happen once: per id, and per (engram, event). Else: a memory is there twice.
 * Nothing is ever changed but by `annotate`, `embed` and `forget`; an annotation takes no other's place.
 * ENGRAM-3. No call sees or changes anything outside of its scope. Else: one user's memory gets into another one's prompt.
 * `nearest` is exact: no engram that it leaves out is nearer than one that it gives.
 * ENGRAM-5. What is forgotten or retired (annotated so) is found by `get` and `list` alone. Else: a forgotten memory gets into a prompt.
 * What another process has written is found by the next call.
 */
export interface EngramStore {
  /** false: the id was there, and nothing has changed. Annotations that were kept for it are its own from now on. */
  put(engram: Engram, cluster: EngramId): Promise<boolean>;
  /** `kept`: the engram is not there yet; of its scope at most `KEPT_ANNOTATIONS` are, the oldest are let go and named. */
  annotate(
    engram: MemoryScope & { readonly id: EngramId },
    annotation: Annotation,
  ): Promise<{
    readonly state: "annotated" | "known" | "kept" | "gone";
    readonly lapsed: readonly EngramId[];
  }>;
  /** In the order asked for; what is not there is left out. */
  get(scope: MemoryScope, ids: readonly EngramId[]): Promise<readonly StoredEngram[]>;
  /** Newest first: the order in which they were put, turned round. */
  list(scope: MemoryScope, query: EngramQuery): Promise<readonly StoredEngram[]>;
  /** The episodic engrams nearest to a vector of `model`, best first; equal ones by id. `without`: not those of this conversation. */
  nearest(
    scope: MemoryScope,
    near: {
      readonly model: string;
      readonly vector: Vector;
      readonly limit: number;
      readonly without?: DeliberationId | undefined;
    },
  ): Promise<readonly Near[]>;
  /** Episodic engrams that have one or more of these words (lower case, letters and digits) in question, summary or entities, best match first. */
  matching(
    scope: MemoryScope,
    match: {
      readonly words: readonly string[];
      readonly limit: number;
      readonly without?: DeliberationId | undefined;
    },
  ): Promise<readonly EngramId[]>;
  /** The vectors of these engrams by this model, for those that have one. */
  vectors(
    scope: MemoryScope,
    of: { readonly model: string; readonly ids: readonly EngramId[] },
  ): Promise<ReadonlyMap<EngramId, Vector>>;
  /** Live episodic engrams without a vector of this model, newest first. */
  unembedded(
    scope: MemoryScope,
    of: { readonly model: string; readonly limit: number },
  ): Promise<readonly Engram[]>;
  /** Adds vectors of `model`; of an engram that is not there, or forgotten, none. */
  embed(
    scope: MemoryScope,
    of: { readonly model: string; readonly vectors: ReadonlyMap<EngramId, Vector> },
  ): Promise<void>;
  /** false: it is not there, or was forgotten before. */
  forget(
    scope: MemoryScope,
    of: { readonly id: EngramId; readonly by: string; readonly at: string },
  ): Promise<boolean>;
}

/**
 * The engrams of a store, whose code the first call loads; those of one organization alone where it is named (STORE-1).
 * @throws Fault `event-invalid`, from every method, for a scope of another organization
 */
export function engramsFor(own: OrganizationId | undefined, load: () => Promise<EngramStore>): EngramStore {
  const only =
    <Scope extends MemoryScope, Rest extends readonly unknown[], Result>(
      methodOf: (engrams: EngramStore) => (scope: Scope, ...rest: Rest) => Promise<Result>,
    ) =>
    async (scope: Scope, ...rest: Rest): Promise<Result> => {
      if (own === undefined || scope.organization === own) return methodOf(await load())(scope, ...rest);
      const why = `it is of the organization ${scope.organization}, and this part of the store is ${own}'s`;
      throw new Fault("event-invalid", { type: "engram", why });
    };
  return {
    put: only(({ put }) => put),
    annotate: only(({ annotate }) => annotate),
    get: only(({ get }) => get),
    list: only(({ list }) => list),
    nearest: only(({ nearest }) => nearest),
    matching: only(({ matching }) => matching),
    vectors: only(({ vectors }) => vectors),
    unembedded: only(({ unembedded }) => unembedded),
    embed: only(({ embed }) => embed),
    forget: only(({ forget }) => forget),
  };
}

/** The direction of a vector, as a store keeps it: of length 1. null where it has none: empty, all zeros, or no finite numbers. */
export function unitVector(values: readonly number[]): Vector | null {
  let largest = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) return null;
    largest = Math.max(largest, Math.abs(value));
  }
  if (largest === 0) return null;
  // By the largest first, so that no square overflows or vanishes.
  let squares = 0;
  for (const value of values) squares += (value / largest) ** 2;
  const length = Math.sqrt(squares);
  return Float32Array.from(values, (value) => value / largest / length);
}

/** The cosine of two vectors of length 1, −1 to 1; null where they are not of one length, so not of one model. */
export function cosineOf(one: Vector, other: Vector): number | null {
  if (one.length !== other.length) return null;
  let product = 0;
  for (let index = 0; index < one.length; index += 1) product += (one[index] ?? 0) * (other[index] ?? 0);
  return Math.max(-1, Math.min(1, product));
}
