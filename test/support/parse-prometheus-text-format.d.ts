declare module "parse-prometheus-text-format" {
  /** What a page of figures says, a family each; histograms without their labels. */
  export default function parsePrometheus(
    text: string,
  ): {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly metrics: readonly {
      readonly labels?: Readonly<Record<string, string>>;
      readonly value?: string;
    }[];
  }[];
}
