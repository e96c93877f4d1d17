import { PanelSection, panelSection } from "../../views/panel.ts";

/** What a council adds to a result. */
export const sectionSchema = PanelSection;

export const sectionOf = panelSection;
