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
  /** What it shows above the rest of a view that every run has. */
  readonly above?: { readonly [view in AddedTo]?: () => Promise<RunView> };
  /** How the form of a question has it, if it does: the first one of all features is chosen there. */
  readonly form?: AskedBy;
};

export type AddedTo = "room" | "steps";

/** What only some protocols take of what the form of a question has, as a request names it. */
export const ASK_FIELDS = [
  ...(["strategy", "effort", "mode", "chair", "personas", "rounds", "until", "clarify", "pack"] as const),
];
export type AskField = (typeof ASK_FIELDS)[number];

/** The seats that a person can have. */
export type PanelSeat = "member" | "reviewer" | "judge" | "tie-break";

export type AskedBy = {
  readonly title: Title;
  readonly hint: Title;
  readonly fields: readonly AskField[];
  readonly seats: readonly PanelSeat[];
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
