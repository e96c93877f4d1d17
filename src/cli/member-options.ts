import { setting, settingAs, text } from "./command.ts";

/** How members think, by the names of their settings. */
export const MEMBERS = {
  persona: settingAs("personas", {
    flags: "--persona <ids>",
    description: "persona: one for each member in order, comma-separated",
    isList: true,
  }),
  system: setting("--system <text>", "instructions: for every member, or @FILE with them"),
  temperature: settingAs("temperatures", {
    flags: "--temperature <t>",
    description: "temperature, 0 to 2, for all members or each: 0.2,0.9",
    isList: true,
  }),
};

/** The same of the one who responds. */
export const RESPONDENT = {
  persona: settingAs("respondent", {
    flags: "--persona <id>",
    description: "persona: of the model that answers",
  }),
  system: setting("--system <text>", "instructions: in place of the persona's, or @FILE", {
    conflicts: "persona",
  }),
  temperature: setting("--temperature <t>", "temperature, 0 to 2 (default: the provider's)"),
};

export const PACK = { pack: text("--pack <id>", "members, strategy and settings of a pack (parley packs)") };
