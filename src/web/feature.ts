import type { FunctionComponent, VNode } from "preact";
import type { ProtocolReport } from "../kernel/index.ts";
import type { SectionView } from "../views/result.ts";
import type { ShownRun } from "./folds.ts";
import type { Language } from "./language.ts";

/** What a page shows of a feature; everything is loaded when it is looked at. */
export type FeatureScreens = {
  /** The first segment of its screen's address, and of its view of a run. */
  readonly name: string;
  readonly title: { readonly [language in Language]: string };
  /** Its own screen, and where the navigation has it. */
  readonly screen?: {
    readonly group: "results" | "knowledge" | "design" | "system";
    readonly load: () => Promise<FunctionComponent>;
  };
  /** How a run of the protocol of this name is folded, told and looked at. */
  readonly runs?: {
    readonly section: () => Promise<SectionView>;
    readonly report: () => Promise<ProtocolReport>;
    readonly view?: () => Promise<RunView>;
  };
  /** The forms in which people answer in its runs, by the kind of the work. */
  readonly forms?: ReadonlyMap<string, () => Promise<SeatForm>>;
};

/** One way to look at a run. */
export type RunView = (props: { readonly shown: ShownRun }) => VNode | null;

/** How a person is asked; what is put into the fields is told in the form that the step reads. */
export type SeatForm = {
  readonly Prompt: FunctionComponent<{ readonly text: string }>;
  readonly Fields: FunctionComponent<{ readonly tell: (text: string) => void }>;
};
