import { defineDomain } from "../domain.ts";
import { compileFormula } from "./compile.ts";
import { vocabularyOf } from "./evaluate.ts";
import { GATES } from "./gates.ts";
import { describeVocabulary } from "./propose.ts";
import { loadSoil, type FactorSoil } from "./soil.ts";

/** Formulas over daily prices that say which instruments will return more than others. */
const factors = defineDomain<FactorSoil>({
  name: "factors",
  load: loadSoil,
  propose: ({ panel }) => describeVocabulary(vocabularyOf(panel)),
  compile: (text, { panel }) => compileFormula(text, vocabularyOf(panel)),
  gates: GATES,
  rubric:
    "whether the evidence of the gates is what the mechanism predicts: in which direction, how strong, how steady, and in what is traded",
});

// A domain is the default export of its module: that is how one is found, whoever wrote it.
// oxlint-disable-next-line import/no-default-export
export default factors;
