import { isVoice } from "../../../kernel/index.ts";
import type { PanelSection } from "../../../views/panel.ts";
import type { Result } from "../../../views/result.ts";

/** The words for what a council adds to a result. */
export {
  panelAgreement as agreement,
  panelDissent as dissent,
  panelParts as sectionParts,
} from "../../../reports/panel.ts";

/** That nobody could review: a reviewer ranks at least two drafts of others. */
export function cautions({ standing }: PanelSection, { participants }: Result): string[] {
  const drafts = participants.filter((one) => isVoice(one) && one.answer !== null);
  const isUnreviewed =
    standing.length === 0 &&
    [1, 2].includes(drafts.length) &&
    participants.every(({ seat }) => seat !== "judge");
  return isUnreviewed
    ? ["Nobody reviewed the drafts: that takes three members, who may share a model, or a judge"]
    : [];
}
