/** The words for what a council adds to a result. */
export { panelParts as sectionParts } from "../../reports/panel.ts";
