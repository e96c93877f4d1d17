import type { Json } from "../kernel/index.ts";

// What a gate gives follows from the candidate, the soil, the thresholds, the fruits before it and the seed alone.

/** Named figures that decide a gate: `{ max_missing: 0.3 }`. */
export type Thresholds = { readonly [name: string]: number };

/**
 * What a gate gave. `lookahead`, `leakage` and `invalid_data` make the candidate a sick leaf; `boundary_informative`,
 * `sub_regime` and `weak_signal` tell that a failure teaches something.
 */
export type GateFinding = {
  readonly passed: boolean;
  /** The measured figure, and what it was compared with; null where there is none. */
  readonly value?: number | null;
  readonly threshold?: number | null;
  /** One clause that says why. */
  readonly detail: string;
  readonly [more: string]: Json | undefined;
};

export type GateInput<S = unknown> = {
  /** As its domain has compiled it. */
  readonly candidate: string;
  readonly soil: S;
  readonly thresholds: Thresholds;
  /** The forest's fruits so far, compiled. */
  readonly accepted: readonly string[];
  /** Decides whatever is random. */
  readonly seed: string;
};

/** A gate that a domain declares. A soft one is no condition of passing. */
export type DomainGate<S = unknown> = {
  /** `G1`. */
  readonly name: string;
  /** What it asks, in a clause. */
  readonly title: string;
  readonly hard: boolean;
  /** By default, until a profile says otherwise. */
  readonly thresholds?: Thresholds;
  /** From where to where a threshold makes sense, by name; one outside is refused before anything is called. */
  readonly ranges?: { readonly [threshold: string]: readonly [least: number, most: number] };
  /** Where the default thresholds come from. */
  readonly provenance?: string;
} & GateMeans<S>;

/** What decides a gate: a function, the aligner's judgement, a script in a sandbox, or a command. */
export type GateMeans<S = unknown> =
  | { readonly check: (input: GateInput<S>) => GateFinding | Promise<GateFinding> }
  | { readonly aligned: true }
  | { readonly script: string }
  | { readonly command: readonly [string, ...string[]] };

/** Text in the form that a domain's gates examine, or why it has none. */
export type Compiled =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** The soil of a domain: what its gates measure on. `digest` tells one soil from another. */
export type LoadedSoil<S> = { readonly soil: S; readonly digest: string };

/**
 * A field of research whose candidates can be checked. `S` is what its gates measure on: data, tests, a task.
 * @example
 * export default defineDomain({
 *   name: "regexes",
 *   load: (settings, folder) => ({ soil: readLines(join(folder, "lines.txt")), digest: "1" }),
 *   propose: () => "A candidate is a regular expression, without slashes.",
 *   compile: (text) => ({ ok: true, text: text.trim() }),
 *   gates: [{ name: "G1", title: "matches every line", hard: true, check: ({ candidate, soil }) => … }],
 * });
 */
export type Domain<S = unknown> = {
  readonly name: string;
  /**
   * Reads the soil. `settings` is what the forest's file has under `soil`; `folder` is the forest's. @throws Error with words
   * for a person where there is none
   */
  readonly load: (settings: Json, folder: string) => LoadedSoil<S> | Promise<LoadedSoil<S>>;
  /** Tells whoever proposes candidates what one is made of, and in which form. */
  readonly propose: (soil: S) => string;
  readonly compile: (text: string, soil: S) => Compiled;
  readonly gates: readonly DomainGate<S>[];
  /** What the aligner is asked to compare with the evidence; by default the mechanism. */
  readonly rubric?: string;
};

export const defineDomain = <S>(domain: Domain<S>): Domain<S> => domain;
