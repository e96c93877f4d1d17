/** The words for what a council adds to a result. */
export { panelAgreement as agreement, panelParts as sectionParts } from "../../reports/panel.ts";
