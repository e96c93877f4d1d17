import { readHint } from "../config/explain.ts";
import { sentences } from "../config/setting-sentences.ts";
import { isFileSetting, settingKeys, settingTypes, settingVariable } from "../config/settings.ts";
import { providers, type Provider } from "../models/providers.ts";
import { wrap } from "../reports/text-width.ts";
import { indent } from "./help.ts";

/** A paragraph, and what stands indented below a name. */
const paragraph = (text: string, width: number): string => `${wrap(text, width).join("\n")}\n`;
const entry = (name: string, text: string, width: number): string =>
  `\n${name}\n${indent(wrap(text, width - 4), 4)}\n`;

/** What every setting is, and how it is written. */
export function settingsHelp(width: number): string {
  const intro =
    "A setting is read from a command's flags, then from the environment, then from the project's parley.yaml, then from the " +
    "user's. In a file max-cost-usd is max-cost-usd: 0.50; in the environment it is PARLEY_MAX_COST_USD=0.50. parley config " +
    "prints each value and where it came from.";
  const rows = [...settingKeys].map(([name, key]) => {
    const { expects, example } = readHint(settingTypes[key]) ?? {};
    const where = isFileSetting(key) ? " In files only." : "";
    const form =
      expects === undefined ? "" : ` Takes ${expects}${example === undefined ? "" : `, such as ${example}`}.`;
    const text = `${sentences[key].replaceAll("`", "")}${where}${form}`;
    return entry(name, text, width);
  });
  return [paragraph(intro, width), ...rows].join("");
}

/** Variables that are no settings. */
const VARIABLES: readonly (readonly [name: string, about: string])[] = [
  ["PARLEY_HOME", "The folder of everything that Parley writes and of the user's settings."],
  ["PARLEY_DATABASE_URL", "The same as PARLEY_STORE."],
  ["PARLEY_NOTIFY_SECRET", "What a server signs its notices with: whsec_ and base64; see notify-url."],
  ["PARLEY_SIM_KEY", "The key that parley sim-server expects."],
  ["PARLEY_DEBUG", "1 prints where an unexpected error came from."],
  ["HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "The proxy to providers, and what is reached without it."],
  ["NO_COLOR, FORCE_COLOR", "Whether what is printed has colors."],
  ["VISUAL, EDITOR", "The editor of personas, strategies and packs."],
  ["BROWSER", "The program in which parley open shows a page."],
];

/** Every variable that is read. */
export function environmentHelp(width: number): string {
  const intro =
    "Keys stand in the environment, in a file (--env-file .env), or where parley keys set puts them. Every setting is a variable, " +
    `too: max-cost-usd is ${settingVariable("max-cost-usd")} (parley help settings).`;
  const keys = Object.entries<Provider>(providers).flatMap(([name, { keyVariables, urlVariables = [] }]) => {
    const about = [
      ...(keyVariables.length > 0 ? [`Key: ${keyVariables.join(" or ")}.`] : []),
      ...(urlVariables.length > 0 ? [`Address: ${urlVariables.join(" or ")}.`] : []),
    ];
    return about.length === 0 ? [] : [entry(name, about.join(" "), width)];
  });
  return [
    paragraph(intro, width),
    ...VARIABLES.map(([name, about]) => entry(name, about, width)),
    ...keys,
  ].join("");
}
