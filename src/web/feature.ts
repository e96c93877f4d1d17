import type { FunctionComponent, VNode } from "preact";
import type { Entry, ProtocolReport } from "../kernel/index.ts";
import type { SectionView } from "../views/result.ts";
import type { ShownRun } from "./run.ts";
import type { Language } from "./language.ts";

/** What a page shows of a feature; everything is loaded when it is looked at. */
export type FeatureScreens = {
  readonly name: string;
  readonly screens?: readonly FeatureScreen[];
  /** How runs of its protocols are folded and told, by protocol; the list of runs can be narrowed to these. */
  readonly runs?: { readonly [protocol: string]: FeatureRuns };
  /** Ways to look at a run, in the order of the tabs. */
  readonly views?: readonly FeatureView[];
  /** The forms in which people answer in its runs, by the kind of the work. */
  readonly forms?: ReadonlyMap<string, () => Promise<SeatForm>>;
};

type Title = { readonly [language in Language]: string };

/** A screen of its own. */
export type FeatureScreen = {
  /** The first segment of its address. */
  readonly path: string;
  readonly title: Title;
  /** Where the navigation has it, if it does. */
  readonly group?: "results" | "knowledge" | "design" | "system";
  readonly load: () => Promise<FunctionComponent>;
};

export type FeatureRuns = {
  readonly section: () => Promise<SectionView>;
  readonly report: () => Promise<ProtocolReport>;
};

export type FeatureView = {
  /** The segment of its address. */
  readonly path: string;
  readonly title: Title;
  /** Whether this entry gives it something to show. */
  begins(entry: Entry): boolean;
  readonly load: () => Promise<RunView>;
};

/** One way to look at a run. */
export type RunView = (props: { readonly shown: ShownRun }) => VNode | null;

/** How a person is asked; what is put into the fields is told in the form that the step reads. */
export type SeatForm = {
  readonly Prompt: FunctionComponent<{ readonly text: string }>;
  readonly Fields: FunctionComponent<{ readonly tell: (text: string) => void }>;
};
