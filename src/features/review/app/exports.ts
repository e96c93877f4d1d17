import type { RunExports } from "../../../app/context.ts";
import { refusal } from "../../../kernel/index.ts";
import { sectionOf } from "../protocol/view.ts";
import { REVIEW_FORMATS, type ReviewFormat } from "./formats.ts";

const NAMES: ReadonlyMap<string, ReviewFormat> = new Map([
  ["md", "markdown"],
  ["review", "json"],
  ["sarif", "sarif"],
  ["github", "github"],
]);

/** A recorded review in the formats that `parley review` prints. */
export const reviewExports: RunExports = {
  text({ entries }, format) {
    const section = sectionOf(entries);
    const name = NAMES.get(format);
    if (!section || !name)
      return Promise.reject(
        refusal(`only a review has the form ${format}`, "export it as json, which every run has"),
      );
    return Promise.resolve(REVIEW_FORMATS[name]({ id: entries[0]?.deliberation ?? null, section }));
  },
  inFile: () => undefined,
};
